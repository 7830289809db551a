import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/**
 * SHA-256 of the text's UTF-8 bytes in lower-case hex. Synchronous on purpose (`crypto.subtle` is not): ids are made
 * inside pure code. A lone surrogate hashes as U+FFFD; escape first (`asciiJson`) where two of them must differ.
 */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text)));
}

/**
 * Compact JSON with everything outside printable ASCII as lower-case `\uXXXX`, astral characters as two: the bytes
 * over which the gateways of this family hash. `JSON.stringify` alone leaves U+007F and all above it as they are.
 */
export function asciiJson(
  value: string | readonly string[] | Readonly<Record<string, readonly string[]>>,
): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
