import { sha256Hex } from "../identity/digest.ts";
import { SERVER_NAME_MAX_CHARS } from "../limits.ts";

const HASH_CHARS = 8;

/**
 * The name under which a configured server's account is kept: its own, or of one that JSON writes in more than
 * `SERVER_NAME_MAX_CHARS` the beginning with a hash of all behind it, so that two servers never share an account. What is
 * written counts: of control characters or lone surrogates each is six.
 */
export function accountName(server: string): string {
  if (writtenChars(server) <= SERVER_NAME_MAX_CHARS) return server;
  let left = SERVER_NAME_MAX_CHARS - HASH_CHARS - 1;
  let beginning = "";
  for (const character of server) {
    left -= writtenChars(character);
    if (left < 0) break;
    beginning += character;
  }
  // Of the JSON, which keeps lone surrogates apart.
  return `${beginning}-${sha256Hex(JSON.stringify(server)).slice(0, HASH_CHARS)}`;
}

function writtenChars(text: string): number {
  return JSON.stringify(text).length - 2;
}
