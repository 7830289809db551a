import { isRecord, memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import { type FaultClass, isFaultClass } from "./fault-class.ts";
import { type FaultCode, readFaultCode } from "./fault-code.ts";
import { type Generation, readGeneration } from "./generation.ts";
import { oneLineDetail } from "./one-line.ts";
import { isRecoveryHint, type RecoveryHint } from "./recovery-hint.ts";

/** A failure as it is recorded and sent: the wire payload itself, so that its members have the wire's names. */
export interface Fault {
  readonly generation: Generation;
  readonly class: FaultClass;
  readonly code: FaultCode;
  readonly recovery_hint?: RecoveryHint;
  /** One bounded line for operators; no model reads it. */
  readonly detail: string;
}

/**
 * Makes a fault with its members in the wire's order. The detail becomes one line and is cut: take secrets out of it
 * first, for half a secret is found by no scrubber.
 */
export function createFault({ generation, class: kind, code, recovery_hint, detail }: Fault): Fault {
  return {
    generation,
    class: kind,
    code,
    ...(recovery_hint === undefined ? {} : { recovery_hint }),
    detail: oneLineDetail(detail),
  };
}

export type FaultProblem =
  | "not_an_object"
  | "invalid_generation"
  | "unknown_fault_class"
  | "invalid_fault_code"
  | "unknown_recovery_hint"
  | "invalid_detail";

/**
 * Reads a fault from JSON. Members that it does not know are left out, and with them the `directive` of version 1.0,
 * which gave orders; a `recovery_hint` of null is none.
 */
export function readFault(value: unknown): Result<Fault, FaultProblem> {
  if (!isRecord(value)) return fail("not_an_object");
  const generation = readGeneration(memberOf(value, "generation"));
  if (!generation.ok) return generation;
  const kind = memberOf(value, "class");
  if (!isFaultClass(kind)) return fail("unknown_fault_class");
  const code = readFaultCode(memberOf(value, "code"));
  if (!code.ok) return code;
  const hint = memberOf(value, "recovery_hint") ?? undefined;
  if (hint !== undefined && !isRecoveryHint(hint)) return fail("unknown_recovery_hint");
  const detail = memberOf(value, "detail");
  if (typeof detail !== "string") return fail("invalid_detail");
  const read = { generation: generation.value, class: kind, code: code.value, detail };
  return ok(createFault(hint === undefined ? read : { ...read, recovery_hint: hint }));
}
