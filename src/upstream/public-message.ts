import type { UpstreamFailure } from "../errors.ts";
import { UPSTREAM_MESSAGE_MAX_CODE_POINTS } from "../limits.ts";

/** Runs of white space and of characters that move a cursor, colour a terminal or turn a line around. */
const BLANK_RUN = /[\s\p{Cc}\u200b\u2028-\u202e\u2066-\u2069\ufeff]+/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Seed 000 §3.4: any text as one line without control characters, of at most 256 code points, the last an ellipsis where
 * it was cut. It hides no secret and is no licence to show a backend's words to a model.
 */
export function redactDetail(text: string): string {
  const line = text.replace(LONE_SURROGATE, "\ufffd").replace(BLANK_RUN, " ").trim();
  const points = Array.from(line);
  if (points.length <= UPSTREAM_MESSAGE_MAX_CODE_POINTS) return line;
  return `${points.slice(0, UPSTREAM_MESSAGE_MAX_CODE_POINTS - 1).join("")}…`;
}

/** What a model may read about a failure: our own words, and numbers; never the backend's. */
export function publicMessage(failure: UpstreamFailure): string {
  if (failure.reason === "http_status")
    return `the upstream server answered with HTTP status ${failure.status}`;
  if (failure.reason === "rpc_error")
    return `the upstream server answered with JSON-RPC error ${failure.code}`;
  return FIXED[failure.reason];
}

const FIXED: Readonly<Record<Exclude<UpstreamFailure["reason"], "http_status" | "rpc_error">, string>> = {
  timeout: "the upstream server did not answer in time",
  cancelled: "the call was cancelled before the upstream server answered",
  unreachable: "the upstream server is unavailable",
  rate_limited: "the upstream server limits the rate of calls",
  unauthorized: "the upstream server refused the gateway's credentials",
  forbidden: "the upstream server does not permit this call",
  unknown_tool: "the upstream server no longer has this tool",
  too_large: "the upstream server's answer is too large",
  refused_address: "the upstream server's address is not allowed",
  refused_redirect: "the upstream server redirects to where the gateway does not follow",
  protocol: "the upstream server's answer is not a legal MCP answer",
};
