import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import { readCommandLine, runCommand } from "../command-line.ts";
import { CL100K_FILE } from "../committed-ranks.ts";
import { packRanks, publishedTokens } from "./pack-ranks.ts";

const USAGE = `usage: npm run ranks
makes assets/cl100k.bin anew from the ranks in js-tiktoken, and tells its SHA-256 for src/tokens/cl100k.ts`;

await runCommand(async () => {
  readCommandLine(process.argv.slice(2), USAGE, {});
  const bytes = packRanks(publishedTokens(cl100k.bpe_ranks));
  writeFileSync(CL100K_FILE, bytes);
  console.log(`${CL100K_FILE}: ${bytes.length} bytes, ${createHash("sha256").update(bytes).digest("hex")}`);
});
