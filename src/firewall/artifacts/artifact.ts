import { decodeBase64url } from "../../base64url.ts";
import { signMac, type KeyRing } from "../../mac.ts";
import type { Result } from "../../result.ts";
import { hexOf } from "./running-digest.ts";

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
  /** Where its bytes stand, as `stored-name.ts` has it; rows of earlier versions tell nothing: `d7/<handle>`. */
  readonly storedAs?: string | undefined;
}

/** What names the bytes of an artifact to the store, beside its owner. */
export type ArtifactPlace = Pick<ArtifactRecord, "handle" | "storedAs">;

/** An artifact to be kept: how long it lives is the store's to say. */
export type NewArtifact = Omit<ArtifactRecord, "expiresAtMs" | "storedAs">;

/** The same where the bytes are in the store already, under the name of a finished upload. */
export type UploadedArtifact = NewArtifact & { readonly storedAs: string };

/** One writing of an artifact's bytes that has given way. */
export type GoneWriting = Pick<ArtifactRecord, "handle" | "expiresAtMs" | "storedAs">;

/** The store gave no answer. */
export interface ArtifactsUnreachable {
  readonly reason: "artifacts_unreachable";
  /** For the operator's log. */
  readonly detail: string;
}

type Outcome<Value> = Promise<Result<Value, ArtifactsUnreachable>>;

/**
 * Where artifacts are kept. `owner` is the hashed name of a principal: nothing of another's is ever found. Nothing here
 * rejects.
 */
export interface ArtifactStore {
  /**
   * Keeps bytes, unless the same ones stand there with life enough left; gives the record of those that stand there. What
   * expires at `goneUntilMs` or before may be deleted soon: it does not count.
   */
  put(owner: string, artifact: NewArtifact, bytes: Uint8Array, goneUntilMs?: number): Outcome<ArtifactRecord>;
  /**
   * Gives a finished upload its handle. Where the same bytes stand under it with life enough left, the upload is deleted,
   * and the record is theirs.
   */
  adopt(owner: string, artifact: UploadedArtifact, goneUntilMs?: number): Outcome<ArtifactRecord>;
  /** The record beside the bytes, for when the ledger has none; `null` if there is no such artifact, or no longer. */
  find(owner: string, handle: string): Outcome<ArtifactRecord | null>;
  /** So many bytes from an offset, fewer at the end; `null` if there is no such artifact. */
  read(owner: string, place: ArtifactPlace, offset: number, length: number): Outcome<Uint8Array | null>;
  /** Deletes uploads that are not wanted, by their names; what is not there is no failure. */
  remove(owner: string, names: readonly string[]): Outcome<undefined>;
  /** Deletes what gave way, and nothing that was written under the same handle since. Gives what it is done with. */
  retire(owner: string, gone: readonly GoneWriting[]): Outcome<GoneWriting[]>;
  /** An upload under a name of its own; nothing is written yet. */
  openUpload(owner: string): ArtifactUpload;
}

/**
 * Bytes of unknown length on their way into the store, piece by piece, one call after the other. Nothing here rejects;
 * after a failure only `abort` makes sense.
 */
export interface ArtifactUpload {
  readonly storedAs: string;
  /** Exactly `ARTIFACT_PART_BYTES`, with more to follow. They are read until the promise settles. */
  part(bytes: Uint8Array): Outcome<undefined>;
  /** The last bytes, at most a part; with no part before them they are all there is. */
  finish(last: Uint8Array): Outcome<undefined>;
  /** Waits for what is under way, then undoes all of it, a finished upload too. */
  abort(): Promise<void>;
}

const HANDLE_DIGITS = 27;
const HANDLE = /^\d{27}$/;
const encoder = new TextEncoder();

export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

/** As `digestHandle`, for content that is at hand. */
export async function artifactHandle(
  ring: KeyRing,
  principal: string,
  toolId: string,
  mediaType: string,
  bytes: Uint8Array,
): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return digestHandle(ring, principal, toolId, mediaType, hexOf(digest));
}

/**
 * The handle of one content (by its SHA-256, 64 hexadecimal digits) of one tool for one principal: 27 decimal digits out of
 * a MAC, so that the same content has the same handle and nobody can compute another's. A handle opens nothing outside its
 * principal's own artifacts. After a rotation the same content gets a new handle, and old ones stay good, since they are
 * looked up and not verified.
 */
export async function digestHandle(
  ring: KeyRing,
  principal: string,
  toolId: string,
  mediaType: string,
  sha256: string,
): Promise<string> {
  const message = JSON.stringify([principal, toolId, mediaType, sha256]);
  const mac = decodeBase64url(await signMac(ring.current, encoder.encode(message)));
  let value = 0n;
  for (const byte of mac.ok ? mac.value : []) value = (value << 8n) | BigInt(byte);
  return (value % 10n ** BigInt(HANDLE_DIGITS)).toString().padStart(HANDLE_DIGITS, "0");
}
