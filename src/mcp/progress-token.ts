import { decimalOf, isInteger } from "../exact-json/decimal.ts";
import { memberOf } from "../json.ts";
import { PROGRESS_TOKEN_MAX_CHARS } from "../limits.ts";
import { isRequestId, type RequestId, requestIdText } from "../spine/frame/request-id.ts";

/**
 * The token under which a request asks for its progress (MCP 2025-11-25, "Progress"): a string or a whole number, as it
 * was written. Undefined where there is none, and for one that is too long to be repeated in every notification.
 */
export function progressTokenOf(params: unknown): RequestId | undefined {
  const token = memberOf(memberOf(params, "_meta"), "progressToken");
  if (!isRequestId(token)) return undefined;
  if (typeof token === "string") return token.length <= PROGRESS_TOKEN_MAX_CHARS ? token : undefined;
  const text = requestIdText(token);
  return text.length <= PROGRESS_TOKEN_MAX_CHARS && isInteger(decimalOf(text)) ? token : undefined;
}
