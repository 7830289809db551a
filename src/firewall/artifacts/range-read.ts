import type { Bucket, StoredObject } from "./bucket.ts";
import { isGone } from "./object-record.ts";
import { keyOf } from "./stored-name.ts";

/**
 * Bytes of what stands under a name, fewer at its end; `null` where nothing does. A handle's own name may have become that of
 * a pointer since its row was written, whose few bytes are not what was asked for, and of which most ranges are none.
 * Rejects where the bucket does.
 */
export async function readRange(
  bucket: Bucket,
  owner: string,
  storedAs: string,
  range: { readonly offset: number; readonly length: number },
): Promise<Uint8Array | null> {
  const key = keyOf(owner, storedAs);
  if (key === null) return null;
  try {
    const object = await bucket.get(key, { range });
    const target = targetOf(owner, object);
    if (object !== null && isGone(object)) return null;
    return await bytesOf(target === null ? object : await bucket.get(target, { range }));
  } catch (error) {
    const standing = await bucket.head(key);
    if (standing !== null && isGone(standing)) return null;
    const target = targetOf(owner, standing);
    if (target === null) throw error;
    return bytesOf(await bucket.get(target, { range }));
  }
}

function targetOf(owner: string, object: StoredObject | null): string | null {
  const storedAs = object?.customMetadata?.["at"];
  return storedAs === undefined ? null : keyOf(owner, storedAs);
}

async function bytesOf(object: { arrayBuffer(): Promise<ArrayBuffer> } | null): Promise<Uint8Array | null> {
  return object === null ? null : new Uint8Array(await object.arrayBuffer());
}
