import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LEDGER_METHODS_MAX_COUNT } from "../../../src/limits/spine.ts";
import { fail, ok } from "../../../src/result.ts";
import { NO_CALLS } from "../../../src/spine/telemetry/counters.ts";
import { readLedger, writeLedger } from "../../../src/spine/telemetry/ledger-json.ts";
import { openLedger } from "../../../src/spine/telemetry/ledger.ts";
import {
  applyOperations,
  LEDGER_OPERATIONS,
  type LedgerOperation,
  readLedgerOperation,
} from "../../../src/spine/telemetry/operation.ts";
import { anythingWith, code, fault, generation } from "../health/arbitraries.ts";
import { anyOperation } from "./arbitraries.ts";

const history: readonly LedgerOperation[] = [
  { record: "request", method: "tools/call" },
  { record: "request", method: "tools/call" },
  { record: "recovery_fault", method: "tools/call", fault: fault(1) },
  { record: "replace_worker", generation: generation(2) },
  { record: "success", method: "tools/call", latency_ms: 10 },
  { record: "response_error", method: "tools/call", latency_ms: 4, error: code("timeout") },
];
const stored = writeLedger(applyOperations(openLedger(generation(1)), history).ledger);
const [row] = stored.methods;

describe("reading a stored ledger", () => {
  it("has this form", () => {
    const counters = {
      request_count: 2,
      success_count: 1,
      error_count: 1,
      response_error_count: 1,
      recovery_error_count: 0,
      recovery_fault_count: 1,
      retry_count: 0,
    };
    expect(stored).toEqual({
      format_version: 1,
      generation: 2,
      restart_count: 1,
      consecutive_failures: 0,
      totals: counters,
      methods: [
        {
          method: "tools/call",
          ...counters,
          total_latency_ms: 14,
          max_latency_ms: 10,
          last_latency_ms: 4,
          last_error: "timeout",
        },
      ],
      other: null,
      last_fault: fault(1),
    });
  });

  it.each([
    [{ format_version: 2 }, "unknown_format_version"],
    [{ format_version: "1" }, "unknown_format_version"],
    [{ generation: 0 }, "invalid_generation"],
    [{ restart_count: -1 }, "invalid_counters"],
    [{ consecutive_failures: 0.5 }, "invalid_counters"],
    [{ totals: { ...stored.totals, request_count: 1 } }, "invalid_counters"],
    [{ totals: { ...stored.totals, request_count: 3 } }, "totals_are_not_the_sums"],
    [{ totals: { ...stored.totals, recovery_fault_count: 0 } }, "totals_are_not_the_sums"],
    [{ methods: [] }, "totals_are_not_the_sums"],
    [{ methods: {} }, "invalid_methods"],
    [{ methods: [row, row] }, "invalid_methods"],
    [{ methods: [{ ...row, method: "a b" }] }, "invalid_methods"],
    [{ methods: [{ ...row, last_error: null }] }, "invalid_methods"],
    [{ methods: [{ ...row, last_error: "Connection to 10.0.0.1 refused" }] }, "invalid_methods"],
    [{ methods: [{ ...row, last_latency_ms: null }] }, "invalid_methods"],
    [{ methods: [{ ...row, last_latency_ms: 11 }] }, "invalid_methods"],
    [{ methods: [{ ...row, max_latency_ms: 11 }] }, "invalid_methods"],
    [{ methods: [{ ...row, max_latency_ms: 9 }] }, "invalid_methods"],
    [{ methods: [{ ...row, total_latency_ms: 15 }] }, "invalid_methods"],
    [{ methods: Array.from({ length: LEDGER_METHODS_MAX_COUNT + 1 }, () => row) }, "invalid_methods"],
    [{ other: undefined }, "invalid_methods"],
    [{ other: { ...NO_CALLS } }, "invalid_methods"],
    [{ last_fault: "lost" }, "invalid_fault"],
    [{ last_fault: null }, "inconsistent_recovery"],
    [{ last_fault: fault(3) }, "inconsistent_recovery"],
    [{ restart_count: 2 }, "inconsistent_recovery"],
    [{ consecutive_failures: 2 }, "inconsistent_recovery"],
  ])("refuses %j: %s", (change, reason) => {
    expect(readLedger({ ...stored, ...change })).toEqual(fail(reason));
  });

  it("reads anything without a throw, and only what the operations could have made", () => {
    const members = [...Object.keys(stored), ...Object.keys(row ?? {})];
    const changed = fc
      .tuple(fc.constantFrom(...Object.keys(stored)), anythingWith(members))
      .map(([member, value]) => Object.assign({}, stored, { [member]: value }));
    fc.assert(
      fc.property(fc.oneof(anythingWith(members), changed), (value) => {
        const read = readLedger(value);
        expect(read.ok ? readLedger(writeLedger(read.value)) : read).toEqual(read);
      }),
      { numRuns: 500 },
    );
  });
});

describe("reading an entry for a ledger", () => {
  it("gives back what was written", () => {
    fc.assert(
      fc.property(anyOperation, (operation) => {
        const legal = !("latency_ms" in operation) || Number.isSafeInteger(operation.latency_ms);
        fc.pre(legal && (!("latency_ms" in operation) || operation.latency_ms >= 0));
        expect(readLedgerOperation(JSON.parse(JSON.stringify(operation)))).toEqual(ok(operation));
      }),
    );
  });

  it.each([
    ["success", "not_an_object"],
    [{ record: "reset" }, "unknown_operation"],
    [{ record: "request" }, "invalid_method"],
    [{ record: "request", method: 1 }, "invalid_method"],
    [{ record: "success", method: "m", latency_ms: -1 }, "invalid_latency"],
    [{ record: "success", method: "m", latency_ms: "1" }, "invalid_latency"],
    [{ record: "error", method: "m", latency_ms: 1, error: "It broke." }, "invalid_error"],
    [{ record: "recovery_error", method: "m" }, "invalid_error"],
    [{ record: "recovery_fault", method: undefined, fault: fault(1) }, "invalid_method"],
    [{ record: "recovery_fault", method: null, fault: {} }, "invalid_fault"],
    [{ record: "replace_worker", generation: 0 }, "invalid_generation"],
  ])("refuses %j: %s", (value, reason) => {
    expect(readLedgerOperation(value)).toEqual(fail(reason));
  });

  it("reads anything without a throw", () => {
    const members = ["record", "method", "latency_ms", "error", "fault", "generation"];
    const near = fc
      .tuple(fc.constantFrom(...LEDGER_OPERATIONS), anythingWith(members))
      .map(([record, rest]) => Object.assign({}, rest, { record }));
    fc.assert(
      fc.property(fc.oneof(anythingWith(members), near), (value) => {
        const read = readLedgerOperation(value);
        expect(read.ok ? readLedgerOperation(read.value) : read).toEqual(read);
      }),
      { numRuns: 300 },
    );
  });
});
