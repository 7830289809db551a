import { LEDGER_METHODS_MAX_COUNT } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { Fault } from "../fault/fault.ts";
import type { FaultCode } from "../fault/fault-code.ts";
import type { Generation } from "../fault/generation.ts";
import {
  countersOfOutcome,
  type MethodAggregate,
  NO_METHOD_CALLS,
  type Outcome,
  type OutcomeProblem,
  withCount,
  withOutcome,
} from "./aggregate.ts";
import { addChecked, type CallCounters, incrementAll, inFlight, NO_CALLS } from "./counters.ts";
import { isMethodName } from "./method-name.ts";

/**
 * The running account of one public session or one upstream, from which health and telemetry are told. A value: each
 * operation gives a new ledger or a reason, and the old one stands either way.
 */
export interface OperationalLedger {
  readonly generation: Generation;
  readonly restartCount: number;
  /** Recovery faults since a request last succeeded. */
  readonly consecutiveFailures: number;
  /** Kept beside the methods, since a fault may belong to none of them. */
  readonly totals: CallCounters;
  readonly methods: ReadonlyMap<string, MethodAggregate>;
  /** Calls of methods beyond the bound, and of names that are none; null until there is one. */
  readonly other: MethodAggregate | null;
  readonly lastFault: Fault | null;
}

export type LedgerProblem =
  | OutcomeProblem
  | {
      readonly reason: "generation_not_advanced";
      readonly current: Generation;
      readonly proposed: Generation;
    }
  | {
      readonly reason: "fault_generation_mismatch";
      readonly current: Generation;
      readonly fault: Generation;
    };

type Recorded = Result<OperationalLedger, LedgerProblem>;

/** A ledger that has seen nothing yet. */
export function openLedger(generation: Generation): OperationalLedger {
  return {
    generation,
    restartCount: 0,
    consecutiveFailures: 0,
    totals: NO_CALLS,
    methods: new Map(),
    other: null,
    lastFault: null,
  };
}

/** An invocation begins. */
export function recordRequest(ledger: OperationalLedger, method: string): Recorded {
  return counted(ledger, method, "request_count");
}

/** An invocation ends well, and with it the row of failures. */
export function recordSuccess(ledger: OperationalLedger, method: string, latencyMs: number): Recorded {
  const ended = ends(ledger, method, { kind: "success", latencyMs });
  return ended.ok ? ok({ ...ended.value, consecutiveFailures: 0 }) : ended;
}

/** An invocation ends with an error of the host's own: a refusal, a bound. */
export function recordError(
  ledger: OperationalLedger,
  method: string,
  latencyMs: number,
  error: FaultCode,
): Recorded {
  return ends(ledger, method, { kind: "error", latencyMs, error });
}

/** An invocation ends with an error that the downstream answered. */
export function recordResponseError(
  ledger: OperationalLedger,
  method: string,
  latencyMs: number,
  error: FaultCode,
): Recorded {
  return ends(ledger, method, { kind: "response_error", latencyMs, error });
}

/** An invocation ends because recovery could not go on with it. It has no latency of its own. */
export function recordRecoveryError(ledger: OperationalLedger, method: string, error: FaultCode): Recorded {
  return ends(ledger, method, { kind: "recovery_error", error });
}

/**
 * A fault of the ledger's own generation that calls for recovery. No invocation ends with it; `method` is null where it
 * belongs to none.
 */
export function recordRecoveryFault(
  ledger: OperationalLedger,
  method: string | null,
  fault: Fault,
): Recorded {
  if (fault.generation !== ledger.generation) {
    return fail({
      reason: "fault_generation_mismatch",
      current: ledger.generation,
      fault: fault.generation,
    });
  }
  const failures = addChecked("consecutive_failures", ledger.consecutiveFailures, 1);
  if (!failures.ok) return failures;
  const noted = { ...ledger, consecutiveFailures: failures.value, lastFault: fault };
  if (method !== null) return counted(noted, method, "recovery_fault_count");
  const totals = incrementAll(ledger.totals, ["recovery_fault_count"]);
  return totals.ok ? ok({ ...noted, totals: totals.value }) : totals;
}

/** An invocation in flight is sent once more. Count it when it is sent, not when it is queued. */
export function recordReplay(ledger: OperationalLedger, method: string): Recorded {
  if (inFlight(aggregateOf(ledger, method).counters) === 0)
    return fail({ reason: "no_invocation_in_flight" });
  return counted(ledger, method, "retry_count");
}

/** Another worker takes over, under a later generation. What is in flight stays so. */
export function replaceWorker(ledger: OperationalLedger, generation: Generation): Recorded {
  if (generation <= ledger.generation) {
    return fail({ reason: "generation_not_advanced", current: ledger.generation, proposed: generation });
  }
  const restarts = addChecked("restart_count", ledger.restartCount, 1);
  return restarts.ok ? ok({ ...ledger, generation, restartCount: restarts.value }) : restarts;
}

/** The account under which a method is kept, its own or the common one. */
function aggregateOf(ledger: OperationalLedger, method: string): MethodAggregate {
  return (hasRow(ledger, method) ? ledger.methods.get(method) : ledger.other) ?? NO_METHOD_CALLS;
}

// Rows are never taken away, so that a name which once had none keeps having none and its outcomes find its requests.
function hasRow(ledger: OperationalLedger, method: string): boolean {
  if (ledger.methods.has(method)) return true;
  return ledger.methods.size < LEDGER_METHODS_MAX_COUNT && isMethodName(method);
}

function counted(
  ledger: OperationalLedger,
  method: string,
  counter: "request_count" | "recovery_fault_count" | "retry_count",
): Recorded {
  const totals = incrementAll(ledger.totals, [counter]);
  if (!totals.ok) return totals;
  const aggregate = withCount(aggregateOf(ledger, method), counter);
  return aggregate.ok ? ok(replaced(ledger, method, totals.value, aggregate.value)) : aggregate;
}

function ends(ledger: OperationalLedger, method: string, outcome: Outcome): Recorded {
  const aggregate = withOutcome(aggregateOf(ledger, method), outcome);
  if (!aggregate.ok) return aggregate;
  const totals = incrementAll(ledger.totals, countersOfOutcome(outcome));
  return totals.ok ? ok(replaced(ledger, method, totals.value, aggregate.value)) : totals;
}

function replaced(
  ledger: OperationalLedger,
  method: string,
  totals: CallCounters,
  aggregate: MethodAggregate,
): OperationalLedger {
  if (!hasRow(ledger, method)) return { ...ledger, totals, other: aggregate };
  return { ...ledger, totals, methods: new Map(ledger.methods).set(method, aggregate) };
}
