import { fail, ok } from "./result.ts";
import type { Result } from "./result.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES = new Map(ALPHABET.split("").map((character, value) => [character, value]));

/** Bytes as base64url without padding (RFC 4648 §5). */
export function encodeBase64url(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0x3fff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += ALPHABET.charAt((buffer >> bits) & 63);
    }
  }
  if (bits > 0) text += ALPHABET.charAt((buffer << (6 - bits)) & 63);
  return text;
}

/**
 * The bytes of a base64url text in its one canonical form. Platform decoders drop the unused bits of the last character,
 * so that several texts give the same bytes; here those are refused, as are padding and foreign characters.
 */
export function decodeBase64url(text: string): Result<Uint8Array<ArrayBuffer>, "not_base64url"> {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let buffer = 0;
  let bits = 0;
  for (const character of text) {
    const value = VALUES.get(character);
    if (value === undefined) return fail("not_base64url");
    buffer = ((buffer << 6) | value) & 0x3fff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length] = (buffer >> bits) & 255;
      length += 1;
    }
  }
  const unused = buffer & ((1 << bits) - 1);
  if (bits >= 6 || unused !== 0) return fail("not_base64url");
  return ok(bytes.subarray(0, length));
}
