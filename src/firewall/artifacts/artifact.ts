import { decodeBase64url } from "../../base64url.ts";
import { signMac, type KeyRing } from "../../mac.ts";
import type { Result } from "../../result.ts";

/** What is known of a kept artifact beside its bytes. */
export interface ArtifactRecord {
  readonly handle: string;
  readonly toolId: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** `null` for binary content. */
  readonly lines: number | null;
  /** See `line-index.ts`; empty for binary content. */
  readonly lineIndex: string;
  readonly expiresAtMs: number;
}

/** The store gave no answer. */
export interface ArtifactsUnreachable {
  readonly reason: "artifacts_unreachable";
  /** For the operator's log. */
  readonly detail: string;
}

/** Where artifacts are kept. `owner` is the hashed name of a principal: nothing of another's is ever found. */
export interface ArtifactStore {
  put(
    owner: string,
    record: ArtifactRecord,
    bytes: Uint8Array,
  ): Promise<Result<undefined, ArtifactsUnreachable>>;
  /** The record beside the bytes, for when the ledger has none; `null` if there is no such artifact. */
  find(owner: string, handle: string): Promise<Result<ArtifactRecord | null, ArtifactsUnreachable>>;
  /** So many bytes from an offset, fewer at the end; `null` if there is no such artifact. */
  read(
    owner: string,
    handle: string,
    offset: number,
    length: number,
  ): Promise<Result<Uint8Array | null, ArtifactsUnreachable>>;
}

const HANDLE_DIGITS = 27;
const HANDLE = /^\d{27}$/;
const encoder = new TextEncoder();

export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

/**
 * The handle of one content of one tool for one principal: 27 decimal digits out of a MAC, so that the same content has
 * the same handle and nobody can compute another's. A handle opens nothing outside its principal's own artifacts. After
 * a rotation the same content gets a new handle, and old ones stay good, since they are looked up and not verified.
 */
export async function artifactHandle(
  ring: KeyRing,
  principal: string,
  toolId: string,
  mediaType: string,
  bytes: Uint8Array,
): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const content = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const message = JSON.stringify([principal, toolId, mediaType, content]);
  const mac = decodeBase64url(await signMac(ring.current, encoder.encode(message)));
  let value = 0n;
  for (const byte of mac.ok ? mac.value : []) value = (value << 8n) | BigInt(byte);
  return (value % 10n ** BigInt(HANDLE_DIGITS)).toString().padStart(HANDLE_DIGITS, "0");
}
