import type { ArtifactStore } from "./artifact.ts";
import { bucketArtifacts, type BucketArtifactsPorts } from "./bucket-artifacts.ts";
import { hexOf, type RunningDigest } from "./running-digest.ts";
import { DEFAULT_CLASS_DAYS } from "./stored-name.ts";

/** What this room adds to the Worker's environment. */
export interface ArtifactBindings {
  readonly ARTIFACTS: R2Bucket;
}

/** Artifacts in R2. Nothing here throws. */
export function r2ArtifactStore(
  bucket: R2Bucket,
  { classDays = DEFAULT_CLASS_DAYS, ...ports }: Partial<BucketArtifactsPorts> = {},
): ArtifactStore {
  return bucketArtifacts(bucket, {
    classDays,
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    sleep: (delayMs) =>
      new Promise((resolve) => {
        setTimeout(resolve, delayMs);
      }),
    ...ports,
  });
}

/** The platform's own digest: about 1 GB/s, which plain code does a tenth of. */
export function platformDigest(): RunningDigest {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  return {
    update: (bytes) => writer.write(bytes),
    finish: async () => {
      await writer.close();
      return hexOf(new Uint8Array(await stream.digest));
    },
  };
}
