import { ROUTING_NEIGHBOURS_MAX_BYTES } from "../limits.ts";
import { type NeighbourTable, openNeighbours } from "../routing/neighbours/table.ts";
import { readStaticFile, type StaticFiles } from "./static-file.ts";

export const NEIGHBOURS_FILE = "neighbours.bin";

/**
 * Reads the neighbour table out of the Worker's static files. A missing, oversized or damaged file is told to the log
 * and gives no table: search then finds the words as they stand, and a refresh never fails for it.
 */
export async function readNeighbours(
  files: StaticFiles,
  log: (text: string) => void,
): Promise<NeighbourTable | undefined> {
  const bytes = await readStaticFile(files, NEIGHBOURS_FILE, ROUTING_NEIGHBOURS_MAX_BYTES);
  if (!bytes.ok) {
    log(`the neighbour table could not be read: ${bytes.reason}`);
    return undefined;
  }
  const table = openNeighbours(bytes.value);
  if (table.ok) return table.value;
  log(`the neighbour table is not usable: ${table.reason.kind}`);
  return undefined;
}
