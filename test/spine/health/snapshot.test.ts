import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../../src/result.ts";
import { reportedState } from "../../../src/spine/health/reported-state.ts";
import {
  HEALTH_MEMBERS,
  type HealthSnapshot,
  readHealthSnapshot,
} from "../../../src/spine/health/snapshot.ts";
import { breachOfSuccession } from "../../../src/spine/health/succession.ts";
import {
  anyCount,
  anyHandshake,
  anyLifecycle,
  anyRollout,
  anythingWith,
  fault,
  faultOf,
  generation,
} from "./arbitraries.ts";

const healthy: HealthSnapshot = {
  state: "ready",
  worker_handshake: "ready",
  generation: generation(3),
  uptime_ms: 12_000,
  consecutive_failures: 1,
  restart_count: 2,
  rollout: "stable",
  last_fault: fault(2),
};

const anySnapshot: fc.Arbitrary<HealthSnapshot> = fc
  .record({ of: fc.integer({ min: 1, max: 2 ** 40 }), lifecycle: anyLifecycle, handshake: anyHandshake })
  .chain(({ of, lifecycle, handshake }) =>
    fc.record(
      {
        state: fc.constant(reportedState(lifecycle, handshake)),
        worker_handshake: fc.constant(handshake),
        generation: fc.constant(generation(of)),
        uptime_ms: anyCount,
        consecutive_failures: anyCount,
        restart_count: fc.integer({ min: 0, max: of - 1 }),
        rollout: anyRollout,
        last_fault: fc
          .integer({ min: 1, max: of })
          .map(generation)
          .chain((of) => faultOf(of)),
      },
      {
        requiredKeys: [
          "state",
          "worker_handshake",
          "generation",
          "uptime_ms",
          "consecutive_failures",
          "restart_count",
        ],
      },
    ),
  );

describe("a health snapshot", () => {
  it("reads back as it was written, member for member in the wire's order", () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const read = readHealthSnapshot(JSON.parse(JSON.stringify(snapshot)));
        expect(read).toEqual(ok(snapshot));
        const names = read.ok ? Object.keys(read.value) : [];
        expect(names).toEqual(HEALTH_MEMBERS.filter((name) => names.includes(name)));
      }),
    );
  });

  it("needs no rollout and no fault, and takes null for none", () => {
    const { rollout, last_fault, ...least } = healthy;
    expect(readHealthSnapshot(least)).toEqual(ok(least));
    expect(readHealthSnapshot({ ...least, rollout: null, last_fault: null })).toEqual(ok(least));
    expect([rollout, last_fault?.generation]).toEqual(["stable", 2]);
  });

  it.each([
    ["state", "dead"],
    ["state", "toString"],
    ["worker_handshake", undefined],
    ["worker_handshake", "READY"],
    ["generation", 0],
    ["generation", 1.5],
    ["generation", "1"],
    ["uptime_ms", -1],
    ["uptime_ms", 0.5],
    ["uptime_ms", Number.NaN],
    ["uptime_ms", Infinity],
    ["consecutive_failures", 2 ** 53],
    ["consecutive_failures", "0"],
    ["restart_count", -1],
    ["rollout", "paused"],
    ["rollout", 0],
  ] as const)("is refused with %s %j", (member, value) => {
    expect(readHealthSnapshot({ ...healthy, [member]: value })).toEqual(
      fail({ reason: "invalid_member", member }),
    );
  });

  it("is never ready without its worker", () => {
    for (const handshake of ["absent", "starting", "initializing", "failed"]) {
      expect(readHealthSnapshot({ ...healthy, worker_handshake: handshake })).toEqual(
        fail({ reason: "false_ready" }),
      );
    }
  });

  it("has no more restarts than generations went by", () => {
    expect(readHealthSnapshot({ ...healthy, restart_count: 3 })).toEqual(
      fail({ reason: "restarts_beyond_generation" }),
    );
  });

  it("knows no fault of a generation to come, and no broken one", () => {
    expect(readHealthSnapshot({ ...healthy, last_fault: fault(4) })).toEqual(
      fail({ reason: "fault_of_later_generation" }),
    );
    expect(readHealthSnapshot({ ...healthy, last_fault: { ...fault(3), class: "bad luck" } })).toEqual(
      fail({ reason: "invalid_fault", problem: "unknown_fault_class" }),
    );
  });

  it("is not inherited: what a prototype says counts for nothing", () => {
    expect(readHealthSnapshot(Object.create(healthy)).ok).toBe(false);
  });

  it("reads anything at all without throwing, and what it accepts it accepts again", () => {
    fc.assert(
      fc.property(fc.oneof(anythingWith(HEALTH_MEMBERS), anySnapshot), (value) => {
        const read = readHealthSnapshot(value);
        expect(read.ok ? readHealthSnapshot(read.value) : read).toEqual(read);
      }),
      { numRuns: 300 },
    );
  });
});

describe("two snapshots of one session", () => {
  it("may follow each other over a restart, a success and a new process", () => {
    expect(breachOfSuccession(healthy, healthy)).toBeUndefined();
    const later = {
      ...healthy,
      generation: generation(5),
      restart_count: 3,
      uptime_ms: 0,
      consecutive_failures: 0,
    };
    expect(breachOfSuccession(healthy, later)).toBeUndefined();
  });

  it.each([
    [{ generation: generation(2), restart_count: 2 }, "generation_went_back"],
    [{ generation: generation(9), restart_count: 1 }, "restarts_went_back"],
    [{ generation: generation(4), restart_count: 2 }, "restarts_and_generation_disagree"],
    [{ generation: generation(3), restart_count: 3 }, "restarts_and_generation_disagree"],
    [{ generation: generation(4), restart_count: 4 }, "restarts_and_generation_disagree"],
  ] as const)("may not follow with %j: %s", (change, breach) => {
    expect(breachOfSuccession(healthy, { ...healthy, ...change })).toBe(breach);
  });
});
