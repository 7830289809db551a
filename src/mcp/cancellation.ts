import { memberOf } from "../json.ts";
import { CANCEL_REASON_MAX_CHARS } from "../limits.ts";
import { isRequestId, requestIdKey } from "../spine/frame/request-id.ts";
import { truncateChars } from "../spine/render/truncate.ts";

/** A caller's word that it waits no longer for one of its requests. */
export interface Cancellation {
  readonly requestKey: string;
  readonly reason: string | undefined;
}

/** Reads `notifications/cancelled` (MCP 2025-11-25, "Cancellation"); undefined for every other message and for one that names no request. */
export function readCancellation(message: unknown): Cancellation | undefined {
  if (memberOf(message, "method") !== "notifications/cancelled") return undefined;
  // With an id it is a request of a method that nobody has.
  if (memberOf(message, "id") !== undefined) return undefined;
  const params = memberOf(message, "params");
  const requestId = memberOf(params, "requestId");
  if (!isRequestId(requestId)) return undefined;
  const reason = memberOf(params, "reason");
  return {
    requestKey: requestIdKey(requestId),
    reason: typeof reason === "string" ? truncateChars(reason, CANCEL_REASON_MAX_CHARS).text : undefined,
  };
}
