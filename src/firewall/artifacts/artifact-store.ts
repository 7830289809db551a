import { fail, ok } from "../../result.ts";
import type { Result } from "../../result.ts";
import type { ArtifactRecord, ArtifactStore, ArtifactsUnreachable } from "./artifact.ts";

/** The lifetime class. The expiry beside the bytes is what counts; the bucket's rule for the prefix is a day longer. */
const CLASS = "d7";

/** What this room adds to the Worker's environment. */
export interface ArtifactBindings {
  readonly ARTIFACTS: R2Bucket;
}

type Bucket = Pick<R2Bucket, "put" | "get" | "head">;

/**
 * Artifacts in R2 under `d7/<owner>/<handle>`: found by owner and handle alone, so that a view works before the ledger
 * knows of the artifact. Writing one again renews its lifetime. Nothing here throws.
 */
export function r2ArtifactStore(bucket: Bucket): ArtifactStore {
  return {
    put: (owner, record, bytes) =>
      attempt(async () => {
        await bucket.put(keyOf(owner, record.handle), bytes, {
          httpMetadata: { contentType: record.mediaType },
          customMetadata: metadataOf(record),
        });
        return undefined;
      }),
    find: (owner, handle) =>
      attempt(async () => {
        const object = await bucket.head(keyOf(owner, handle));
        return object === null ? null : recordOf(handle, object);
      }),
    read: (owner, handle, offset, length) =>
      attempt(async () => {
        const object = await bucket.get(keyOf(owner, handle), { range: { offset, length } });
        return object === null ? null : new Uint8Array(await object.arrayBuffer());
      }),
  };
}

function keyOf(owner: string, handle: string): string {
  return `${CLASS}/${owner}/${handle}`;
}

function metadataOf(record: ArtifactRecord): Record<string, string> {
  return {
    tool: record.toolId,
    expires: String(record.expiresAtMs),
    ...(record.lines === null ? {} : { lines: String(record.lines), index: record.lineIndex }),
  };
}

function recordOf(handle: string, object: R2Object): ArtifactRecord {
  const { tool, expires, lines, index } = object.customMetadata ?? {};
  return {
    handle,
    toolId: tool ?? "",
    mediaType: object.httpMetadata?.contentType ?? "application/octet-stream",
    sizeBytes: object.size,
    lines: lines === undefined ? null : Number(lines),
    lineIndex: index ?? "",
    expiresAtMs: Number(expires ?? 0),
  };
}

async function attempt<Value>(work: () => Promise<Value>): Promise<Result<Value, ArtifactsUnreachable>> {
  try {
    return ok(await work());
  } catch (error) {
    return fail({ reason: "artifacts_unreachable", detail: String(error) });
  }
}
