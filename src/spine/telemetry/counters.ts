import { memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";

/** What is counted of calls, in all and for each method; the names are the wire's. */
export const CALL_COUNTERS = [
  "request_count",
  "success_count",
  /** Every terminal error, each counted once. The next two are parts of it; the rest arose in the host itself. */
  "error_count",
  "response_error_count",
  "recovery_error_count",
  /** Faults that called for recovery. They end nothing: the request may still succeed. */
  "recovery_fault_count",
  "retry_count",
] as const;

export type CallCounter = (typeof CALL_COUNTERS)[number];

export type CallCounters = Readonly<Record<CallCounter, number>>;

/** Names what cannot be counted any more. A metric that stands still or starts again would lie from then on. */
export interface CounterExhausted {
  readonly reason: "counter_exhausted";
  readonly counter: CallCounter | "consecutive_failures" | "restart_count" | "total_latency_ms";
}

export const NO_CALLS: CallCounters = Object.freeze({
  request_count: 0,
  success_count: 0,
  error_count: 0,
  response_error_count: 0,
  recovery_error_count: 0,
  recovery_fault_count: 0,
  retry_count: 0,
});

/** Whether a value is a whole number from 0 to 2^53 − 1, up to where a double counts every one. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** The sum of two counts, or an error where it cannot be held exactly. */
export function addChecked(
  counter: CounterExhausted["counter"],
  count: number,
  more: number,
): Result<number, CounterExhausted> {
  const sum = count + more;
  return Number.isSafeInteger(sum) ? ok(sum) : fail({ reason: "counter_exhausted", counter });
}

/** One more of each of the named, or none of them. */
export function incrementAll(
  counters: CallCounters,
  names: readonly CallCounter[],
): Result<CallCounters, CounterExhausted> {
  const counted = { ...counters };
  for (const name of names) {
    const sum = addChecked(name, counted[name], 1);
    if (!sum.ok) return sum;
    counted[name] = sum.value;
  }
  return ok(counted);
}

/** Invocations that began and have not ended. */
export function inFlight(counters: CallCounters): number {
  return counters.request_count - counters.success_count - counters.error_count;
}

/** Terminal outcomes whose time was taken: all but the errors of a recovery, which would be its time, not the call's. */
export function timedOutcomes(counters: CallCounters): number {
  return counters.success_count + (counters.error_count - counters.recovery_error_count);
}

export type CountersProblem = "invalid_count" | "more_outcomes_than_requests" | "more_causes_than_errors";

/** Reads counters from JSON and holds them to their laws; other members are left out. */
export function readCallCounters(value: unknown): Result<CallCounters, CountersProblem> {
  const read = { ...NO_CALLS };
  for (const name of CALL_COUNTERS) {
    const count = memberOf(value, name);
    if (!isCount(count)) return fail("invalid_count");
    read[name] = count;
  }
  // By subtraction, since a sum of two counts may be one that a double cannot hold.
  if (read.error_count > read.request_count - read.success_count) return fail("more_outcomes_than_requests");
  if (read.recovery_error_count > read.error_count - read.response_error_count) {
    return fail("more_causes_than_errors");
  }
  return ok(read);
}
