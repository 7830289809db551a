import { decodeBase64url, encodeBase64url } from "../../base64url.ts";
import { isJsonArray, parsedJson } from "../../json.ts";
import { LIST_CURSOR_MAX_CHARS } from "../../limits.ts";

const encoder = new TextEncoder();

/** The lists that come in pages. A cursor of one is none of another. */
export type PagedList = "tools" | "resources" | "templates" | "prompts";

/** Where a page ended: the last id of it. Nothing is kept for it here, so that it never expires. */
export function listCursor(list: PagedList, lastId: string): string {
  return encodeBase64url(encoder.encode(JSON.stringify([list, lastId])));
}

/** The id that a page goes on behind; `undefined` for what this list never gave as a cursor. */
export function readListCursor(list: PagedList, cursor: string): string | undefined {
  // Judged by its length first: a cursor may be as long as a message.
  const bytes = cursor.length <= LIST_CURSOR_MAX_CHARS ? decodeBase64url(cursor) : undefined;
  if (bytes?.ok !== true) return undefined;
  const value = parsedJson(new TextDecoder().decode(bytes.value));
  if (!isJsonArray(value)) return undefined;
  const [, id] = value;
  // Only the very text that is written.
  return typeof id === "string" && listCursor(list, id) === cursor ? id : undefined;
}
