import { decodeBase64url, encodeBase64url } from "./base64url.ts";

/** An imported HMAC-SHA-256 key. The name differs between platforms' type packages, so it is taken from the call. */
type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A key and its public id, which travels with what it signed so that only one key has to be tried. */
export interface NamedKey {
  /** 8 hexadecimal digits, derived from the secret; tells nothing about it. */
  readonly id: string;
  readonly key: HmacKey;
}

/** What one purpose signs with, and what it still accepts. */
export interface KeyRing {
  readonly current: NamedKey;
  readonly previous: NamedKey | null;
}

/** A MAC has 32 bytes: 43 base64url characters, of which the last has two unused bits. */
export const MAC_CHARS = 43;
const MAC_BYTES = 32;

/** The MAC of `message`, as 43 base64url characters. */
export async function signMac(key: NamedKey, message: Uint8Array): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", key.key, message);
  return encodeBase64url(new Uint8Array(mac));
}

/**
 * Whether `mac` (43 canonical base64url characters) was made for `message` by the ring's key with this id. The comparison
 * is the platform's, in constant time; an id that names no key costs no work.
 */
export async function verifyMac(
  ring: KeyRing,
  keyId: string,
  message: Uint8Array,
  mac: string,
): Promise<boolean> {
  if (mac.length !== MAC_CHARS) return false;
  const decoded = decodeBase64url(mac);
  if (!decoded.ok || decoded.value.length !== MAC_BYTES) return false;
  for (const candidate of [ring.current, ring.previous]) {
    if (candidate?.id !== keyId) continue;
    if (await crypto.subtle.verify("HMAC", candidate.key, decoded.value, message)) return true;
  }
  return false;
}
