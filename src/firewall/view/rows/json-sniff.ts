import { parsedJson } from "../../../json.ts";
import { ROWS_SNIFF_ELEMENTS_COUNT, ROWS_SNIFF_VALUE_MAX_BYTES } from "../../../limits.ts";
import { decodeUtf8 } from "../../result/utf8.ts";
import { JsonWalk } from "../json/walk.ts";

/**
 * Whether bytes that begin with a bracket go on as JSON does: the first children are JSON values with commas between them,
 * and where the document ends nothing follows. `[2026-01-01] started` does not, and `[1]: a footnote` does not.
 */
export function beginsAsJson(bytes: Uint8Array, whole: boolean): boolean {
  const walk = new JsonWalk(bytes, [{ kind: "all", named: true }]);
  for (let count = 0; count < ROWS_SNIFF_ELEMENTS_COUNT; count += 1) {
    const found = walk.next();
    if (found === "over") return true;
    // A value that is longer than the read has nothing against it but its length.
    if (found === "more") return !whole;
    if (found === "broken") return false;
    if (found.inside !== null) return !whole;
    const isShort = found.end - found.start <= ROWS_SNIFF_VALUE_MAX_BYTES;
    if (isShort && parsedJson(decodeUtf8(bytes.subarray(found.start, found.end))) === undefined) return false;
    walk.leave(found);
  }
  return true;
}
