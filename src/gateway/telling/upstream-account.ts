import type { UpstreamFailure } from "../../errors.ts";
import type { UpstreamRequest } from "../../dispatch/ports.ts";
import { faultOfFailure, messageOfFailure } from "../../fault-of-failure.ts";
import { accountName } from "../../outbox/account-name.ts";
import type { UpstreamRecord } from "../../outbox/entry.ts";
import { createFault, type Fault } from "../../spine/fault/fault.ts";
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
  readonly latencyMs: number;
}

/** One call in the account of its upstream, from its request to its ending: nothing is left in flight by it. */
export function upstreamRecord({
  method,
  server,
  generation,
  ending,
  attempts,
  latencyMs,
}: UpstreamTurn): UpstreamRecord {
  const replays = Array.from({ length: Math.max(0, attempts - 1) }, (): LedgerOperation => ({
    record: "replay",
    method,
  }));
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
      return broken(
        method,
        createFault({ generation, class: "protocol", code: "illegal_result", detail }),
        latencyMs,
      );
    }
    case "failed":
      return failureOf(method, ending.failure, generation, latencyMs);
  }
}

/** What the server answered by itself calls for no recovery; what kept its answer away does. */
function failureOf(
  method: string,
  failure: UpstreamFailure,
  generation: Generation,
  latencyMs: number,
): readonly LedgerOperation[] {
  const fault = faultOfFailure(failure, generation, () => messageOfFailure(failure));
  const ended = { method, latency_ms: latencyMs, error: fault.code };
  switch (failure.reason) {
    case "rpc_error":
    case "unknown_tool":
    case "rate_limited":
    case "forbidden":
      return [{ record: "response_error", ...ended }];
    case "cancelled":
      return [{ record: "error", ...ended }];
    case "timeout":
    case "unreachable":
    case "unauthorized":
    case "too_large":
    case "refused_address":
    case "refused_redirect":
    case "protocol":
    case "http_status":
      return broken(method, fault, latencyMs);
  }
}

function broken(method: string, fault: Fault, latencyMs: number): readonly LedgerOperation[] {
  return [
    { record: "recovery_fault", method, fault },
    { record: "error", method, latency_ms: latencyMs, error: fault.code },
  ];
}
