import { decodeBase64url, encodeBase64url } from "../base64url.ts";
import { SESSION_LIFETIME_SECONDS } from "../limits.ts";
import { MAC_CHARS, signMac, verifyMac } from "../mac.ts";
import type { KeyRing } from "../mac.ts";
import { fail, ok } from "../result.ts";
import type { Result } from "../result.ts";

/**
 * Our session ids: `lgs_`, 36 base64url characters (version 1 byte, key id 4, expiry in seconds 6, random 16) and the 43
 * of a MAC over them and the principal. Whoever holds an id learns nothing of the principal, and an id under another
 * principal's bearer is as forged as any other: checked here, before an object is woken. Visible ASCII, as MCP wants.
 */
export interface SessionHandle {
  /** What the principal's object knows the session by: its random part alone, so that a row opens no session. */
  readonly key: string;
  readonly expiresAtMs: number;
}

export type SessionIdReason = "malformed" | "bad_mac" | "expired";

const PREFIX = "lgs_";
const VERSION = 1;
const KEY_ID_AT = 1;
const EXPIRY_AT = 5;
const RANDOM_AT = 11;
const PAYLOAD_BYTES = 27;
const PAYLOAD_CHARS = 36;
const ID_CHARS = PREFIX.length + PAYLOAD_CHARS + MAC_CHARS;
const encoder = new TextEncoder();

/** Makes a session id for a principal. `random` is 16 fresh random bytes. It lives `SESSION_LIFETIME_SECONDS`. */
export async function mintSessionId(
  ring: KeyRing,
  principal: string,
  random: Uint8Array,
  nowMs: number,
): Promise<{ readonly id: string; readonly session: SessionHandle }> {
  const expiresAtSeconds = Math.floor(nowMs / 1000) + SESSION_LIFETIME_SECONDS;
  const payload = new Uint8Array(PAYLOAD_BYTES);
  const view = new DataView(payload.buffer);
  view.setUint8(0, VERSION);
  view.setUint32(KEY_ID_AT, Number.parseInt(ring.current.id, 16));
  view.setUint16(EXPIRY_AT, Math.floor(expiresAtSeconds / 2 ** 32));
  view.setUint32(EXPIRY_AT + 2, expiresAtSeconds % 2 ** 32);
  payload.set(random.subarray(0, PAYLOAD_BYTES - RANDOM_AT), RANDOM_AT);
  const text = encodeBase64url(payload);
  const mac = await signMac(ring.current, signedBytes(text, principal));
  return { id: `${PREFIX}${text}${mac}`, session: handleOf(payload) };
}

/** The session behind an id, if it was minted for this principal and has not expired. Never throws, whatever the text. */
export async function verifySessionId(
  ring: KeyRing,
  principal: string,
  id: string,
  nowMs: number,
): Promise<Result<SessionHandle, SessionIdReason>> {
  if (id.length !== ID_CHARS || !id.startsWith(PREFIX)) return fail("malformed");
  const text = id.slice(PREFIX.length, PREFIX.length + PAYLOAD_CHARS);
  const decoded = decodeBase64url(text);
  if (!decoded.ok || decoded.value[0] !== VERSION) return fail("malformed");
  const view = new DataView(decoded.value.buffer);
  const keyId = view.getUint32(KEY_ID_AT).toString(16).padStart(8, "0");
  const mac = id.slice(PREFIX.length + PAYLOAD_CHARS);
  if (!(await verifyMac(ring, keyId, signedBytes(text, principal), mac))) return fail("bad_mac");
  const session = handleOf(decoded.value);
  return nowMs >= session.expiresAtMs ? fail("expired") : ok(session);
}

/** JSON text keeps lone surrogates apart, which UTF-8 would merge; the payload's length is fixed, so nothing can shift. */
function signedBytes(payload: string, principal: string): Uint8Array {
  return encoder.encode(`${PREFIX}${payload}${JSON.stringify(principal)}`);
}

function handleOf(payload: Uint8Array<ArrayBuffer>): SessionHandle {
  const view = new DataView(payload.buffer);
  const seconds = view.getUint16(EXPIRY_AT) * 2 ** 32 + view.getUint32(EXPIRY_AT + 2);
  return { key: encodeBase64url(payload.subarray(RANDOM_AT)), expiresAtMs: seconds * 1000 };
}
