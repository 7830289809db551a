import { exactJsonText } from "../../exact-json/write.ts";
import { INGEST_PARAMETER_BYTES } from "../../limits/records.ts";
import { utf8Length } from "../../schema/utf8-length.ts";

/**
 * Items as JSON arrays, each a text of about `INGEST_PARAMETER_BYTES` at most: what D1 takes as one parameter, for
 * `json_each` to take apart. An item that is larger stands alone.
 */
export function jsonChunks(items: readonly unknown[]): string[] {
  const chunks: string[] = [];
  let open: string[] = [];
  let bytes = 0;
  const close = (): void => {
    if (open.length > 0) chunks.push(`[${open.join(",")}]`);
    open = [];
    bytes = 0;
  };
  for (const item of items) {
    const text = exactJsonText(item);
    const size = utf8Length(text) + 1;
    if (bytes + size > INGEST_PARAMETER_BYTES) close();
    open.push(text);
    bytes += size;
  }
  close();
  return chunks;
}
