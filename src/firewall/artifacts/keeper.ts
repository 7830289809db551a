import type { LargePayload, NotKept } from "../../large-result.ts";
import type { KeyRing } from "../../mac.ts";
import { fail } from "../../result.ts";
import type { Keep } from "../present.ts";
import type { Keepsake } from "../result/keepsake.ts";
import { artifactHandle, type ArtifactStore, digestHandle } from "./artifact.ts";
import { indexLines } from "./line-index.ts";

export interface KeeperOptions {
  readonly store: ArtifactStore;
  readonly ring: KeyRing;
  readonly principal: string;
  /** The principal's hashed name. */
  readonly owner: string;
  readonly toolId: string;
}

/**
 * Writes artifacts of one call, or gives their handles to those whose bytes are in the store already. The bytes are in place
 * before the answer names them: the ledger's row comes after it, and a view that is faster finds what it needs beside the
 * bytes. A large payload that is not given to it is to be removed by whoever lets it go (`discardLarge`).
 */
export function createKeeper(
  options: KeeperOptions,
): (keepsake: Keepsake, goneUntilMs?: number) => ReturnType<Keep> {
  return (keepsake, goneUntilMs = 0) =>
    keepsake.large === undefined
      ? put(options, keepsake, goneUntilMs)
      : adopt(options, keepsake, keepsake.large, goneUntilMs);
}

/** Deletes the bytes of payloads that nobody keeps. Best effort: what stays lapses with its class. */
export async function discardLarge(
  { store, owner }: Pick<KeeperOptions, "store" | "owner">,
  payloads: readonly LargePayload[],
): Promise<void> {
  const names = payloads.flatMap(({ stored }) => (stored.ok ? [stored.value.storedAs] : []));
  if (names.length > 0) await store.remove(owner, names);
}

async function put(
  { store, ring, principal, owner, toolId }: KeeperOptions,
  { bytes, mediaType, text }: Keepsake,
  goneUntilMs: number,
): ReturnType<Keep> {
  const { lines, index } = text === undefined ? { lines: null, index: "" } : indexLines(bytes);
  const handle = await artifactHandle(ring, principal, toolId, mediaType, bytes);
  const sizeBytes = bytes.length;
  const artifact = { handle, toolId, mediaType, sizeBytes, lines, lineIndex: index };
  return store.put(owner, artifact, bytes, goneUntilMs);
}

async function adopt(
  { store, ring, principal, owner, toolId }: KeeperOptions,
  { mediaType }: Keepsake,
  { stored, sizeBytes }: LargePayload,
  goneUntilMs: number,
): ReturnType<Keep> {
  if (!stored.ok) {
    return fail({ reason: "not_kept", why: stored.reason, detail: `${toolId}: ${DETAILS[stored.reason]}` });
  }
  const { sha256, lines, lineIndex, storedAs } = stored.value;
  const handle = await digestHandle(ring, principal, toolId, mediaType, sha256);
  const artifact = { handle, toolId, mediaType, sizeBytes, lines, lineIndex, storedAs };
  return store.adopt(owner, artifact, goneUntilMs);
}

const DETAILS: Readonly<Record<NotKept, string>> = {
  too_long: "a payload is longer than an artifact may be",
  no_room: "the isolate has no room left for a payload",
  store_failed: "the artifact store did not take a payload",
  too_many: "the result has more payloads than artifacts may be",
};
