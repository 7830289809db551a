import { fail, ok, type Result } from "../../result.ts";
import type { ArtifactsUnreachable, ArtifactUpload } from "./artifact.ts";
import type { Bucket, MultipartUpload, UploadedPart } from "./bucket.ts";

/**
 * An upload under one key. R2 takes no stream of unknown length: what fits into one part is put at the end, and more than
 * that is a multipart upload, which is begun with its first part. Nothing can be seen under the key before `finish`.
 */
export function openBucketUpload(bucket: Bucket, key: string, storedAs: string): ArtifactUpload {
  const parts: UploadedPart[] = [];
  let multipart: MultipartUpload | undefined;
  let finished = false;
  /** What is under way: an undoing that overtook it would leave behind what it writes. */
  let underWay: Promise<unknown> = Promise.resolve();

  const send = async (bytes: Uint8Array) => {
    multipart ??= await bucket.createMultipartUpload(key);
    parts.push(await multipart.uploadPart(parts.length + 1, bytes));
  };
  const complete = async (last: Uint8Array) => {
    // From here on the object may be there, whatever is heard of it.
    if (parts.length === 0) {
      finished = true;
      await bucket.put(key, last, {});
    } else {
      await send(last);
      finished = true;
      await multipart?.complete(parts);
    }
  };
  const attempt = (work: () => Promise<void>): Promise<Result<undefined, ArtifactsUnreachable>> => {
    const tried = work().then(
      () => ok(undefined),
      (error: unknown) =>
        fail<ArtifactsUnreachable>({ reason: "artifacts_unreachable", detail: String(error) }),
    );
    underWay = tried;
    return tried;
  };
  return {
    storedAs,
    part: (bytes) => attempt(() => send(bytes)),
    finish: (last) => attempt(() => complete(last)),
    abort: async () => {
      await underWay;
      // Best effort: an upload that stays unfinished is given up by the bucket, and an object lapses with its class.
      if (multipart !== undefined) await attempt(multipart.abort.bind(multipart));
      if (finished) await attempt(() => bucket.delete([key]));
      parts.length = 0;
      multipart = undefined;
      finished = false;
    },
  };
}
