import { compareCodePoints } from "../../code-points.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { LEDGER_METHODS_MAX_COUNT } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { type Fault, readFault } from "../fault/fault.ts";
import { readFaultCode } from "../fault/fault-code.ts";
import { type Generation, readGeneration } from "../fault/generation.ts";
import type { MethodAggregate } from "./aggregate.ts";
import { CALL_COUNTERS, type CallCounters, isCount, readCallCounters, timedOutcomes } from "./counters.ts";
import type { OperationalLedger } from "./ledger.ts";
import { isMethodName } from "./method-name.ts";

export const LEDGER_FORMAT_VERSION = 1;

interface StoredAggregate extends CallCounters {
  readonly total_latency_ms: number;
  readonly max_latency_ms: number;
  readonly last_latency_ms: number | null;
  readonly last_error: string | null;
}

interface StoredMethod extends StoredAggregate {
  readonly method: string;
}

/** A ledger as plain JSON, for whoever stores it. */
export interface StoredLedger {
  readonly format_version: typeof LEDGER_FORMAT_VERSION;
  readonly generation: Generation;
  readonly restart_count: number;
  readonly consecutive_failures: number;
  readonly totals: CallCounters;
  /** By name in the order of code points, so that equal ledgers are equal bytes. */
  readonly methods: readonly StoredMethod[];
  readonly other: StoredAggregate | null;
  readonly last_fault: Fault | null;
}

/** Writes a ledger; `readLedger` is the inverse. */
export function writeLedger(ledger: OperationalLedger): StoredLedger {
  return {
    format_version: LEDGER_FORMAT_VERSION,
    generation: ledger.generation,
    restart_count: ledger.restartCount,
    consecutive_failures: ledger.consecutiveFailures,
    totals: { ...ledger.totals },
    methods: [...ledger.methods]
      .sort(([left], [right]) => compareCodePoints(left, right))
      .map(([method, aggregate]) => writeRow(method, aggregate)),
    other: ledger.other === null ? null : writeAggregate(ledger.other),
    last_fault: ledger.lastFault,
  };
}

function writeRow(method: string, aggregate: MethodAggregate): StoredMethod {
  return { method, ...writeAggregate(aggregate) };
}

function writeAggregate(aggregate: MethodAggregate): StoredAggregate {
  return {
    ...aggregate.counters,
    total_latency_ms: aggregate.totalLatencyMs,
    max_latency_ms: aggregate.maxLatencyMs,
    last_latency_ms: aggregate.lastLatencyMs,
    last_error: aggregate.lastError,
  };
}

/** Why stored JSON is no ledger that the operations could have made. */
export type StoredLedgerProblem =
  | "not_an_object"
  | "unknown_format_version"
  | "invalid_generation"
  | "invalid_counters"
  | "invalid_methods"
  | "invalid_fault"
  | "totals_are_not_the_sums"
  | "inconsistent_recovery";

/** Reads a ledger back, all of it or none, and holds it to the laws that its operations keep. */
export function readLedger(value: unknown): Result<OperationalLedger, StoredLedgerProblem> {
  if (!isRecord(value)) return fail("not_an_object");
  if (memberOf(value, "format_version") !== LEDGER_FORMAT_VERSION) return fail("unknown_format_version");
  const generation = readGeneration(memberOf(value, "generation"));
  if (!generation.ok) return generation;
  const totals = readCallCounters(memberOf(value, "totals"));
  const restartCount = memberOf(value, "restart_count");
  const consecutiveFailures = memberOf(value, "consecutive_failures");
  if (!totals.ok || !isCount(restartCount) || !isCount(consecutiveFailures)) return fail("invalid_counters");
  const methods = readMethods(memberOf(value, "methods"));
  if (!methods.ok) return methods;
  const other = nullOr(memberOf(value, "other"), readAggregate);
  if (!other.ok) return fail("invalid_methods");
  const lastFault = nullOr(memberOf(value, "last_fault"), readFault);
  if (!lastFault.ok) return fail("invalid_fault");
  const ledger: OperationalLedger = {
    generation: generation.value,
    restartCount,
    consecutiveFailures,
    totals: totals.value,
    methods: methods.value,
    other: other.value,
    lastFault: lastFault.value,
  };
  if (!addsUp(ledger)) return fail("totals_are_not_the_sums");
  return isConsistentRecovery(ledger) ? ok(ledger) : fail("inconsistent_recovery");
}

function nullOr<Value, Problem>(
  value: unknown,
  read: (value: unknown) => Result<Value, Problem>,
): Result<Value | null, Problem> {
  return value === null ? ok(null) : read(value);
}

function readMethods(value: unknown): Result<ReadonlyMap<string, MethodAggregate>, "invalid_methods"> {
  if (!isJsonArray(value) || value.length > LEDGER_METHODS_MAX_COUNT) return fail("invalid_methods");
  const methods = new Map<string, MethodAggregate>();
  for (const row of value) {
    const method = memberOf(row, "method");
    const aggregate = readAggregate(row);
    if (!isMethodName(method) || methods.has(method) || !aggregate.ok) return fail("invalid_methods");
    methods.set(method, aggregate.value);
  }
  return ok(methods);
}

function readAggregate(row: unknown): Result<MethodAggregate, "invalid_methods"> {
  const counters = readCallCounters(row);
  const totalLatencyMs = memberOf(row, "total_latency_ms");
  const maxLatencyMs = memberOf(row, "max_latency_ms");
  const lastLatencyMs = memberOf(row, "last_latency_ms");
  const lastError = nullOr(memberOf(row, "last_error"), readFaultCode);
  if (!counters.ok || !lastError.ok || !isCount(totalLatencyMs) || !isCount(maxLatencyMs)) {
    return fail("invalid_methods");
  }
  if (lastLatencyMs !== null && !isCount(lastLatencyMs)) return fail("invalid_methods");
  const aggregate: MethodAggregate = {
    counters: counters.value,
    totalLatencyMs,
    maxLatencyMs,
    lastLatencyMs,
    lastError: lastError.value,
  };
  return isPossible(aggregate) ? ok(aggregate) : fail("invalid_methods");
}

/** Whether there are latencies with this sum, this maximum and this last one, as many as there are timed outcomes. */
function isPossible(aggregate: MethodAggregate): boolean {
  const { counters, totalLatencyMs: total, maxLatencyMs: max, lastLatencyMs: last } = aggregate;
  const samples = timedOutcomes(counters);
  if ((aggregate.lastError === null) !== (counters.error_count === 0)) return false;
  if (last === null) return samples === 0 && total === 0 && max === 0;
  if (samples === 0 || last > max) return false;
  // The last and the greatest are two samples, or one and the same.
  const others = total - last;
  return others >= (last === max ? 0 : max) && BigInt(others) <= BigInt(max) * BigInt(samples - 1);
}

function addsUp(ledger: OperationalLedger): boolean {
  const parts = [...ledger.methods.values(), ...(ledger.other === null ? [] : [ledger.other])];
  return CALL_COUNTERS.every((counter) => {
    // Taken away one by one, so that no sum leaves the numbers that a double holds exactly.
    const rest = parts.reduce((rest, { counters }) => rest - counters[counter], ledger.totals[counter]);
    return counter === "recovery_fault_count" ? rest >= 0 : rest === 0;
  });
}

function isConsistentRecovery(ledger: OperationalLedger): boolean {
  const { generation, restartCount, consecutiveFailures, totals, lastFault } = ledger;
  if (restartCount >= generation || consecutiveFailures > totals.recovery_fault_count) return false;
  if (lastFault === null) return totals.recovery_fault_count === 0;
  return totals.recovery_fault_count > 0 && lastFault.generation <= generation;
}
