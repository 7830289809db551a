import type { GoneWriting } from "./artifact.ts";
import type { Bucket } from "./bucket.ts";
import { GONE_METADATA, recordOf } from "./object-record.ts";
import { classOfName, DEFAULT_CLASS_DAYS, keyOf, nameOfHandle } from "./stored-name.ts";

/**
 * Deletes writings that gave way, and gives those that are gone. R2 deletes without a condition, and another
 * call may write the same bytes under the handle in that very moment; but it writes with one. So what stands under the
 * handle is overwritten by nothing, if it is still the writing that is meant; the bucket's rule takes that away with its
 * class. An upload has its name for itself, and is deleted.
 */
export async function retire(
  bucket: Bucket,
  owner: string,
  gone: readonly GoneWriting[],
): Promise<GoneWriting[]> {
  const tried = await Promise.allSettled(gone.map((writing) => retireOne(bucket, owner, writing)));
  const failure = tried.find(({ status }) => status === "rejected");
  const done = gone.filter((_, index) => tried[index]?.status === "fulfilled");
  if (failure?.status === "rejected" && done.length === 0) throw failure.reason;
  return done;
}

async function retireOne(
  bucket: Bucket,
  owner: string,
  { handle, expiresAtMs, storedAs }: GoneWriting,
): Promise<void> {
  const days = storedAs === undefined ? DEFAULT_CLASS_DAYS : classOfName(storedAs);
  if (days === null) return;
  const name = nameOfHandle(days, handle);
  const key = keyOf(owner, name);
  if (key === null) return;
  const object = await bucket.head(key);
  if (object !== null && recordOf(handle, name, object).expiresAtMs === expiresAtMs) {
    // An etag would not do: the same bytes written anew have the same one.
    const uploadedBefore = new Date(object.uploaded.getTime() + 1);
    await bucket.put(key, new Uint8Array(), { onlyIf: { uploadedBefore }, customMetadata: GONE_METADATA });
  }
  const upload = storedAs === undefined || storedAs === name ? null : keyOf(owner, storedAs);
  if (upload !== null) await bucket.delete([upload]);
}
