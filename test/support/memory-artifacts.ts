import type {
  ArtifactRecord,
  ArtifactStore,
  ArtifactUpload,
  NewArtifact,
} from "../../src/firewall/artifacts/artifact.ts";
import { fail, ok } from "../../src/result.ts";

const WEEK_MS = 7 * 86_400_000;
const unreachable = fail({ reason: "artifacts_unreachable", detail: "r2 said 10001" } as const);

export interface MemoryArtifacts extends ArtifactStore {
  /** Under `owner/handle`. */
  readonly objects: Map<string, { readonly record: ArtifactRecord; readonly bytes: Uint8Array }>;
  /** Finished uploads that nobody has adopted, under `owner/` and their name. */
  readonly uploads: Map<string, Uint8Array>;
  readonly calls: string[];
  /** Nothing answers. */
  broken: boolean;
}

/**
 * A store in memory that counts what is asked of it, and refuses what R2 refuses: an empty range, and one behind the end.
 * What is put is written again each time, so that tests see it.
 */
export function memoryArtifacts(now: () => number): MemoryArtifacts {
  const objects: MemoryArtifacts["objects"] = new Map();
  const uploads: MemoryArtifacts["uploads"] = new Map();
  const calls: string[] = [];
  let names = 0;
  const keep = (owner: string, artifact: NewArtifact, storedAs: string, bytes: Uint8Array) => {
    const record = { ...artifact, storedAs, expiresAtMs: now() + WEEK_MS };
    objects.set(`${owner}/${artifact.handle}`, { record, bytes });
    return ok(record);
  };
  const store: MemoryArtifacts = {
    objects,
    uploads,
    calls,
    broken: false,
    put: async (owner: string, artifact: NewArtifact, bytes: Uint8Array) => {
      calls.push("put");
      return store.broken ? unreachable : keep(owner, artifact, `d7/${artifact.handle}`, bytes.slice());
    },
    adopt: async (owner, artifact) => {
      calls.push("adopt");
      const known = objects.get(`${owner}/${artifact.handle}`);
      const key = `${owner}/${artifact.storedAs}`;
      const bytes = uploads.get(key);
      if (store.broken) return unreachable;
      uploads.delete(key);
      if (known !== undefined) return ok(known.record);
      if (bytes === undefined) throw new Error(`there is no upload ${artifact.storedAs}`);
      return keep(owner, artifact, artifact.storedAs, bytes);
    },
    find: async (owner: string, handle: string) => {
      calls.push("find");
      return store.broken ? unreachable : ok(objects.get(`${owner}/${handle}`)?.record ?? null);
    },
    read: async (owner, { handle }, offset: number, length: number) => {
      calls.push("read");
      if (store.broken) return unreachable;
      const object = objects.get(`${owner}/${handle}`);
      if (object === undefined) return ok(null);
      if (length < 1 || offset >= object.bytes.length) throw new RangeError("the range is not satisfiable");
      return ok(object.bytes.slice(offset, offset + length));
    },
    remove: async (owner, names) => {
      calls.push("remove");
      if (store.broken) return unreachable;
      for (const storedAs of names) uploads.delete(`${owner}/${storedAs}`);
      return ok(undefined);
    },
    retire: async (owner, gone) => {
      calls.push("retire");
      if (store.broken) return unreachable;
      for (const { handle } of gone) objects.delete(`${owner}/${handle}`);
      return ok([...gone]);
    },
    openUpload: (owner: string): ArtifactUpload => {
      const storedAs = `d7/x${String((names += 1)).padStart(32, "0")}`;
      let parts: Uint8Array<ArrayBuffer>[] = [];
      return {
        storedAs,
        part: async (bytes) => {
          calls.push("part");
          if (store.broken) return unreachable;
          parts.push(Uint8Array.from(bytes));
          return ok(undefined);
        },
        finish: async (last) => {
          calls.push("finish");
          if (store.broken) return unreachable;
          const whole = new Blob([...parts, Uint8Array.from(last)]);
          uploads.set(`${owner}/${storedAs}`, new Uint8Array(await whole.arrayBuffer()));
          return ok(undefined);
        },
        abort: async () => {
          calls.push("abort");
          parts = [];
          uploads.delete(`${owner}/${storedAs}`);
        },
      };
    },
  };
  return store;
}
