import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LEDGER_METHODS_MAX_COUNT } from "../../../src/limits/spine.ts";
import { fail, ok } from "../../../src/result.ts";
import { CALL_COUNTERS, inFlight, timedOutcomes } from "../../../src/spine/telemetry/counters.ts";
import { readLedger, writeLedger } from "../../../src/spine/telemetry/ledger-json.ts";
import {
  openLedger,
  type OperationalLedger,
  recordError,
  recordRecoveryError,
  recordRecoveryFault,
  recordReplay,
  recordRequest,
  recordResponseError,
  recordSuccess,
  replaceWorker,
} from "../../../src/spine/telemetry/ledger.ts";
import {
  applyOperation,
  applyOperations,
  type LedgerOperation,
} from "../../../src/spine/telemetry/operation.ts";
import { code, fault, generation } from "../health/arbitraries.ts";
import { anyLedger, anyOperation, anyOperations } from "./arbitraries.ts";

const opened = openLedger(generation(1));
const timeout = code("timeout");

/** A ledger after operations of which none may be refused. */
function after(ledger: OperationalLedger, ...operations: readonly LedgerOperation[]): OperationalLedger {
  const applied = applyOperations(ledger, operations);
  expect(applied.refused).toEqual([]);
  return applied.ledger;
}

const request: LedgerOperation = { record: "request", method: "tools/call" };
const called = after(opened, request);
const partsOf = (ledger: OperationalLedger) => [
  ...ledger.methods.values(),
  ...(ledger.other === null ? [] : [ledger.other]),
];

/** A stored ledger whose only method has one counter as high as it goes, and another call in flight. */
function brimful(counter: "request_count" | "retry_count" | "recovery_fault_count"): OperationalLedger {
  const MAX = Number.MAX_SAFE_INTEGER;
  const counters = {
    request_count: 10,
    success_count: 9,
    error_count: 0,
    response_error_count: 0,
    recovery_error_count: 0,
    recovery_fault_count: 0,
    retry_count: 0,
    [counter]: MAX,
  };
  const read = readLedger({
    ...writeLedger(opened),
    consecutive_failures: counters.recovery_fault_count,
    last_fault: counters.recovery_fault_count === 0 ? null : fault(1),
    totals: counters,
    methods: [
      {
        method: "tools/call",
        ...counters,
        total_latency_ms: MAX,
        max_latency_ms: MAX,
        last_latency_ms: 0,
        last_error: null,
      },
    ],
  });
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

describe("the operational ledger", () => {
  it("counts a call that succeeds", () => {
    const ledger = after(called, { record: "success", method: "tools/call", latency_ms: 12 });
    const row = ledger.methods.get("tools/call");
    expect(row?.counters).toEqual(ledger.totals);
    expect(ledger.totals).toMatchObject({ request_count: 1, success_count: 1, error_count: 0 });
    expect(row).toMatchObject({ totalLatencyMs: 12, maxLatencyMs: 12, lastLatencyMs: 12, lastError: null });
  });

  it.each([
    ["error", recordError(called, "tools/call", 5, timeout), 0, 0, 5],
    ["response error", recordResponseError(called, "tools/call", 5, timeout), 1, 0, 5],
    ["recovery error", recordRecoveryError(called, "tools/call", timeout), 0, 1, null],
  ] as const)("counts a terminal %s once", (_, ended, response, recovery, latency) => {
    const ledger = ended.ok ? ended.value : opened;
    expect(ledger.totals).toMatchObject({
      request_count: 1,
      error_count: 1,
      response_error_count: response,
      recovery_error_count: recovery,
    });
    expect(ledger.methods.get("tools/call")).toMatchObject({ lastLatencyMs: latency, lastError: "timeout" });
    expect(recordSuccess(ledger, "tools/call", 1)).toEqual(fail({ reason: "no_invocation_in_flight" }));
  });

  it("ends only what is in flight under the same method", () => {
    const none = fail({ reason: "no_invocation_in_flight" });
    for (const ledger of [opened, called]) {
      expect(recordSuccess(ledger, "tools/list", 1)).toEqual(none);
      expect(recordError(ledger, "tools/list", 1, timeout)).toEqual(none);
      expect(recordResponseError(ledger, "tools/list", 1, timeout)).toEqual(none);
      expect(recordRecoveryError(ledger, "tools/list", timeout)).toEqual(none);
      expect(recordReplay(ledger, "tools/list")).toEqual(none);
    }
  });

  it("takes a recovery fault for no ending: the call may still succeed, and then the failures are over", () => {
    const faulty = after(
      called,
      { record: "recovery_fault", method: "tools/call", fault: fault(1) },
      { record: "replace_worker", generation: generation(2) },
      { record: "replay", method: "tools/call" },
      { record: "recovery_fault", method: null, fault: fault(2, "again") },
    );
    expect(inFlight(faulty.totals)).toBe(1);
    expect(faulty).toMatchObject({ consecutiveFailures: 2, restartCount: 1, lastFault: fault(2, "again") });
    expect(faulty.totals).toMatchObject({ recovery_fault_count: 2, retry_count: 1, error_count: 0 });
    expect(faulty.methods.get("tools/call")?.counters.recovery_fault_count).toBe(1);
    const well = after(faulty, { record: "success", method: "tools/call", latency_ms: 3 });
    expect(well).toMatchObject({ consecutiveFailures: 0, restartCount: 1, lastFault: fault(2, "again") });
  });

  it("keeps counting failures over an error, which shows no health", () => {
    const faulty = after(called, { record: "recovery_fault", method: null, fault: fault(1) });
    const ended = after(faulty, {
      record: "response_error",
      method: "tools/call",
      latency_ms: 1,
      error: timeout,
    });
    expect(ended.consecutiveFailures).toBe(1);
  });

  it.each([
    [2, 1],
    [2, 3],
  ])("at generation %i refuses a fault of generation %i", (at, of) => {
    const ledger = after(opened, { record: "replace_worker", generation: generation(at) });
    expect(recordRecoveryFault(ledger, null, fault(of))).toEqual(
      fail({ reason: "fault_generation_mismatch", current: at, fault: of }),
    );
  });

  it("replaces a worker under a later generation only", () => {
    const ledger = after(opened, { record: "replace_worker", generation: generation(5) });
    expect(ledger).toMatchObject({ generation: 5, restartCount: 1 });
    for (const stale of [1, 4, 5]) {
      expect(replaceWorker(ledger, generation(stale))).toEqual(
        fail({ reason: "generation_not_advanced", current: 5, proposed: stale }),
      );
    }
  });

  it.each([-1, -0.1, 0.5, Number.NaN, Infinity, -Infinity, 2 ** 53])("refuses a latency of %s", (latency) => {
    const refused = fail({ reason: "invalid_latency" });
    expect(recordSuccess(called, "tools/call", latency)).toEqual(refused);
    expect(recordError(called, "tools/call", latency, timeout)).toEqual(refused);
    expect(recordResponseError(called, "tools/call", latency, timeout)).toEqual(refused);
  });

  it("refuses what can no longer be counted, and goes on with the rest", () => {
    const exhausted = (counter: string) => fail({ reason: "counter_exhausted", counter });
    const requests = brimful("request_count");
    expect(recordRequest(requests, "tools/call")).toEqual(exhausted("request_count"));
    expect(recordRequest(requests, "tools/list")).toEqual(exhausted("request_count"));
    expect(recordReplay(requests, "tools/call").ok).toBe(true);
    expect(recordReplay(brimful("retry_count"), "tools/call")).toEqual(exhausted("retry_count"));
    expect(recordRecoveryFault(brimful("recovery_fault_count"), null, fault(1))).toEqual(
      exhausted("consecutive_failures"),
    );
    expect(recordSuccess(requests, "tools/call", 1)).toEqual(exhausted("total_latency_ms"));
    expect(recordSuccess(requests, "tools/call", 0).ok).toBe(true);
  });

  it("counts methods beyond its bound and names that are none together, and finds their requests again", () => {
    let ledger = opened;
    for (let index = 0; index < LEDGER_METHODS_MAX_COUNT; index += 1) {
      ledger = after(ledger, { record: "request", method: `m${index}` });
    }
    const strangers = ["one/more", "not a name", "", "\ud800", "<|endoftext|>", "x".repeat(10_000)];
    for (const method of strangers) ledger = after(ledger, { record: "request", method });
    expect(ledger.methods.size).toBe(LEDGER_METHODS_MAX_COUNT);
    expect(inFlight(ledger.other?.counters ?? opened.totals)).toBe(strangers.length);
    for (const method of strangers) ledger = after(ledger, { record: "success", method, latency_ms: 1 });
    expect(ledger.other?.counters).toMatchObject({ request_count: 6, success_count: 6 });
    expect(inFlight(ledger.totals)).toBe(LEDGER_METHODS_MAX_COUNT);
    expect(JSON.stringify(writeLedger(ledger))).not.toMatch(/one\/more|not a name|endoftext|xxx/);
  });

  it("keeps a method called like a prototype's member apart", () => {
    const ledger = after(
      opened,
      { record: "request", method: "__proto__" },
      { record: "request", method: "constructor" },
    );
    expect([...ledger.methods.keys()]).toEqual(["__proto__", "constructor"]);
  });
});

describe("the ledger's laws", () => {
  it("hold after any operations", () => {
    fc.assert(
      fc.property(anyLedger, (ledger) => {
        const parts = partsOf(ledger);
        for (const counter of CALL_COUNTERS) {
          const sum = parts.reduce((sum, { counters }) => sum + counters[counter], 0);
          const apart = counter === "recovery_fault_count" ? ledger.totals[counter] - sum : 0;
          expect(apart).toBeGreaterThanOrEqual(0);
          expect(sum + apart).toBe(ledger.totals[counter]);
        }
        for (const { counters, totalLatencyMs, maxLatencyMs, lastLatencyMs } of parts) {
          expect(inFlight(counters)).toBeGreaterThanOrEqual(0);
          expect(counters.response_error_count + counters.recovery_error_count).toBeLessThanOrEqual(
            counters.error_count,
          );
          expect(lastLatencyMs === null).toBe(timedOutcomes(counters) === 0);
          expect(maxLatencyMs).toBeLessThanOrEqual(totalLatencyMs);
          expect(totalLatencyMs).toBeLessThanOrEqual(maxLatencyMs * timedOutcomes(counters));
        }
        expect(ledger.restartCount).toBeLessThan(ledger.generation);
        expect(ledger.consecutiveFailures).toBeLessThanOrEqual(ledger.totals.recovery_fault_count);
      }),
    );
  });

  it("hold for each step: what is refused changes nothing, what is recorded changes no older ledger", () => {
    fc.assert(
      fc.property(anyLedger, anyOperation, (ledger, operation) => {
        const before = writeLedger(ledger);
        const applied = applyOperation(ledger, operation);
        expect(writeLedger(ledger)).toEqual(before);
        const next = applied.ok ? applied.value : ledger;
        expect(next.generation).toBeGreaterThanOrEqual(ledger.generation);
        for (const counter of CALL_COUNTERS) {
          const step = next.totals[counter] - ledger.totals[counter];
          expect([0, 1]).toContain(step);
        }
        expect(applyOperation(ledger, operation)).toEqual(applied);
      }),
      { numRuns: 300 },
    );
  });

  it("count what a plain recount of the accepted operations counts", () => {
    fc.assert(
      fc.property(anyOperations, (operations) => {
        const { ledger, refused } = applyOperations(opened, operations);
        const accepted = operations.filter((_, index) => !refused.some((one) => one.index === index));
        const count = (...records: readonly string[]) =>
          accepted.filter(({ record }) => records.includes(record)).length;
        expect(ledger.totals).toEqual({
          request_count: count("request"),
          success_count: count("success"),
          error_count: count("error", "response_error", "recovery_error"),
          response_error_count: count("response_error"),
          recovery_error_count: count("recovery_error"),
          recovery_fault_count: count("recovery_fault"),
          retry_count: count("replay"),
        });
        expect(ledger.restartCount).toBe(count("replace_worker"));
        const last = accepted.findLastIndex(({ record }) => record === "success");
        const since = accepted.slice(last + 1).filter(({ record }) => record === "recovery_fault");
        expect(ledger.consecutiveFailures).toBe(since.length);
      }),
    );
  });
});

describe("a stored ledger", () => {
  it("reads back as it was, and equal ledgers are equal bytes", () => {
    fc.assert(
      fc.property(anyLedger, (ledger) => {
        const bytes = JSON.stringify(writeLedger(ledger));
        const read = readLedger(JSON.parse(bytes));
        expect(read).toEqual(ok(ledger));
        const again = read.ok ? read.value : opened;
        const reversed = { ...again, methods: new Map([...again.methods].toReversed()) };
        expect(JSON.stringify(writeLedger(reversed))).toBe(bytes);
      }),
    );
  });
});
