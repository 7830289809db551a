import type { UpstreamFailure } from "../../errors.ts";
import type { UpstreamRequest } from "../../dispatch/ports.ts";
import { faultOfFailure, messageOfFailure } from "../../fault-of-failure.ts";
import { accountName } from "../../outbox/account-name.ts";
import type { UpstreamRecord } from "../../outbox/entry.ts";
import { createFault } from "../../spine/fault/fault.ts";
import type { Generation } from "../../spine/fault/generation.ts";
import type { LedgerOperation } from "../../spine/telemetry/operation.ts";

/** How an upstream came out of one call, all its tries together. */
export interface UpstreamTurn {
  readonly method: UpstreamRequest["method"];
  /** The configured server's name. */
  readonly server: string;
  /** Of the target that the call went to. */
  readonly generation: Generation;
  readonly ending:
    /** Whatever it says: a tool that reports an error has answered. */
    | { readonly kind: "answered" }
    /** An answer that is no legal result. */
    | { readonly kind: "illegal_result" }
    | { readonly kind: "failed"; readonly failure: UpstreamFailure };
  /** How often the call was sent; 0 where the server could not even be addressed. */
  readonly attempts: number;
  /** How the tries ended that another one was made after, as far as that is known. */
  readonly overcome?: readonly UpstreamFailure[];
  readonly latencyMs: number;
}

/**
 * One call in the account of its upstream, from its request to its ending: nothing is left in flight by it. A fault stands
 * before the replay that it called for, so that those count that a later try made good.
 */
export function upstreamRecord({
  method,
  server,
  generation,
  ending,
  attempts,
  overcome = [],
  latencyMs,
}: UpstreamTurn): UpstreamRecord {
  const replays = Array.from({ length: Math.max(0, attempts - 1) }, (_, index): LedgerOperation[] => {
    const failure = overcome[index];
    const faults = failure === undefined ? [] : faultsOf(method, failure, generation);
    return [...faults, { record: "replay", method }];
  }).flat();
  return {
    server: accountName(server),
    generation,
    operations: [
      { record: "request", method },
      ...replays,
      ...endingOf(method, ending, generation, latencyMs),
    ],
  };
}

function endingOf(
  method: string,
  ending: UpstreamTurn["ending"],
  generation: Generation,
  latencyMs: number,
): readonly LedgerOperation[] {
  switch (ending.kind) {
    case "answered":
      return [{ record: "success", method, latency_ms: latencyMs }];
    case "illegal_result": {
      const detail = "the answer is no legal result";
      const fault = createFault({ generation, class: "protocol", code: "illegal_result", detail });
      return [
        { record: "recovery_fault", method, fault },
        { record: "error", method, latency_ms: latencyMs, error: fault.code },
      ];
    }
    case "failed":
      return failureOf(method, ending.failure, generation, latencyMs);
  }
}

/** What the server answered by itself calls for no recovery; what kept its answer away does; what its caller ended says nothing. */
function bearingOf({ reason }: UpstreamFailure): "answer" | "fault" | "nothing" {
  switch (reason) {
    case "rpc_error":
    case "unknown_tool":
    case "rate_limited":
    case "forbidden":
      return "answer";
    case "cancelled":
      return "nothing";
    case "timeout":
    case "unreachable":
    case "unauthorized":
    case "too_large":
    case "refused_address":
    case "refused_redirect":
    case "protocol":
    case "http_status":
      return "fault";
  }
}

function faultsOf(
  method: string,
  failure: UpstreamFailure,
  generation: Generation,
): readonly LedgerOperation[] {
  if (bearingOf(failure) !== "fault") return [];
  const fault = faultOfFailure(failure, generation, () => messageOfFailure(failure));
  return [{ record: "recovery_fault", method, fault }];
}

function failureOf(
  method: string,
  failure: UpstreamFailure,
  generation: Generation,
  latencyMs: number,
): readonly LedgerOperation[] {
  const { code: error } = faultOfFailure(failure, generation, () => messageOfFailure(failure));
  const record = bearingOf(failure) === "answer" ? "response_error" : "error";
  return [...faultsOf(method, failure, generation), { record, method, latency_ms: latencyMs, error }];
}
