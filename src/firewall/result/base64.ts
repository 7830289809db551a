import { fail, ok, type Result } from "../../result.ts";

/** Characters handed to one call: well under what an argument list may hold. */
const CHUNK = 8_192;

/** Bytes as base64 with padding (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

/**
 * The bytes of a base64 text, in either alphabet (RFC 4648 §4, §5); white space in it is allowed, as `atob` has it.
 */
export function decodeBase64(text: string): Result<Uint8Array<ArrayBuffer>, "not_base64"> {
  let binary: string;
  try {
    binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return fail("not_base64");
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return ok(bytes);
}

/** About how many bytes a base64 text holds, without decoding it. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((text.length * 3) / 4) - padding);
}
