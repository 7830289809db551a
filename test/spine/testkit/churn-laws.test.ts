import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fail,
  ok,
  type ReplayContract,
  type RequestId,
  type ProbeResolution,
} from "../../../src/spine/index.ts";
import {
  CHURN_HISTORIES,
  type ChurnBounds,
  ChurnHarness,
  type ChurnHost,
  churnViolations,
  type Dispatched,
  historyViolations,
  randomHistory,
} from "../../../src/spine/testkit/index.ts";
import { attempts } from "./attempts.ts";

/** Whole numbers that a property's value decides, so that a failing history shrinks. */
const seeded = (seed: number) => {
  let state = seed;
  return (count: number) => {
    // Numerical Recipes' generator, of which the high bits are good enough here.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % count;
  };
};

/** Hosts that each break one law, in the way in which hosts do. */
const VIOLATORS: Readonly<Record<string, (bounds: ChurnBounds) => ChurnHost>> = {
  "never_replay is sent once": (bounds) =>
    new (class extends ChurnHarness {
      override dispatchFirst(id: RequestId, contract: ReplayContract) {
        return super.dispatchFirst(id, contract === "never_replay" ? "convergent" : contract);
      }
    })(bounds),
  "an attempt is counted when it is sent": ({ maxAttempts, pendingCapacity }) =>
    new ChurnHarness({ maxAttempts: attempts(maxAttempts + 1), pendingCapacity }),
  "a request has one terminal outcome": (bounds) =>
    new (class extends ChurnHarness {
      override complete(id: RequestId) {
        super.complete(id);
        return ok(undefined);
      }
    })(bounds),
  "a late answer is accepted once": (bounds) => {
    const lost = new Set<RequestId>();
    return new (class extends ChurnHarness {
      override killWorker() {
        const loss = super.killWorker();
        for (const id of this.pending()) lost.add(id);
        return loss;
      }
      override complete(id: RequestId) {
        return lost.has(id) ? fail("request_not_pending" as const) : super.complete(id);
      }
    })(bounds);
  },
  "a full host rejects, and overwrites nothing": (bounds) =>
    new (class extends ChurnHarness {
      override dispatchFirst(id: RequestId, contract: ReplayContract) {
        const [oldest] = this.pending();
        if (this.pending().length === bounds.pendingCapacity && oldest !== undefined) this.complete(oldest);
        return super.dispatchFirst(id, contract);
      }
    })(bounds),
  "an id that is pending is rejected, and its request keeps its contract": (bounds) =>
    new (class extends ChurnHarness {
      override dispatchFirst(id: RequestId, contract: ReplayContract) {
        if (this.pending().includes(id)) this.complete(id);
        return super.dispatchFirst(id, contract);
      }
    })(bounds),
  "an id is free after its terminal answer": (bounds) => {
    const seen = new Set<RequestId>();
    return new (class extends ChurnHarness {
      override dispatchFirst(id: RequestId, contract: ReplayContract) {
        if (seen.has(id)) return fail("duplicate_request_id" as const);
        seen.add(id);
        return super.dispatchFirst(id, contract);
      }
    })(bounds);
  },
  "an id is its type and its text": (bounds) =>
    new (class extends ChurnHarness {
      override dispatchFirst(id: RequestId, contract: ReplayContract) {
        return super.dispatchFirst(typeof id === "number" ? `${id}` : id, contract);
      }
    })(bounds),
  "what is younger waits behind a request that is held": (bounds) =>
    new (class extends ChurnHarness {
      override dispatchNext() {
        const next = super.dispatchNext();
        return next.kind === "held_for_probe" ? { kind: "empty" as const } : next;
      }
    })(bounds),
  "a probe resolves what is held, and once": (bounds) =>
    new (class extends ChurnHarness {
      override resolveProbe(id: RequestId, resolution: ProbeResolution) {
        const resolved = super.resolveProbe(id, resolution);
        return resolved.ok || !this.pending().includes(id) ? resolved : ok("queued" as const);
      }
    })(bounds),
  "a request that was never sent outlives a worker": (bounds) => {
    const queued = new Set<RequestId>();
    return new (class extends ChurnHarness {
      override dispatchFirst(id: RequestId, contract: ReplayContract) {
        const begun = super.dispatchFirst(id, contract);
        if (begun.ok && begun.value === "queued") queued.add(id);
        return begun;
      }
      override killWorker() {
        const { rejected, heldForProbe } = super.killWorker();
        const dropped = [...queued].map((id) => ({ id, reason: "ambiguous_outcome" as const }));
        queued.clear();
        return { rejected: [...rejected, ...dropped], heldForProbe };
      }
    })(bounds);
  },
};

describe("the laws of churn", () => {
  it("hold for the harness, in order and over a transport that takes its time", async () => {
    expect(await churnViolations((bounds) => new ChurnHarness(bounds))).toEqual([]);
    expect(await churnViolations((bounds) => slow(new ChurnHarness(bounds)))).toEqual([]);
  });

  it("each have a host that breaks it and is found by it", () => {
    expect(Object.keys(VIOLATORS)).toEqual(CHURN_HISTORIES.map(({ law }) => law));
  });

  it.each(Object.entries(VIOLATORS))("%s: a host that breaks it is found", async (law, open) => {
    const found = await churnViolations(open);
    expect(found.filter((violation) => violation.startsWith(`${law}: step `))).toHaveLength(1);
  });

  it("say where a host goes another way, and in what", async () => {
    const open = VIOLATORS["never_replay is sent once"];
    expect((await churnViolations(open ?? (() => new ChurnHarness(ONE))))[0]).toBe(
      "never_replay is sent once: step 2, kill_worker: nothing rejected or held " +
        '(pending: "a"; sent: 1, the last "a" as attempt 0) instead of "a" ambiguous_outcome ' +
        '(pending: none; sent: 1, the last "a" as attempt 0)',
    );
  });

  it("tell of a host that throws, and of one that sends what it does not say", async () => {
    const throwing = new (class extends ChurnHarness {
      override killWorker(): never {
        throw new Error("gone");
      }
    })(ONE);
    expect(await historyViolations(throwing, ONE, [{ do: "kill_worker" }])).toEqual([
      "step 1, kill_worker: threw Error: gone instead of nothing rejected or held (pending: none; sent: 0)",
    ]);
    const secretive = new (class extends ChurnHarness {
      override dispatched(): readonly Dispatched[] {
        return super.dispatched().flatMap((each) => [each, each]);
      }
    })(ONE);
    const steps = [{ do: "dispatch_first", id: "a", contract: "convergent" }] as const;
    expect(await historyViolations(secretive, ONE, steps)).toHaveLength(1);
  });

  it("are found broken by random histories of hundreds of steps, and never by the harness", async () => {
    const bounds = fc.record({
      maxAttempts: fc.integer({ min: 0, max: 3 }).map(attempts),
      pendingCapacity: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.integer(), bounds, async (seed, bounds) => {
        const steps = randomHistory(seeded(seed), 300);
        expect(steps).toEqual(randomHistory(seeded(seed), 300));
        expect(await historyViolations(slow(new ChurnHarness(bounds)), bounds, steps)).toEqual([]);
      }),
      { numRuns: 40 },
    );
    const steps = randomHistory(seeded(7), 400);
    const roomy = { maxAttempts: 1, pendingCapacity: 4 } as const;
    const missed = await Promise.all(
      Object.entries(VIOLATORS).map(async ([law, open]) =>
        (await historyViolations(open(roomy), roomy, steps)).length === 0 ? [law] : [],
      ),
    );
    expect(missed.flat()).toEqual([]);
  });

  it("come with histories in which everything happens", () => {
    const steps = randomHistory(seeded(1), 1_000);
    const host = new ChurnHarness({ maxAttempts: 1, pendingCapacity: 6 });
    const seen = new Set<string>();
    for (const step of steps) {
      switch (step.do) {
        case "dispatch_first": {
          const begun = host.dispatchFirst(step.id, step.contract);
          seen.add(begun.ok ? begun.value : begun.reason);
          break;
        }
        case "kill_worker":
          for (const { reason } of host.killWorker().rejected) seen.add(reason);
          break;
        case "dispatch_next":
          seen.add(host.dispatchNext().kind);
          break;
        case "resolve_probe": {
          const resolved = host.resolveProbe(step.id, step.resolution);
          seen.add(resolved.ok ? `probe ${resolved.value}` : resolved.reason);
          break;
        }
        case "complete":
          seen.add(host.complete(step.id).ok ? "complete" : "request_not_pending");
      }
    }
    expect([...seen].sort().join(", ")).toBe(
      "ambiguous_outcome, complete, duplicate_request_id, empty, first_dispatch, held_for_probe, pending_capacity_exhausted, probe completed, probe queued, " +
        "probe rejected, queued, replay, replay_budget_exhausted, request_not_held, request_not_pending, sent",
    );
  });
});

const ONE: ChurnBounds = { maxAttempts: 1, pendingCapacity: 1 };

/** The same host behind promises. */
function slow(host: ChurnHost): ChurnHost {
  return {
    dispatchFirst: async (...of) => host.dispatchFirst(...of),
    killWorker: async () => host.killWorker(),
    dispatchNext: async () => host.dispatchNext(),
    resolveProbe: async (...of) => host.resolveProbe(...of),
    complete: async (id) => host.complete(id),
    pending: async () => host.pending(),
    dispatched: async () => host.dispatched(),
  };
}
