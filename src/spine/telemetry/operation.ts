import { isRecord, memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import { type Fault, readFault } from "../fault/fault.ts";
import { type FaultCode, readFaultCode } from "../fault/fault-code.ts";
import { type Generation, readGeneration } from "../fault/generation.ts";
import { isCount } from "./counters.ts";
import {
  type LedgerProblem,
  type OperationalLedger,
  recordError,
  recordRecoveryError,
  recordRecoveryFault,
  recordReplay,
  recordRequest,
  recordResponseError,
  recordSuccess,
  replaceWorker,
} from "./ledger.ts";

export const LEDGER_OPERATIONS = [
  "request",
  "success",
  "error",
  "response_error",
  "recovery_error",
  "recovery_fault",
  "replay",
  "replace_worker",
] as const;

/** One entry for a ledger as it travels in a batch, in the wire's names. */
export type LedgerOperation =
  | { readonly record: "request" | "replay"; readonly method: string }
  | { readonly record: "success"; readonly method: string; readonly latency_ms: number }
  | {
      readonly record: "error" | "response_error";
      readonly method: string;
      readonly latency_ms: number;
      readonly error: FaultCode;
    }
  | { readonly record: "recovery_error"; readonly method: string; readonly error: FaultCode }
  | { readonly record: "recovery_fault"; readonly method: string | null; readonly fault: Fault }
  | { readonly record: "replace_worker"; readonly generation: Generation };

/** Records one entry. */
export function applyOperation(
  ledger: OperationalLedger,
  operation: LedgerOperation,
): Result<OperationalLedger, LedgerProblem> {
  switch (operation.record) {
    case "request":
      return recordRequest(ledger, operation.method);
    case "replay":
      return recordReplay(ledger, operation.method);
    case "success":
      return recordSuccess(ledger, operation.method, operation.latency_ms);
    case "error":
      return recordError(ledger, operation.method, operation.latency_ms, operation.error);
    case "response_error":
      return recordResponseError(ledger, operation.method, operation.latency_ms, operation.error);
    case "recovery_error":
      return recordRecoveryError(ledger, operation.method, operation.error);
    case "recovery_fault":
      return recordRecoveryFault(ledger, operation.method, operation.fault);
    case "replace_worker":
      return replaceWorker(ledger, operation.generation);
  }
}

/** What a fold could not record, by its place in the batch: for the log, so that nothing is lost in silence. */
export interface RefusedOperation {
  readonly index: number;
  readonly problem: LedgerProblem;
}

/**
 * Records a batch in its order. A refused entry changes nothing and stops nothing: a fault of a generation that is over
 * must not keep back the outcomes behind it. Whoever wants all or nothing keeps the old ledger when there are refusals.
 *
 * The counts and sums of several sources come out the same in whatever order their batches arrive, as long as each
 * source's own are in order; what is called "last", and consecutive failures, follow the order of arrival.
 */
export function applyOperations(
  ledger: OperationalLedger,
  operations: readonly LedgerOperation[],
): { readonly ledger: OperationalLedger; readonly refused: readonly RefusedOperation[] } {
  let current = ledger;
  const refused: RefusedOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    const recorded = applyOperation(current, operation);
    if (recorded.ok) current = recorded.value;
    else refused.push({ index, problem: recorded.reason });
  }
  return { ledger: current, refused };
}

export type OperationProblem =
  | "not_an_object"
  | "unknown_operation"
  | "invalid_method"
  | "invalid_latency"
  | "invalid_error"
  | "invalid_fault"
  | "invalid_generation";

/** Reads one entry from JSON; members that it has no use for are left out. */
export function readLedgerOperation(value: unknown): Result<LedgerOperation, OperationProblem> {
  if (!isRecord(value)) return fail("not_an_object");
  const record = LEDGER_OPERATIONS.find((known) => known === memberOf(value, "record"));
  if (record === undefined) return fail("unknown_operation");
  if (record === "replace_worker") {
    const generation = readGeneration(memberOf(value, "generation"));
    return generation.ok ? ok({ record, generation: generation.value }) : generation;
  }
  const method = memberOf(value, "method");
  if (record === "recovery_fault") {
    if (method !== null && typeof method !== "string") return fail("invalid_method");
    const fault = readFault(memberOf(value, "fault"));
    return fault.ok ? ok({ record, method, fault: fault.value }) : fail("invalid_fault");
  }
  if (typeof method !== "string") return fail("invalid_method");
  if (record === "request" || record === "replay") return ok({ record, method });
  if (record === "recovery_error") {
    const error = readFaultCode(memberOf(value, "error"));
    return error.ok ? ok({ record, method, error: error.value }) : fail("invalid_error");
  }
  const latency = memberOf(value, "latency_ms");
  if (!isCount(latency)) return fail("invalid_latency");
  if (record === "success") return ok({ record, method, latency_ms: latency });
  const error = readFaultCode(memberOf(value, "error"));
  return error.ok ? ok({ record, method, latency_ms: latency, error: error.value }) : fail("invalid_error");
}
