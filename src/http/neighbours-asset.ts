import { ROUTING_NEIGHBOURS_MAX_BYTES } from "../limits.ts";
import { type NeighbourTable, openNeighbours } from "../routing/neighbours/table.ts";

/** The file's name is all that counts: the binding answers for any host. */
export const NEIGHBOURS_ADDRESS = "https://assets.local/neighbours.bin";

/**
 * Reads the neighbour table out of the Worker's static files. A missing, oversized or damaged file is told to the log
 * and gives no table: search then finds the words as they stand, and a refresh never fails for it.
 */
export async function readNeighbours(
  assets: Pick<Fetcher, "fetch">,
  log: (text: string) => void,
): Promise<NeighbourTable | undefined> {
  try {
    const response = await assets.fetch(NEIGHBOURS_ADDRESS);
    if (response.status !== 200) {
      await response.body?.cancel();
      log(`the neighbour table could not be read: status ${response.status}`);
      return undefined;
    }
    const bytes = await readBounded(response);
    const table = bytes === undefined ? undefined : openNeighbours(bytes);
    if (table?.ok === true) return table.value;
    log(`the neighbour table is not usable: ${table === undefined ? "TOO_LARGE" : table.reason.kind}`);
  } catch (error) {
    log(`the neighbour table could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return undefined;
}

/** The body, or nothing where it is larger than any table; the rest of such a body is left unread. */
async function readBounded(response: Response): Promise<Uint8Array | undefined> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > ROUTING_NEIGHBOURS_MAX_BYTES) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
