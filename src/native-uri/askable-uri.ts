import { PRIMITIVE_NAME_MAX_CHARS } from "../limits.ts";
import { isOurs } from "./native-uri.ts";

/** RFC 3986 §3.1; in the case that §6.2.2.1 has for it. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/;
/** What needs no escape (RFC 3986 §2.3) and is written as one. */
const NEEDLESS_ESCAPE = /%(?:4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A]|3[0-9]|2[DE]|5F|7E)/i;
/** A segment that leads to another place than it says. */
const DOT_SEGMENT = /(?:[/:]|%2F)\.{1,2}(?:[/?#]|%2F|$)/i;
/** What no URI has in it, and what readers of URIs take out or take for a slash. */
const FOREIGN = /[\p{Cc}\p{Cs}\\]|\s$/u;

/**
 * Whether a server may be asked for a text that nobody lists: an absolute URI, not too long and none of ours, in the one
 * spelling that globs of rules are written for. Pure, and linear in the text.
 */
export function isAskableUri(text: string): boolean {
  return (
    text.length <= PRIMITIVE_NAME_MAX_CHARS &&
    SCHEME.test(text) &&
    !isOurs(text) &&
    ![FOREIGN, NEEDLESS_ESCAPE, DOT_SEGMENT].some((spelling) => spelling.test(text))
  );
}
