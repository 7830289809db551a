import { ARTIFACT_REMOVE_MAX_KEYS } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import {
  type ArtifactPlace,
  type ArtifactRecord,
  type ArtifactStore,
  type ArtifactsUnreachable,
  isHandle,
} from "./artifact.ts";
import type { Bucket } from "./bucket.ts";
import { openBucketUpload } from "./bucket-upload.ts";
import { claimHandle } from "./claim.ts";
import { recordOf } from "./object-record.ts";
import { readRange } from "./range-read.ts";
import { retire } from "./retire.ts";
import {
  classesFrom,
  type ClassDays,
  DEFAULT_CLASS_DAYS,
  keyOf,
  nameOfHandle,
  nameOfUpload,
} from "./stored-name.ts";

export interface BucketArtifactsPorts {
  /** The class of what is written from now on; what was written in others is still found. */
  readonly classDays: ClassDays;
  /** Epoch milliseconds. */
  now(): number;
  /** Unique for ever, and not to be guessed. */
  newId(): string;
  sleep(delayMs: number): Promise<void>;
}

/**
 * Artifacts in a bucket under `d1|d7|d30/<owner>/<handle>`: found by owner and handle alone, so that a view works before the
 * ledger knows of the artifact. What an object says of its expiry counts; the bucket's rule for the prefix is a day longer.
 */
export function bucketArtifacts(bucket: Bucket, ports: BucketArtifactsPorts): ArtifactStore {
  const { classDays } = ports;

  /** What stands under a handle in one class, while it lives. */
  const look = async (owner: string, handle: string, days: ClassDays): Promise<ArtifactRecord | null> => {
    const storedAs = nameOfHandle(days, handle);
    const key = keyOf(owner, storedAs);
    const object = key === null ? null : await bucket.head(key);
    const record = object === null ? null : recordOf(handle, storedAs, object);
    return record !== null && record.expiresAtMs > ports.now() ? record : null;
  };

  return {
    put: (owner, artifact, bytes, goneUntilMs = 0) => {
      const storedAs = nameOfHandle(classDays, artifact.handle);
      return attempt(() =>
        claimHandle(bucket, ports, owner, { ...artifact, storedAs }, bytes, { goneUntilMs }),
      );
    },
    adopt: async (owner, artifact, goneUntilMs = 0) => {
      let mayStand = false;
      const doubt = () => {
        mayStand = true;
      };
      const claimed = await attempt(() =>
        claimHandle(bucket, ports, owner, artifact, null, { goneUntilMs, doubt }),
      );
      // After a write that failed nobody knows which upload the handle names in the end, so this one stays until it lapses.
      const isUseless = claimed.ok ? claimed.value.storedAs !== artifact.storedAs : !mayStand;
      if (isUseless) {
        const again = () => attempt(() => remove(bucket, owner, [artifact.storedAs]));
        if (!(await again()).ok) await again();
      }
      return claimed;
    },
    find: (owner, handle) =>
      attempt(async () => {
        if (!isHandle(handle)) return null;
        // Nearly always it is in the class that is written now; the others are asked at the price of a head each.
        const [first, ...others] = classesFrom(classDays);
        const near = first === undefined ? null : await look(owner, handle, first);
        if (near !== null) return near;
        const far = await Promise.all(others.map((days) => look(owner, handle, days)));
        return far.find((record) => record !== null) ?? null;
      }),
    read: (owner, place, offset, length) =>
      attempt(() => readRange(bucket, owner, nameOf(place), { offset, length })),
    remove: (owner, names) => attempt(() => remove(bucket, owner, names)),
    retire: (owner, gone) => attempt(() => retire(bucket, owner, gone)),
    openUpload: (owner) => {
      const storedAs = nameOfUpload(classDays, ports.newId());
      return openBucketUpload(bucket, keyOf(owner, storedAs) ?? "", storedAs);
    },
  };
}

function nameOf({ handle, storedAs }: ArtifactPlace): string {
  return storedAs ?? nameOfHandle(DEFAULT_CLASS_DAYS, handle);
}

/** Deletions cost nothing, those of nothing neither. */
async function remove(bucket: Bucket, owner: string, names: readonly string[]): Promise<undefined> {
  const keys = names.map((name) => keyOf(owner, name)).filter((key) => key !== null);
  for (let from = 0; from < keys.length; from += ARTIFACT_REMOVE_MAX_KEYS) {
    await bucket.delete(keys.slice(from, from + ARTIFACT_REMOVE_MAX_KEYS));
  }
}

async function attempt<Value>(work: () => Promise<Value>): Promise<Result<Value, ArtifactsUnreachable>> {
  try {
    return ok(await work());
  } catch (error) {
    return fail({ reason: "artifacts_unreachable", detail: String(error) });
  }
}
