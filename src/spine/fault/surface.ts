import type { ReplayAllowance } from "../replay/allowance.ts";
import type { ReplayContract } from "../replay/contract.ts";
import { type RequestDisposition, requestDisposition } from "../replay/disposition.ts";
import type { ExecutionKnowledge } from "../replay/knowledge.ts";
import type { FaultClass } from "./fault-class.ts";
import type { KnownFaultCode } from "./fault-code.ts";
import type { Fault } from "./fault.ts";
import { numberOfCode } from "./numbered-code.ts";

/** The gateway's codes that a fault can have; agents branch on them. */
export const SURFACE_CODES = [
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_UNAVAILABLE",
  "UPSTREAM_ERROR",
  "AUTH_FAILED",
  "PERMISSION_DENIED",
  "RATE_LIMITED",
  "HYDRATE_FAILED",
] as const;

export type SurfaceCode = (typeof SURFACE_CODES)[number];

/** What is known of the effect, in three words for a caller. */
export const SURFACE_OUTCOMES = ["not_dispatched", "completed", "unknown"] as const;

export type SurfaceOutcome = (typeof SURFACE_OUTCOMES)[number];

/** A fault as a model reads it: our own words and numbers, and nothing of the detail. */
export interface SurfacedFault {
  readonly code: SurfaceCode;
  readonly message: string;
  /** Whether the same call, made again, may run and can fare better. */
  readonly retryable: boolean;
  readonly outcome: SurfaceOutcome;
  /** What to do about it; only where it is retryable. */
  readonly hint?: string;
}

/** What is known of the request that met the fault. */
export interface Standing {
  readonly knowledge: ExecutionKnowledge;
  readonly contract: ReplayContract;
  /** Of whoever would send it next: a request of its own, by the caller, comes with an allowance of its own. */
  readonly allowance: ReplayAllowance;
}

/**
 * The one map from faults to what a caller is told. The decision table alone says whether the call may run again, and the
 * code whether that could help; the hint of a fault is advice about a process and is not read here.
 */
export function surfaceFault(fault: Fault, { knowledge, contract, allowance }: Standing): SurfacedFault {
  const { code, message } = shown(fault);
  const disposition = requestDisposition(knowledge, contract, undefined, allowance);
  const hint = mayRun(disposition) ? RETRY_HINTS[code] : undefined;
  return {
    code,
    message,
    retryable: hint !== undefined,
    outcome: OUTCOMES[knowledge],
    ...(hint === undefined ? {} : { hint }),
  };
}

/** The codes with which a repetition can fare better, and what is said of it. The others have a cause that stays. */
const RETRY_HINTS: Readonly<Partial<Record<SurfaceCode, string>>> = {
  UPSTREAM_TIMEOUT: "the same call may be repeated",
  UPSTREAM_UNAVAILABLE: "the same call may be repeated",
  RATE_LIMITED: "the same call may be repeated after a pause",
};

const OUTCOMES: Readonly<Record<ExecutionKnowledge, SurfaceOutcome>> = {
  not_dispatched: "not_dispatched",
  in_flight: "unknown",
  completed: "completed",
  outcome_unknown: "unknown",
};

function mayRun(disposition: RequestDisposition): boolean {
  switch (disposition) {
    case "first_dispatch":
    case "replay":
      return true;
    case "await_terminal":
    case "completed":
    case "hold_for_probe":
    case "complete_from_probe":
    case "reject_ambiguous_outcome":
    case "reject_replay_exhausted":
    case "reject_unexpected_probe_resolution":
      return false;
  }
}

interface Shown {
  readonly code: SurfaceCode;
  readonly message: string;
}

function shown({ class: kind, code }: Fault): Shown {
  const { codes, other } = SHOWN[kind];
  const known = codes?.get(code);
  if (known !== undefined) return known;
  const numbered = kind === "downstream" ? numberOfCode(code) : undefined;
  if (numbered === undefined) return other;
  const what = numbered.kind === "http_status" ? "HTTP status" : "JSON-RPC error";
  return { code: other.code, message: `the upstream server answered with ${what} ${numbered.number}` };
}

/** How a class is shown: some of its codes in their own way, and all others in one. */
interface ShownClass {
  readonly codes?: ReadonlyMap<string, Shown>;
  readonly other: Shown;
}

const show = (code: SurfaceCode, message: string): Shown => ({ code, message });

const codes = (shown: Readonly<Partial<Record<KnownFaultCode, Shown>>>): ReadonlyMap<string, Shown> =>
  new Map(Object.entries(shown));

const SHOWN: Readonly<Record<FaultClass, ShownClass>> = {
  transport: {
    codes: codes({
      cancelled: show("UPSTREAM_ERROR", "the call was cancelled before the upstream server answered"),
      refused_address: show("UPSTREAM_ERROR", "the upstream server's address is not allowed"),
    }),
    other: show("UPSTREAM_UNAVAILABLE", "the upstream server is unavailable"),
  },
  process: { other: show("UPSTREAM_UNAVAILABLE", "what was to answer the call stopped") },
  protocol: {
    codes: codes({
      illegal_result: show("UPSTREAM_ERROR", "the upstream server's answer is not a legal result"),
    }),
    other: show("UPSTREAM_ERROR", "the upstream server's answer is not a legal MCP answer"),
  },
  timeout: { other: show("UPSTREAM_TIMEOUT", "the upstream server did not answer in time") },
  downstream: {
    codes: codes({
      unauthorized: show("AUTH_FAILED", "the upstream server refused the gateway's credentials"),
      forbidden: show("PERMISSION_DENIED", "the upstream server does not permit this call"),
      rate_limited: show("RATE_LIMITED", "the upstream server limits the rate of calls"),
      unknown_tool: show("HYDRATE_FAILED", "the upstream server no longer has this tool"),
      refused_redirect: show(
        "UPSTREAM_ERROR",
        "the upstream server redirects to where the gateway does not follow",
      ),
      http_status: show("UPSTREAM_ERROR", "the upstream server answered with an HTTP error"),
      rpc_error: show("UPSTREAM_ERROR", "the upstream server answered with a JSON-RPC error"),
    }),
    other: show("UPSTREAM_ERROR", "the upstream server answered with an error"),
  },
  resource: {
    codes: codes({ too_large: show("UPSTREAM_ERROR", "the upstream server's answer is too large") }),
    other: show("UPSTREAM_UNAVAILABLE", "the gateway has no room for the call now"),
  },
  replay: { other: show("UPSTREAM_UNAVAILABLE", "the call failed as often as it may be tried") },
  rollout: { other: show("UPSTREAM_UNAVAILABLE", "the upstream server is being exchanged") },
  invariant: { other: show("UPSTREAM_ERROR", "the gateway failed at this call") },
  ambiguous_outcome: { other: show("UPSTREAM_ERROR", "the call was sent, and what came of it is unknown") },
};
