import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AttemptCount,
  GENESIS,
  NEW_EXECUTION,
  openLedger,
  readAttemptCount,
  registerOperations,
  type ReplayContract,
  REPLAY_CONTRACTS,
  renderJsonPorcelain,
  requestDisposition,
  telemetrySnapshot,
} from "../../../src/spine/index.ts";
import { applyOperations } from "../../../src/spine/telemetry/operation.ts";
import {
  ChurnHarness,
  dispatchViolations,
  dispositionViolations,
  porcelainViolations,
  registrationViolations,
  resultShapeViolations,
  telemetryViolations,
} from "../../../src/spine/testkit/index.ts";

const attempts = (count: number): AttemptCount => {
  const read = readAttemptCount(count);
  if (!read.ok) throw new Error(read.reason);
  return read.value;
};
const harness = (maxAttempts = 1, pendingCapacity = 8) =>
  new ChurnHarness({ maxAttempts: attempts(maxAttempts), pendingCapacity });

describe("the churn harness", () => {
  it("sends a convergent request again after a loss, and only once more", () => {
    const host = harness();
    host.dispatchFirst("a", "convergent");
    expect(host.killWorker()).toEqual({ rejected: [], heldForProbe: [] });
    expect(host.dispatchNext()).toEqual({ kind: "replay", id: "a" });
    expect(host.killWorker().rejected).toEqual([{ id: "a", reason: "replay_budget_exhausted" }]);
    expect(host.dispatched()).toEqual([
      { id: "a", attempt: 0 },
      { id: "a", attempt: 1 },
    ]);
  });

  it("never sends a never_replay request again, and says that its outcome is not known", () => {
    const host = harness();
    host.dispatchFirst("a", "never_replay");
    expect(host.killWorker().rejected).toEqual([{ id: "a", reason: "ambiguous_outcome" }]);
    expect(host.dispatchNext()).toEqual({ kind: "empty" });
    expect(host.complete("a")).toEqual({ ok: false, reason: "request_not_pending" });
  });

  it("lets everything younger wait behind a request that is held for its probe", () => {
    const host = harness();
    host.dispatchFirst("old", "probe_required");
    host.dispatchFirst("young", "convergent");
    expect(host.killWorker().heldForProbe).toEqual(["old"]);
    expect(host.dispatchNext()).toEqual({ kind: "held_for_probe", id: "old" });
    expect(host.resolveProbe("young", "safe_to_replay").ok).toBe(false);
    expect(host.resolveProbe("old", "safe_to_replay")).toEqual({ ok: true, value: "queued" });
    expect([host.dispatchNext(), host.dispatchNext()]).toEqual([
      { kind: "replay", id: "old" },
      { kind: "replay", id: "young" },
    ]);
  });

  it("completes from a probe without sending, and takes no second answer", () => {
    const host = harness();
    host.dispatchFirst("a", "probe_required");
    host.killWorker();
    expect(host.resolveProbe("a", "already_completed")).toEqual({ ok: true, value: "completed" });
    expect([host.complete("a").ok, host.dispatched().length]).toEqual([false, 1]);
  });

  it("accepts a late answer once, and frees the id", () => {
    const host = harness();
    host.dispatchFirst(1, "convergent");
    host.killWorker();
    expect([host.complete(1).ok, host.complete(1).ok]).toEqual([true, false]);
    expect(host.dispatchFirst(1, "convergent").ok).toBe(true);
  });

  it("refuses what it has no room for, and an id that is pending, without touching the others", () => {
    const host = harness(1, 2);
    host.dispatchFirst("a", "convergent");
    expect(host.dispatchFirst("a", "convergent")).toEqual({ ok: false, reason: "duplicate_request_id" });
    host.dispatchFirst("b", "convergent");
    expect(host.dispatchFirst("c", "convergent")).toEqual({
      ok: false,
      reason: "pending_capacity_exhausted",
    });
    expect(host.pending()).toEqual(["a", "b"]);
  });

  it("keeps the laws through any churn", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("first" as const), contract: fc.constantFrom(...REPLAY_CONTRACTS) }),
      fc.record({ do: fc.constant("kill" as const) }),
      fc.record({ do: fc.constant("next" as const) }),
      fc.record({
        do: fc.constantFrom("complete" as const, "safe" as const, "done" as const),
        at: fc.nat(20),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 0, max: 3 }), (steps, max) => {
        const host = harness(max, 5);
        const contracts: ReplayContract[] = [];
        const terminal = new Set<number>();
        for (const each of steps) {
          if (each.do === "first") {
            if (host.dispatchFirst(contracts.length, each.contract).ok) contracts.push(each.contract);
          } else if (each.do === "kill") for (const { id } of host.killWorker().rejected) end(terminal, id);
          else if (each.do === "next") host.dispatchNext();
          else if (each.do === "complete") {
            if (host.complete(each.at).ok) end(terminal, each.at);
          } else {
            const found = host.resolveProbe(
              each.at,
              each.do === "safe" ? "safe_to_replay" : "already_completed",
            );
            if (found.ok && found.value !== "queued") end(terminal, each.at);
          }
        }
        const contractOf = (id: unknown) => contracts[Number(id)] ?? "never_replay";
        expect(dispatchViolations(host.dispatched(), contractOf, max)).toEqual([]);
        expect(host.pending().length + terminal.size).toBe(contracts.length);
        expect(host.pending().length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

/** One terminal outcome a request, whatever it is. */
function end(terminal: Set<number>, id: unknown): void {
  expect(terminal.has(Number(id))).toBe(false);
  terminal.add(Number(id));
}

describe("the laws of the testkit", () => {
  it("hold for the spine's own table, and find every single case in which another differs", () => {
    expect(dispositionViolations(requestDisposition)).toEqual([]);
    expect(dispositionViolations(() => "replay").length).toBeGreaterThan(60);
    const lax = dispositionViolations((knowledge, contract, probe, allowance) =>
      knowledge === "outcome_unknown" && contract === "never_replay" && probe === undefined
        ? "replay"
        : requestDisposition(knowledge, contract, probe, allowance),
    );
    expect(lax).toEqual([
      "outcome_unknown, never_replay, no probe, allowance left: replay instead of reject_ambiguous_outcome",
      "outcome_unknown, never_replay, no probe, allowance spent: replay instead of reject_ambiguous_outcome",
    ]);
    expect(
      dispositionViolations(() => {
        throw new Error("no");
      })[0],
    ).toContain("threw Error: no");
  });

  it("find what reached a worker against its contract", () => {
    const sent = (...counts: number[]) => counts.map((count) => ({ id: "a", attempt: attempts(count) }));
    expect(dispatchViolations(sent(0, 1), () => "convergent", 1)).toEqual([]);
    expect(dispatchViolations(sent(0, 1), () => "never_replay", 9)).toEqual([
      '"a": sent again although never_replay',
    ]);
    expect(dispatchViolations(sent(0, 2), () => "convergent", 9)).toEqual(['"a": attempt 2 after 0']);
    expect(dispatchViolations(sent(0, 1, 2), () => "convergent", 1)).toEqual(['"a": attempt 2 of at most 1']);
    expect(dispatchViolations(sent(1), () => "convergent", 1)).toEqual(['"a": first seen as attempt 1']);
  });

  it("find a registry that takes operations without a contract", () => {
    expect(registrationViolations((declared) => registerOperations(declared).ok)).toEqual([]);
    expect(registrationViolations(() => true)).toHaveLength(4);
    expect(registrationViolations(() => false)).toEqual(["refused a good operation"]);
  });

  it("find counters that do not add up", () => {
    const applied = applyOperations(openLedger(GENESIS), [
      { record: "request", method: "b" },
      { record: "success", method: "b", latency_ms: 4 },
      { record: "request", method: "a" },
    ]);
    const made = telemetrySnapshot(applied.ledger, { uptimeMs: 1, lifecycle: "ready", handshake: "ready" });
    if (!made.ok) throw new Error(made.reason);
    const snapshot = made.value;
    expect(applied.refused).toEqual([]);
    expect(snapshot.methods.map(({ method }) => method)).toEqual(["a", "b"]);
    expect(telemetryViolations(snapshot)).toEqual([]);
    const lying = { ...snapshot, totals: { ...snapshot.totals, request_count: 3 } };
    expect(telemetryViolations(lying)).toEqual(["request_count: rows make 2, totals say 3"]);
    expect(telemetryViolations({ ...snapshot, methods: snapshot.methods.toReversed() })).toEqual([
      "a stands behind b",
    ]);
    const slow = snapshot.methods.map((row) => ({ ...row, avg_latency_ms: 9 }));
    expect(telemetryViolations({ ...snapshot, methods: slow })).toContain(
      "b: the average is above the maximum",
    );
  });

  it("find porcelain that is too long, changes, or depends on the order of members", () => {
    const bounds = { maxLines: 3 };
    const value = { b: 1, a: [{ d: 1, c: 2 }], e: 0, f: 0 };
    const ours = (each: unknown) => renderJsonPorcelain(each, { maxLines: 3, maxInlineChars: 40 });
    expect(porcelainViolations(ours, value, bounds)).toEqual([]);
    expect(porcelainViolations(() => "a\nb\nc\nd", value, bounds)).toEqual(["4 lines of at most 3"]);
    expect(porcelainViolations((each) => JSON.stringify(each), value, bounds)).toEqual([
      "another text for members in another order",
    ]);
    let calls = 0;
    expect(porcelainViolations(() => `${(calls += 1)}`, value, bounds)).toContain(
      "another text for the same value",
    );
    expect(porcelainViolations(() => "\u001b[31m", value, bounds)).toEqual(["a control character"]);
  });

  it("find results that say the same twice, or a dual one that does not", () => {
    const text = (words: string) => [{ type: "text", text: words }];
    const structuredContent = { a: 1 };
    expect(resultShapeViolations({ content: text("a: 1") }, "exclusive")).toEqual([]);
    expect(resultShapeViolations({ content: text('{"a":1}'), structuredContent }, "exclusive")).toEqual([]);
    expect(resultShapeViolations({ content: text("a: 1"), structuredContent }, "exclusive")).toHaveLength(1);
    expect(resultShapeViolations({ content: text("a: 1"), structuredContent }, "dual")).toEqual([]);
    expect(resultShapeViolations({ content: text("a: 1") }, "dual")).toHaveLength(1);
    expect(resultShapeViolations({}, "dual")).toEqual(["content is not an array"]);
  });

  it("begin from a request that was never sent", () => {
    expect(NEW_EXECUTION).toEqual({ knowledge: "not_dispatched", attempts_used: 0 });
  });
});
