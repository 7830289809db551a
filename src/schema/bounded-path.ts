import { appendToken } from "./json-pointer.ts";
import { ARGUMENT_ERROR_PATH_MAX_CHARS } from "../limits.ts";

/** Cut, with a mark, between characters: a foreign ten-kilobyte name does not fill an answer or a report. */
export function boundedPath(path: string): string {
  if (path.length <= ARGUMENT_ERROR_PATH_MAX_CHARS) return path;
  const cut = path.slice(0, ARGUMENT_ERROR_PATH_MAX_CHARS);
  return `${cut.replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A path one step longer, unless what is added would be cut off again: thousands of long paths are never written out. */
export function extendPath(path: string, token: string): string {
  return path.length > ARGUMENT_ERROR_PATH_MAX_CHARS ? path : appendToken(path, token);
}
