import { ARTIFACTS_SCOPE } from "./limit-scopes.ts";

/** Why nothing can be read, or no call made, for what is kept of results: what the caller is told beside the message. */

export const NOTHING_KEPT = "nothing is kept under this handle";
export const ARTIFACTS_FULL = "what is kept of results has reached its quota";

/** `gaveWay`: the caller's own was under the handle, and went before its time. */
export function noArtifactDetails(gaveWay = false): Readonly<Record<string, unknown>> {
  return {
    ...(gaveWay
      ? { problem: "it was deleted before its time: newer results needed the room, or an operator freed it" }
      : {}),
    try: "execute the tool again and use the handle it answers with",
  };
}

/** `retryAfterMs`: until something that is kept expires, or a call under way is over. */
export function artifactsFullDetails(retryAfterMs: number | null): Readonly<Record<string, unknown>> {
  return {
    scope: ARTIFACTS_SCOPE,
    retry_after: retryAfterMs === null ? null : retryAfterMs / 1000,
    try: "wait, or ask the operator to free what is kept, to raise artifacts.max_bytes, or to set on_full to evict",
  };
}
