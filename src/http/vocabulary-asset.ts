import type { CounterFault } from "../catalog/refresh/refresh-ports.ts";
import { TOKENIZER_VOCABULARY_MAX_BYTES } from "../limits.ts";
import { fail, type Result } from "../result.ts";
import { CL100K_SHA256 } from "../tokens/cl100k.ts";
import { RankTable } from "../tokens/rank-table.ts";
import { readStaticFile, type StaticFiles } from "./static-file.ts";

const CL100K_FILE = "cl100k.bin";

/**
 * Reads the ranks that tokens are counted by out of the Worker's static files. Only the very file that belongs to this version
 * will do: what another one counted would be kept as long as its tool stays the same.
 */
export async function readVocabulary(
  files: StaticFiles,
  sha256Hex: (bytes: Uint8Array) => Promise<string>,
): Promise<Result<RankTable, CounterFault>> {
  const bytes = await readStaticFile(files, CL100K_FILE, TOKENIZER_VOCABULARY_MAX_BYTES);
  if (!bytes.ok) return fail({ reason: "vocabulary_unreadable", detail: bytes.reason });
  const digest = await sha256Hex(bytes.value);
  if (digest !== CL100K_SHA256) {
    return fail({ reason: "vocabulary_unusable", detail: `its SHA-256 is ${digest}` });
  }
  const ranks = RankTable.open(bytes.value);
  return ranks.ok ? ranks : fail({ reason: "vocabulary_unusable", detail: ranks.reason.reason });
}
