import { fail, ok, type Result } from "../../result.ts";
import type { FaultCode } from "../fault/fault-code.ts";
import {
  addChecked,
  type CallCounter,
  type CallCounters,
  type CounterExhausted,
  incrementAll,
  inFlight,
  isCount,
  NO_CALLS,
  timedOutcomes,
} from "./counters.ts";

/** What a ledger knows of one method. Times are whole milliseconds. */
export interface MethodAggregate {
  readonly counters: CallCounters;
  readonly totalLatencyMs: number;
  readonly maxLatencyMs: number;
  /** Of the newest outcome that has one, or null. */
  readonly lastLatencyMs: number | null;
  /** A code and no text: an error's text is the backend's, and may hold what was asked or answered. */
  readonly lastError: FaultCode | null;
}

export const NO_METHOD_CALLS: MethodAggregate = Object.freeze({
  counters: NO_CALLS,
  totalLatencyMs: 0,
  maxLatencyMs: 0,
  lastLatencyMs: null,
  lastError: null,
});

/** How an invocation ends. Without a latency only where the host gave up while it recovered. */
export type Outcome =
  | { readonly kind: "success"; readonly latencyMs: number }
  /** `error` arose in the host, `response_error` is the downstream's own answer. */
  | { readonly kind: "error" | "response_error"; readonly latencyMs: number; readonly error: FaultCode }
  | { readonly kind: "recovery_error"; readonly error: FaultCode };

export type OutcomeProblem =
  | CounterExhausted
  | { readonly reason: "no_invocation_in_flight" }
  /** Not a whole, non-negative number of milliseconds that a double holds exactly. */
  | { readonly reason: "invalid_latency" };

const OUTCOME_COUNTERS = {
  success: ["success_count"],
  error: ["error_count"],
  response_error: ["error_count", "response_error_count"],
  recovery_error: ["error_count", "recovery_error_count"],
} as const satisfies Record<Outcome["kind"], readonly CallCounter[]>;

/** The counters that an outcome moves. */
export function countersOfOutcome(outcome: Outcome): readonly CallCounter[] {
  return OUTCOME_COUNTERS[outcome.kind];
}

/** Ends one invocation of those in flight. */
export function withOutcome(
  aggregate: MethodAggregate,
  outcome: Outcome,
): Result<MethodAggregate, OutcomeProblem> {
  if (inFlight(aggregate.counters) === 0) return fail({ reason: "no_invocation_in_flight" });
  const counters = incrementAll(aggregate.counters, countersOfOutcome(outcome));
  if (!counters.ok) return counters;
  const ended = {
    ...aggregate,
    counters: counters.value,
    lastError: outcome.kind === "success" ? aggregate.lastError : outcome.error,
  };
  if (outcome.kind === "recovery_error") return ok(ended);
  const { latencyMs } = outcome;
  if (!isCount(latencyMs)) return fail({ reason: "invalid_latency" });
  const total = addChecked("total_latency_ms", aggregate.totalLatencyMs, latencyMs);
  if (!total.ok) return total;
  return ok({
    ...ended,
    totalLatencyMs: total.value,
    maxLatencyMs: Math.max(aggregate.maxLatencyMs, latencyMs),
    lastLatencyMs: latencyMs,
  });
}

/** Counts what ends no invocation. */
export function withCount(
  aggregate: MethodAggregate,
  counter: "request_count" | "recovery_fault_count" | "retry_count",
): Result<MethodAggregate, CounterExhausted> {
  const counters = incrementAll(aggregate.counters, [counter]);
  return counters.ok ? ok({ ...aggregate, counters: counters.value }) : counters;
}

/** Whole milliseconds, what is left over dropped; 0 where nothing was timed. */
export function averageLatencyMs(aggregate: MethodAggregate): number {
  return wholeQuotient(aggregate.totalLatencyMs, timedOutcomes(aggregate.counters));
}

/** The whole part of a quotient of counts: below 2^53 the nearest double is never the next whole number. 0 of nothing. */
export function wholeQuotient(total: number, samples: number): number {
  return samples === 0 ? 0 : Math.floor(total / samples);
}
