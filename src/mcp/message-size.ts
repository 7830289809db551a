import { stringEnd } from "../exact-json/tokens.ts";
import { MESSAGE_MAX_DEPTH, MESSAGE_MAX_VALUES_COUNT } from "../limits.ts";

/**
 * Whether a message is small enough to be read at all: what its text nests, and how many values it has, counted by its
 * marks before anything is made of them. A body of a few megabytes can hold millions of values, and each takes more
 * memory than it has characters.
 */
export function isReadable(text: string): boolean {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = stringEnd(text, at) - 1;
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        values += 1;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      case 0x2c:
        values += 1;
        break;
      default:
    }
    if (depth > MESSAGE_MAX_DEPTH || values > MESSAGE_MAX_VALUES_COUNT) return false;
  }
  return true;
}
