import * as fc from "fast-check";
import { FAULT_CLASSES } from "../../../src/spine/fault/fault-class.ts";
import { createFault, type Fault, readFault } from "../../../src/spine/fault/fault.ts";
import { type FaultCode, readFaultCode } from "../../../src/spine/fault/fault-code.ts";
import { type Generation, readGeneration } from "../../../src/spine/fault/generation.ts";
import { RECOVERY_HINTS } from "../../../src/spine/fault/recovery-hint.ts";
import { LIFECYCLE_STATES } from "../../../src/spine/health/lifecycle.ts";
import { ROLLOUT_STATES } from "../../../src/spine/health/rollout-state.ts";
import { WORKER_HANDSHAKE_PHASES } from "../../../src/spine/health/worker-handshake.ts";

/** A generation for a test, which must be one. */
export function generation(value: number): Generation {
  const read = readGeneration(value);
  if (!read.ok) throw new Error(`${value} is no generation`);
  return read.value;
}

/** A code for a test, which must be one. */
export function code(value: string): FaultCode {
  const read = readFaultCode(value);
  if (!read.ok) throw new Error(`${value} is no code`);
  return read.value;
}

/** A fault for a test, which must be one. */
export function fault(of: number, detail = "the worker went away"): Fault {
  const read = readFault({ generation: of, class: "process", code: "worker_lost", detail });
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

export const anyLifecycle = fc.constantFrom(...LIFECYCLE_STATES);
export const anyHandshake = fc.constantFrom(...WORKER_HANDSHAKE_PHASES);
export const anyRollout = fc.constantFrom(...ROLLOUT_STATES);
export const anyCount = fc.oneof(fc.nat(9), fc.nat(), fc.maxSafeNat());
export const anyCode = fc.constantFrom("timeout", "http_500", "worker_lost", "a").map(code);

/** Any fault of one generation. */
export function faultOf(of: Generation): fc.Arbitrary<Fault> {
  return fc
    .record({
      class: fc.constantFrom(...FAULT_CLASSES),
      code: anyCode,
      detail: fc.string({ unit: "binary", maxLength: 40 }),
      hint: fc.option(fc.constantFrom(...RECOVERY_HINTS), { nil: undefined }),
    })
    .map(({ class: kind, code, detail, hint }) =>
      createFault({
        generation: of,
        class: kind,
        code,
        detail,
        ...(hint === undefined ? {} : { recovery_hint: hint }),
      }),
    );
}

/** JSON and much that is none, with the members' names that a reader looks for. */
export function anythingWith(members: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof(
    fc.constantFrom(...members, "__proto__", "constructor", "toString", "hasOwnProperty"),
    fc.string(),
  );
  return fc.anything({
    key,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withUnicodeString: true,
  });
}
