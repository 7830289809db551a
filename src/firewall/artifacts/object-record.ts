import type { ArtifactRecord, UploadedArtifact } from "./artifact.ts";
import type { PutOptions, StoredObject } from "./bucket.ts";
import { classOfName, DEFAULT_CLASS_DAYS, lifetimeMs, nameOfHandle } from "./stored-name.ts";

/** Beside the nothing that overwrote what gave way: it expired long ago. */
export const GONE_METADATA: Record<string, string> = { expires: "0" };

type Described = Omit<UploadedArtifact, "handle"> & Pick<ArtifactRecord, "expiresAtMs">;

/**
 * What stands beside the object under a handle. Where the bytes are another object's, it names that one and their size: R2
 * renames nothing, and the handle is known only once all of them went by.
 */
export function metadataOf(
  artifact: Described,
  points: boolean,
): Pick<Required<PutOptions>, "httpMetadata" | "customMetadata"> {
  const { toolId, mediaType, sizeBytes, lines, lineIndex, expiresAtMs, storedAs } = artifact;
  return {
    httpMetadata: { contentType: mediaType },
    customMetadata: {
      tool: toolId,
      expires: String(expiresAtMs),
      ...(lines === null ? {} : { lines: String(lines), index: lineIndex }),
      ...(points ? { at: storedAs, size: String(sizeBytes) } : {}),
    },
  };
}

/** The record beside an object that was found under `storedAs`, which is its handle's name. */
export function recordOf(handle: string, storedAs: string, object: StoredObject): ArtifactRecord {
  const { tool, expires, lines, index, at, size } = object.customMetadata ?? {};
  const days = classOfName(storedAs) ?? DEFAULT_CLASS_DAYS;
  return {
    handle,
    toolId: tool ?? "",
    mediaType: object.httpMetadata?.contentType ?? "application/octet-stream",
    sizeBytes: at === undefined ? object.size : (countOf(size) ?? 0),
    lines: countOf(lines),
    lineIndex: index ?? "",
    expiresAtMs: countOf(expires) ?? object.uploaded.getTime() + lifetimeMs(days),
    storedAs: at ?? storedAs,
  };
}

/** Whether the bytes of what was found under its handle's own name are another object's. */
export function isPointer({ handle, storedAs = "" }: ArtifactRecord): boolean {
  const days = classOfName(storedAs);
  return days !== null && storedAs !== nameOfHandle(days, handle);
}

/** Whether this is what overwrote bytes that gave way. */
export function isGone(object: StoredObject): boolean {
  return object.customMetadata?.["expires"] === GONE_METADATA["expires"];
}

function countOf(text: string | undefined): number | null {
  const count = Number(text ?? "x");
  return Number.isSafeInteger(count) && count >= 0 ? count : null;
}
