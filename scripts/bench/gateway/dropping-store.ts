import type { ArtifactStore, ArtifactUpload, NewArtifact } from "../../../src/firewall/artifacts/artifact.ts";
import { ok } from "../../../src/result.ts";

const record = (artifact: NewArtifact) => ok({ ...artifact, expiresAtMs: Number.MAX_SAFE_INTEGER });

/** A store that takes everything and keeps nothing: what is measured is the way there. */
export const DROPPING_STORE: ArtifactStore = {
  put: async (_owner, artifact) => record(artifact),
  adopt: async (_owner, artifact) => record(artifact),
  find: async () => ok(null),
  read: async () => ok(null),
  remove: async () => ok(undefined),
  retire: async () => ok([]),
  openUpload: droppingUpload,
};

export function droppingUpload(): ArtifactUpload {
  return {
    storedAs: "d7/x",
    part: async () => ok(undefined),
    finish: async () => ok(undefined),
    abort: async () => undefined,
  };
}
