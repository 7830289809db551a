import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MethodAggregate } from "../../../src/spine/telemetry/aggregate.ts";
import { judgeBatch } from "../../../src/spine/telemetry/batch.ts";
import { openLedger, type OperationalLedger } from "../../../src/spine/telemetry/ledger.ts";
import { applyOperations, type LedgerOperation } from "../../../src/spine/telemetry/operation.ts";
import { code, generation } from "../health/arbitraries.ts";

describe("a numbered batch", () => {
  it.each([
    [0, { from: 1, to: 3 }, { decision: "apply", skip: 0, last: 3 }],
    [3, { from: 4, to: 4 }, { decision: "apply", skip: 0, last: 4 }],
    [3, { from: 2, to: 5 }, { decision: "apply", skip: 2, last: 5 }],
    [3, { from: 1, to: 3 }, { decision: "skip", last: 3 }],
    [3, { from: 2, to: 2 }, { decision: "skip", last: 3 }],
    [3, { from: 5, to: 6 }, { decision: "refuse", reason: "gap", expected: 4 }],
    [0, { from: 2, to: 2 }, { decision: "refuse", reason: "gap", expected: 1 }],
    [3, { from: 0, to: 4 }, { decision: "refuse", reason: "invalid_range" }],
    [3, { from: 5, to: 4 }, { decision: "refuse", reason: "invalid_range" }],
    [3, { from: 1.5, to: 4.5 }, { decision: "refuse", reason: "invalid_range" }],
    [3, { from: Number.NaN, to: 4 }, { decision: "refuse", reason: "invalid_range" }],
    [-1, { from: 1, to: 1 }, { decision: "refuse", reason: "invalid_range" }],
  ])("after %i, %j: %j", (last, range, decision) => {
    expect(judgeBatch(last, range, range.to - range.from + 1)).toEqual(decision);
  });

  it.each([0, 2, 4])("of three numbers and %i entries is refused", (entries) => {
    expect(judgeBatch(0, { from: 1, to: 3 }, entries)).toEqual({
      decision: "refuse",
      reason: "invalid_range",
    });
  });

  it("applies each entry once and in order, however often and however cut the batches come", () => {
    const deliveries = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 19 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(deliveries, (deliveries) => {
        const applied: number[] = [];
        const deliver = (from: number, to: number) => {
          const entries = Array.from({ length: to - from + 1 }, (_, index) => from + index);
          const judged = judgeBatch(applied.length, { from, to }, entries.length);
          if (judged.decision === "apply") applied.push(...entries.slice(judged.skip));
          return judged;
        };
        for (const [from, more] of deliveries) {
          const judged = deliver(from, Math.min(20, from + more));
          expect(judged.decision === "refuse").toBe(from > applied.length + 1);
          expect("last" in judged ? judged.last : applied.length).toBe(applied.length);
        }
        // A source that was refused sends from where it was told to.
        deliver(applied.length + 1, 20 + 1);
        expect(applied).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
      }),
      { numRuns: 300 },
    );
  });
});

/** What an outbox ships of one call: whole, so that no order of arrival leaves an outcome without its request. */
const anyCall: fc.Arbitrary<readonly LedgerOperation[]> = fc
  .record({
    method: fc.constantFrom("tool_browse", "tool_execute", "tool_view", "no name"),
    replays: fc.nat(2),
    latency_ms: fc.nat(1000),
    record: fc.constantFrom("success" as const, "error" as const, "response_error" as const),
  })
  .map(({ method, replays, latency_ms, record }) => {
    const begun: LedgerOperation = { record: "request", method };
    const replayed = Array.from({ length: replays }, () => ({ record: "replay" as const, method }));
    const ended: LedgerOperation =
      record === "success"
        ? { record, method, latency_ms }
        : { record, method, latency_ms, error: code("timeout") };
    return [[begun], replayed, [ended]].flat();
  });

/** A ledger without what follows the order of arrival. */
function sums({ totals, methods, other }: OperationalLedger): unknown {
  const part = (row: MethodAggregate | null) => row && [row.counters, row.totalLatencyMs, row.maxLatencyMs];
  const rows = new Map(Array.from(methods, ([method, row]) => [method, part(row)]));
  return { totals, rows, other: part(other) };
}

describe("batches of different sources", () => {
  it("come to the same sums in any order of arrival", () => {
    const sources = fc.array(fc.array(anyCall, { maxLength: 6 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(sources, fc.array(fc.nat(), { maxLength: 60 }), (sources, choices) => {
        const oneByOne = applyOperations(openLedger(generation(1)), sources.flat(2));
        const queues = sources.map((calls) => calls.flat());
        let ledger = openLedger(generation(1));
        for (const choice of choices) {
          const operation = queues[choice % queues.length]?.shift();
          if (operation === undefined) continue;
          const applied = applyOperations(ledger, [operation]);
          expect(applied.refused).toEqual([]);
          ({ ledger } = applied);
        }
        const mixed = applyOperations(ledger, queues.flat());
        expect([...oneByOne.refused, ...mixed.refused]).toEqual([]);
        expect(sums(mixed.ledger)).toEqual(sums(oneByOne.ledger));
      }),
    );
  });
});
