import { sha256 } from "@noble/hashes/sha2.js";
import { encodeBase64url } from "../base64url.ts";

const encoder = new TextEncoder();

/**
 * The name of a principal's object: a hash, so that any principal has a short name of its own and no name tells whose it
 * is. JSON text keeps lone surrogates apart, which UTF-8 would merge.
 */
export function principalObjectName(principal: string): string {
  return `principal-1-${encodeBase64url(sha256(encoder.encode(JSON.stringify(principal))))}`;
}
