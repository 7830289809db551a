import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReplayContract, REPLAY_CONTRACTS } from "../../../src/spine/index.ts";
import { ChurnHarness, dispatchViolations } from "../../../src/spine/testkit/index.ts";
import { attempts } from "./attempts.ts";

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

  it("queues what is new behind what waits, and sends it in its turn", () => {
    const host = harness();
    host.dispatchFirst("old", "probe_required");
    host.killWorker();
    expect(host.dispatchFirst("new", "never_replay")).toEqual({ ok: true, value: "queued" });
    expect(host.dispatchNext()).toEqual({ kind: "held_for_probe", id: "old" });
    expect(host.complete("new")).toEqual({ ok: false, reason: "request_not_pending" });
    host.resolveProbe("old", "already_completed");
    expect(host.dispatchNext()).toEqual({ kind: "first_dispatch", id: "new" });
    expect(host.dispatched()).toEqual([
      { id: "old", attempt: 0 },
      { id: "new", attempt: 0 },
    ]);
  });

  it("keeps what is queued through the loss of a worker that never saw it", () => {
    const host = harness();
    host.dispatchFirst("old", "convergent");
    host.killWorker();
    host.dispatchFirst("new", "never_replay");
    expect(host.killWorker()).toEqual({ rejected: [], heldForProbe: [] });
    expect(host.pending()).toEqual(["old", "new"]);
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
      fc.property(fc.array(step, { maxLength: 500 }), fc.integer({ min: 0, max: 3 }), (steps, max) => {
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
