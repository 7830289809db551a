import { ARTIFACT_LIFETIME_SECONDS } from "../../limits.ts";
import type { KeyRing } from "../../mac.ts";
import { ok } from "../../result.ts";
import { type ArtifactRecord, artifactHandle, type ArtifactStore } from "./artifact.ts";
import { indexLines } from "./line-index.ts";
import type { Keep } from "../present.ts";

export interface KeeperOptions {
  readonly store: ArtifactStore;
  readonly ring: KeyRing;
  readonly principal: string;
  /** The principal's hashed name. */
  readonly owner: string;
  readonly toolId: string;
  readonly nowMs: number;
}

/**
 * Writes artifacts of one call. The bytes are in place before the answer names them: the ledger's row comes after it, and
 * a view that is faster finds what it needs beside the bytes.
 */
export function createKeeper(options: KeeperOptions): Keep {
  const { store, ring, principal, owner, toolId, nowMs } = options;
  return async function keep({ bytes, mediaType, text }) {
    const { lines, index } = text === undefined ? { lines: null, index: "" } : indexLines(bytes);
    const record: ArtifactRecord = {
      handle: await artifactHandle(ring, principal, toolId, mediaType, bytes),
      toolId,
      mediaType,
      sizeBytes: bytes.length,
      lines,
      lineIndex: index,
      expiresAtMs: nowMs + ARTIFACT_LIFETIME_SECONDS * 1000,
    };
    const written = await store.put(owner, record, bytes);
    return written.ok ? ok(record) : written;
  };
}
