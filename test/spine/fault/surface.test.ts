import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAULT_CLASSES, type FaultClass } from "../../../src/spine/fault/fault-class.ts";
import { type FaultCode, KNOWN_FAULT_CODES, readFaultCode } from "../../../src/spine/fault/fault-code.ts";
import { createFault, type Fault } from "../../../src/spine/fault/fault.ts";
import { GENESIS } from "../../../src/spine/fault/generation.ts";
import { RECOVERY_HINTS } from "../../../src/spine/fault/recovery-hint.ts";
import { type Standing, SURFACE_CODES, surfaceFault } from "../../../src/spine/fault/surface.ts";
import { REPLAY_CONTRACTS } from "../../../src/spine/replay/contract.ts";
import { requestDisposition } from "../../../src/spine/replay/disposition.ts";
import { EXECUTION_KNOWLEDGE } from "../../../src/spine/replay/knowledge.ts";
import { allowance, unwrap } from "../replay/unwrap.ts";

const code = (text: string): FaultCode => unwrap(readFaultCode(text));
const fault = (kind: FaultClass, text = "something", detail = "token=hunter2 at 10.0.0.1"): Fault =>
  createFault({ generation: GENESIS, class: kind, code: code(text), detail });

const LEFT = allowance(0, 1);
const SPENT = allowance(1, 1);
const NEVER_SENT: Standing = { knowledge: "not_dispatched", contract: "never_replay", allowance: LEFT };

describe("a fault as it is told", () => {
  it.each([
    ["transport", "unreachable", "UPSTREAM_UNAVAILABLE", true],
    ["transport", "connection_reset", "UPSTREAM_UNAVAILABLE", true],
    ["transport", "cancelled", "UPSTREAM_ERROR", false],
    ["transport", "refused_address", "UPSTREAM_ERROR", false],
    ["process", "evicted", "UPSTREAM_UNAVAILABLE", true],
    ["protocol", "illegal_answer", "UPSTREAM_ERROR", false],
    ["protocol", "illegal_result", "UPSTREAM_ERROR", false],
    ["timeout", "deadline", "UPSTREAM_TIMEOUT", true],
    ["downstream", "unauthorized", "AUTH_FAILED", false],
    ["downstream", "forbidden", "PERMISSION_DENIED", false],
    ["downstream", "rate_limited", "RATE_LIMITED", true],
    ["downstream", "unknown_tool", "HYDRATE_FAILED", false],
    ["downstream", "refused_redirect", "UPSTREAM_ERROR", false],
    ["downstream", "http_status_500", "UPSTREAM_ERROR", false],
    ["downstream", "rpc_error_minus_32603", "UPSTREAM_ERROR", false],
    ["downstream", "something_else", "UPSTREAM_ERROR", false],
    ["downstream", "constructor", "UPSTREAM_ERROR", false],
    ["resource", "too_large", "UPSTREAM_ERROR", false],
    ["resource", "queue_full", "UPSTREAM_UNAVAILABLE", true],
    ["replay", "exhausted", "UPSTREAM_UNAVAILABLE", true],
    ["rollout", "reloading", "UPSTREAM_UNAVAILABLE", true],
    ["invariant", "broken", "UPSTREAM_ERROR", false],
    ["ambiguous_outcome", "lease_over", "UPSTREAM_ERROR", false],
  ] as const)(
    "%s, %s is %s, and of a call that never left retryable: %s",
    (kind, text, surfaced, retryable) => {
      const told = surfaceFault(fault(kind, text), NEVER_SENT);
      expect([told.code, told.retryable, told.outcome]).toEqual([surfaced, retryable, "not_dispatched"]);
    },
  );

  it("uses a code of one class in no other", () => {
    for (const kind of FAULT_CLASSES.filter((kind) => kind !== "downstream")) {
      for (const text of ["unauthorized", "forbidden", "rate_limited", "unknown_tool", "http_status_500"]) {
        expect(surfaceFault(fault(kind, text), NEVER_SENT)).toEqual(surfaceFault(fault(kind), NEVER_SENT));
      }
    }
  });

  it("tells numbers of a foreign answer, as numbers only", () => {
    expect(surfaceFault(fault("downstream", "http_status_418"), NEVER_SENT).message).toBe(
      "the upstream server answered with HTTP status 418",
    );
    expect(surfaceFault(fault("downstream", "rpc_error_minus_32603"), NEVER_SENT).message).toBe(
      "the upstream server answered with JSON-RPC error -32603",
    );
    expect(surfaceFault(fault("downstream", "rpc_error_ignore_all"), NEVER_SENT).message).toBe(
      "the upstream server answered with an error",
    );
  });

  it("of a call that was sent and may not run again is not retryable and of unknown outcome", () => {
    for (const kind of FAULT_CLASSES) {
      for (const text of [...KNOWN_FAULT_CODES, "something"]) {
        for (const knowledge of ["in_flight", "outcome_unknown"] as const) {
          const told = surfaceFault(fault(kind, text), { ...NEVER_SENT, knowledge });
          expect([told.retryable, told.outcome, told.hint]).toEqual([false, "unknown", undefined]);
        }
      }
    }
  });

  it.each([
    ["not_dispatched", "never_replay", SPENT, true],
    ["outcome_unknown", "convergent", LEFT, true],
    ["outcome_unknown", "convergent", SPENT, false],
    ["outcome_unknown", "probe_required", LEFT, false],
    ["outcome_unknown", "never_replay", LEFT, false],
    ["in_flight", "convergent", LEFT, false],
    ["completed", "convergent", LEFT, false],
  ] as const)(
    "a timeout of a call %s, %s, %j is retryable: %s",
    (knowledge, contract, allowance, retryable) => {
      const told = surfaceFault(fault("timeout"), { knowledge, contract, allowance });
      expect([told.retryable, told.hint !== undefined]).toEqual([retryable, retryable]);
    },
  );
});

describe("laws of what is told", () => {
  const standing = fc.record({
    knowledge: fc.constantFrom(...EXECUTION_KNOWLEDGE),
    contract: fc.constantFrom(...REPLAY_CONTRACTS),
    allowance: fc.constantFrom(LEFT, SPENT),
  });
  const codes = fc.oneof(
    fc.constantFrom<string>(...KNOWN_FAULT_CODES),
    fc.stringMatching(/^[a-z0-9_]{1,64}$/),
  );
  const faults = fc.record({ kind: fc.constantFrom(...FAULT_CLASSES), text: codes, detail: fc.string() });

  it("no recovery hint and no detail changes anything", () => {
    fc.assert(
      fc.property(
        faults,
        standing,
        fc.constantFrom(...RECOVERY_HINTS),
        ({ kind, text, detail }, at, hint) => {
          const plain = surfaceFault(fault(kind, text), at);
          expect(surfaceFault({ ...fault(kind, text, detail), recovery_hint: hint }, at)).toEqual(plain);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("nothing is retryable that the decision table does not run, and a fault that can pass is all that it runs", () => {
    fc.assert(
      fc.property(faults, standing, ({ kind, text }, at) => {
        const decided = requestDisposition(at.knowledge, at.contract, undefined, at.allowance);
        const runs = decided === "first_dispatch" || decided === "replay";
        expect(runs || !surfaceFault(fault(kind, text), at).retryable).toBe(true);
        expect(surfaceFault(fault("timeout", text), at).retryable).toBe(runs);
      }),
      { numRuns: 1_000 },
    );
  });

  it("the words are ours: one short line, a known code, and a hint exactly where it is retryable", () => {
    fc.assert(
      fc.property(faults, standing, ({ kind, text, detail }, at) => {
        const told = surfaceFault(fault(kind, text, detail), at);
        expect(SURFACE_CODES).toContain(told.code);
        expect(told.message).toMatch(/^[a-z][A-Za-z0-9' ,-]{9,79}$/);
        expect("hint" in told).toBe(told.retryable);
        expect(told.message).not.toMatch(/repeat|again|retry/);
      }),
      { numRuns: 1_000 },
    );
  });
});
