import { ARTIFACT_WRITE_RETRY_MS } from "../../limits.ts";
import type { ArtifactRecord, UploadedArtifact } from "./artifact.ts";
import type { Bucket } from "./bucket.ts";
import { isPointer, metadataOf, recordOf } from "./object-record.ts";
import { classOfName, DEFAULT_CLASS_DAYS, keyOf, lifetimeMs, nameOfHandle } from "./stored-name.ts";

export interface ClaimPorts {
  /** Epoch milliseconds. */
  now(): number;
  sleep(delayMs: number): Promise<void>;
}

export interface ClaimOptions {
  /** What expires then or before may be deleted soon, and is not relied on. */
  readonly goneUntilMs: number;
  /** Told of a write that failed and may have counted all the same. */
  readonly doubt?: () => void;
}

/** What stands under a handle, and what a write over it is bound to. */
interface Standing {
  /** `null` where nothing stands there. */
  readonly etag: string | null;
  /** Only of what may be used for longer: the same bytes need not be written again. */
  readonly record: ArtifactRecord | null;
}

/** Before each try: whoever lost a race finds what won it at once, or, while that is still being written, a little later. */
const WAITS_MS: readonly number[] = [0, 0, ARTIFACT_WRITE_RETRY_MS];
const encoder = new TextEncoder();

/**
 * Puts bytes under their handle, or (`bytes` is `null`) the name of the finished upload that has them, unless what stands
 * there already has at least half of its class's life left. Gives the record of what stands there in the end, which may be
 * another's: the same handle means the same bytes. Rejects where the bucket does.
 *
 * It looks before it writes: a look costs a twelfth of a write, so that is cheaper as soon as one result in thirteen came
 * before, and those send no bytes. A write is bound to what was seen, so of racing ones a single one counts, and R2 refuses
 * a second write of one key within a second besides; either way the others find its bytes when they look again. What a
 * pointer says in its body is what it points to, so that no two of them have one etag.
 */
export async function claimHandle(
  bucket: Bucket,
  ports: ClaimPorts,
  owner: string,
  artifact: UploadedArtifact,
  bytes: Uint8Array | null,
  { goneUntilMs, doubt }: ClaimOptions,
): Promise<ArtifactRecord> {
  const days = classOfName(artifact.storedAs) ?? DEFAULT_CLASS_DAYS;
  const name = nameOfHandle(days, artifact.handle);
  const key = keyOf(owner, name);
  if (key === null) throw new Error("this is no handle");
  let failure: unknown = "others keep writing it";
  for (const waitMs of WAITS_MS) {
    if (waitMs > 0) await ports.sleep(waitMs);
    let isWriting = false;
    try {
      const nowMs = ports.now();
      const untilMs = Math.max(nowMs + lifetimeMs(days) / 2, goneUntilMs + 1);
      const { record, etag } = await look(bucket, owner, artifact, name, key, untilMs);
      if (record !== null) return record;
      const written: ArtifactRecord = { ...artifact, expiresAtMs: nowMs + lifetimeMs(days) };
      isWriting = true;
      const object = await bucket.put(key, bytes ?? encoder.encode(artifact.storedAs), {
        onlyIf: etag === null ? { etagDoesNotMatch: "*" } : { etagMatches: etag },
        ...metadataOf({ ...artifact, expiresAtMs: written.expiresAtMs }, bytes === null),
      });
      if (object !== null) return written;
    } catch (error) {
      if (isWriting) doubt?.();
      failure = error;
    }
  }
  throw failure;
}

/** A pointer whose bytes are gone is not to be relied on; one's own are there. */
async function look(
  bucket: Bucket,
  owner: string,
  own: UploadedArtifact,
  name: string,
  key: string,
  untilMs: number,
): Promise<Standing> {
  const object = await bucket.head(key);
  if (object === null) return { etag: null, record: null };
  const record = recordOf(own.handle, name, object);
  const { etag } = object;
  if (record.expiresAtMs < untilMs) return { etag, record: null };
  if (!isPointer(record) || record.storedAs === own.storedAs) return { etag, record };
  const target = keyOf(owner, record.storedAs ?? "");
  const there = target === null ? null : await bucket.head(target);
  return { etag, record: there === null ? null : record };
}
