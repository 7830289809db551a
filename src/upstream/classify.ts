import type { Outcome, UpstreamFailure } from "../errors.ts";
import { UPSTREAM_DETAIL_MAX_CHARS } from "../limits.ts";
import type { RpcError, WireFault } from "./wire-fault.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND } from "../spine/frame/rpc-code.ts";

/** What is known of the request when it failed. */
export interface FaultContext {
  /** Whether the request that matters was handed to the network. */
  readonly sent: boolean;
  /** For a request about one thing that the upstream may not know. */
  readonly asked?: Asked;
}

/** What a request is about, by the upstream's own name: of a resource its URI. */
export interface Asked {
  readonly method: "tools/call" | "resources/read" | "prompts/get";
  readonly name: string;
}

/** What the Python SDK gives any error that is not the protocol's own. */
const NO_CODE = 0;

/**
 * Statuses with which an HTTP server turns a request away unread or unauthorised. Not among them: 400 (applications use
 * it for their own errors too), 502 and 503 (proxies also say so when a connection broke in the middle of a call), 408 and
 * 504 (someone waited), 5xx in general.
 */
const TURNED_AWAY: ReadonlySet<number> = new Set([
  401, 403, 404, 405, 406, 411, 413, 414, 415, 421, 426, 429, 431,
]);

/**
 * Maps what happened on the wire to why there is no usable answer and what is known of the side effect (seed 000 §3.4;
 * `docs`: errors). Only kinds, statuses and codes decide; no reason is read from words, bar the name of what is unknown.
 */
export function classifyFault(fault: WireFault, context: FaultContext): UpstreamFailure {
  // For memory only: what shows a detail scrubs it first and cuts it then.
  const detail = fault.detail.slice(0, UPSTREAM_DETAIL_MAX_CHARS);
  const base = (known: Outcome) => ({ outcome: context.sent ? known : ("not_dispatched" as const), detail });
  switch (fault.kind) {
    case "refused_address":
      return { ...base("not_dispatched"), reason: "refused_address" };
    case "refused_redirect":
      // A 303 is how a server answers a POST that it has carried out; 301 and 302 are often meant so.
      return { ...base(isUnread(fault.status) ? "not_dispatched" : "unknown"), reason: "refused_redirect" };
    case "bad_headers":
      return { ...base("not_dispatched"), reason: "protocol" };
    case "deadline":
      return { ...base("unknown"), reason: "timeout" };
    case "cancelled":
      return { ...base("unknown"), reason: "cancelled" };
    case "network":
      return { ...base(fault.connected ? "unknown" : "not_dispatched"), reason: "unreachable" };
    case "status":
      if (fault.rpc?.ours === true && !DECIDED_BY_STATUS.has(fault.status)) {
        return { ...base("completed"), ...rpcReason(fault.rpc, context) };
      }
      return { ...base(statusOutcome(fault)), ...statusReason(fault.status, fault.retryAfterSeconds) };
    case "rpc":
      return { ...base("completed"), ...rpcReason(fault.error, context) };
    case "too_large":
      return { ...base(fault.drained ? "completed" : "unknown"), reason: "too_large" };
    case "protocol":
      break;
  }
  return { ...base(fault.answered ? "completed" : "unknown"), reason: "protocol" };
}

const isUnread = (status: number) => status === 307 || status === 308;

type StatusFault = Extract<WireFault, { kind: "status" }>;

/** A 400 whose JSON-RPC error answers no request in particular came from the transport, which reads before anything runs. */
function statusOutcome({ status, rpc }: StatusFault): Outcome {
  const refusedByTransport = status === 400 && rpc !== null && !rpc.ours;
  return refusedByTransport || TURNED_AWAY.has(status) ? "not_dispatched" : "unknown";
}

/** Statuses that say more than the JSON-RPC error in their body. */
const DECIDED_BY_STATUS: ReadonlySet<number> = new Set([401, 403, 408, 429, 502, 503, 504]);

type Reason =
  | { readonly reason: "timeout" | "unauthorized" | "forbidden" }
  | { readonly reason: "unreachable"; readonly retryAfterSeconds?: number }
  | { readonly reason: "rate_limited"; readonly retryAfterSeconds: number | null }
  | { readonly reason: "http_status"; readonly status: number };

function statusReason(status: number, retryAfterSeconds: number | null): Reason {
  switch (status) {
    case 401:
      return { reason: "unauthorized" };
    case 403:
      return { reason: "forbidden" };
    case 429:
      return { reason: "rate_limited", retryAfterSeconds };
    case 408:
    case 504:
      return { reason: "timeout" };
    case 502:
    case 503:
      return { reason: "unreachable", ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
    default:
      return { reason: "http_status", status };
  }
}

function rpcReason(
  error: RpcError,
  context: FaultContext,
): { readonly reason: "unknown_tool" } | { readonly reason: "rpc_error"; readonly code: number } {
  return isUnknown(error, context.asked)
    ? { reason: "unknown_tool" }
    : { reason: "rpc_error", code: error.code };
}

/**
 * −32601: the server has none of that kind, or not this one. −32602 says that some parameter is wrong, the name or an
 * argument; only a message that is the specification's wording or the SDKs', about this very name and nothing else, means
 * the name.
 */
function isUnknown({ code, message }: RpcError, asked: Asked | undefined): boolean {
  if (asked === undefined) return false;
  const { method } = asked;
  if (code === METHOD_NOT_FOUND) return true;
  if (code === RESOURCE_NOT_FOUND) return method !== "tools/call";
  if (code !== INVALID_PARAMS && (code !== NO_CODE || method === "tools/call")) return false;
  const said = plain(message.replace(/^MCP error -32602: /, ""));
  const name = plain(asked.name);
  const kind = KINDS[method];
  return [
    `unknown ${kind}`,
    `unknown ${kind}: ${name}`,
    `unknown ${kind} ${name}`,
    `${kind} ${name} not found`,
    `${kind} not found: ${name}`,
    `${kind} ${name} disabled`,
  ].includes(said);
}

const KINDS = { "tools/call": "tool", "resources/read": "resource", "prompts/get": "prompt" } as const;

const plain = (text: string) => text.replace(/["'`]/g, "").replace(/\.$/, "").trim().toLowerCase();
