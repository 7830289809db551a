import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { decodeBase64url, encodeBase64url } from "../../base64url.ts";
import { isJsonArray, parsedJson } from "../../json.ts";
import { RECORD_CURSOR_MAX_CHARS } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";

/** An imported AES-GCM key. The name differs between platforms' type packages, so it is taken from the call. */
type AesKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export interface SealKey {
  /** Eight hexadecimal digits; public. */
  readonly id: string;
  readonly key: AesKey;
}

export interface SealRing {
  readonly current: SealKey;
  readonly previous: SealKey | null;
}

export type SealReason = "invalid" | "expired";

/** Closes and opens cursors. What is inside is nobody's business: positions tell of records that a grant does not cover. */
export interface Seal {
  /**
   * A cursor over `payload` (JSON) that opens only with the same `binding`: the text of everything that it belongs to, grant
   * and query. Without a lifetime it is good as long as its key.
   */
  close(binding: string, payload: unknown, lifetimeMs?: number): Promise<string>;
  open(binding: string, cursor: string): Promise<Result<unknown, SealReason>>;
}

/**
 * Closes nothing: for cursors that never leave this server but inside another one, which is sealed with all that they belong
 * to. They are half as long. The binding is that one's; the lifetime is kept.
 */
export function createBareSeal(nowMs: () => number): Seal {
  return {
    close: (_binding, payload, lifetimeMs) =>
      Promise.resolve(JSON.stringify([lifetimeMs === undefined ? null : nowMs() + lifetimeMs, payload])),
    open: (_binding, cursor) => Promise.resolve(contentOf(parsedJson(cursor), nowMs)),
  };
}

export const NONCE_BYTES = 12;
const KEY_ID_BYTES = 4;
const PADDING_STEP_BYTES = 64;
const SPACE = 0x20;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `random` gives 12 fresh random bytes: a nonce must never repeat under one key (NIST SP 800-38D §8). */
export function createSeal(ring: SealRing, random: () => Uint8Array, nowMs: () => number): Seal {
  return {
    async close(binding, payload, lifetimeMs) {
      const expiresAtMs = lifetimeMs === undefined ? null : nowMs() + lifetimeMs;
      const text = padded(await packed(encoder.encode(JSON.stringify([expiresAtMs, payload]))));
      const nonce = random();
      const sealed = await crypto.subtle.encrypt(algorithm(nonce, binding), ring.current.key, text);
      const bytes = new Uint8Array(KEY_ID_BYTES + NONCE_BYTES + sealed.byteLength);
      bytes.set(hexToBytes(ring.current.id), 0);
      bytes.set(nonce, KEY_ID_BYTES);
      bytes.set(new Uint8Array(sealed), KEY_ID_BYTES + NONCE_BYTES);
      return encodeBase64url(bytes);
    },
    async open(binding, cursor) {
      if (cursor.length > RECORD_CURSOR_MAX_CHARS) return fail("invalid");
      const decoded = decodeBase64url(cursor);
      if (!decoded.ok || decoded.value.length <= KEY_ID_BYTES + NONCE_BYTES) return fail("invalid");
      const bytes = decoded.value;
      const keyId = bytesToHex(bytes.subarray(0, KEY_ID_BYTES));
      const key = [ring.current, ring.previous].find((candidate) => candidate?.id === keyId);
      if (key === undefined || key === null) return fail("invalid");
      const nonce = bytes.slice(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES);
      let content: unknown;
      try {
        const sealed = bytes.slice(KEY_ID_BYTES + NONCE_BYTES);
        const text = await crypto.subtle.decrypt(algorithm(nonce, binding), key.key, sealed);
        content = JSON.parse(decoder.decode(await unpacked(new Uint8Array(text))));
      } catch {
        return fail("invalid");
      }
      return contentOf(content, nowMs);
    },
  };
}

function contentOf(content: unknown, nowMs: () => number): Result<unknown, SealReason> {
  if (!isJsonArray(content)) return fail("invalid");
  const [expiresAtMs, payload] = content;
  return typeof expiresAtMs === "number" && nowMs() >= expiresAtMs ? fail("expired") : ok(payload);
}

/** Above it a text is deflated: what a package's cursor has of its members is digits for the most part, and a model copies it. */
const DEFLATED_ABOVE_BYTES = 1_024;
/** Begins what is deflated; its length follows, since padding does. No JSON begins with it. */
const DEFLATED = 1;
const HEAD_BYTES = 5;

async function packed(text: Uint8Array): Promise<Uint8Array> {
  if (text.length <= DEFLATED_ABOVE_BYTES) return text;
  const deflated = await through(text, new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(HEAD_BYTES + deflated.length);
  bytes[0] = DEFLATED;
  new DataView(bytes.buffer).setUint32(1, deflated.length);
  bytes.set(deflated, HEAD_BYTES);
  return bytes;
}

async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== DEFLATED) return bytes;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
  return through(bytes.slice(HEAD_BYTES, HEAD_BYTES + length), new DecompressionStream("deflate-raw"));
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const body = new Response(bytes).body?.pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** White space to the next step, so that a cursor's length does not tell the length of what is inside. JSON reads over it. */
function padded(text: Uint8Array): Uint8Array {
  const filled = new Uint8Array(Math.ceil(text.length / PADDING_STEP_BYTES) * PADDING_STEP_BYTES).fill(SPACE);
  filled.set(text);
  return filled;
}

function algorithm(nonce: Uint8Array, binding: string) {
  return { name: "AES-GCM", iv: nonce, additionalData: encoder.encode(binding) };
}
