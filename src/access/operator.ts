import { BEARER_MAX_CHARS } from "../limits.ts";

const encoder = new TextEncoder();

/**
 * Whether `presented` is the operator's bearer. Both are compared under a MAC, by the platform's constant-time check, so
 * that neither a common prefix nor a length shows in the time taken. An unset or blank secret lets nobody in.
 */
export async function isOperator(presented: string, secret: string | undefined): Promise<boolean> {
  if (secret === undefined || secret.trim() === "") return false;
  if (presented.length > BEARER_MAX_CHARS) return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = encoder.encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
  const expected = await crypto.subtle.sign("HMAC", key, bytes);
  return crypto.subtle.verify("HMAC", key, expected, encoder.encode(presented));
}
