import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ARTIFACT_RESERVATIONS_MAX_COUNT } from "../../src/limits.ts";
import { ArtifactReservations } from "../../src/principal/artifact-reservations.ts";

const attempts = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
const amount = fc.record({ bytes: fc.nat(1000), count: fc.nat(33) });
const step = fc.oneof(
  fc.record({ step: fc.constant("hold" as const), attempt: attempts, amount, leaseMs: fc.nat(20) }),
  fc.record({ step: fc.constant("end" as const), attempt: attempts }),
  fc.record({ step: fc.constant("wait" as const), ms: fc.nat(15) }),
);

describe("room that is held for calls under way", () => {
  it("is held once an attempt, until its call has ended or its lease has", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const reservations = new ArtifactReservations();
        const model = new Map<string, { bytes: number; count: number; endsAtMs: number }>();
        let nowMs = 0;
        for (const taken of steps) {
          if (taken.step === "wait") nowMs += taken.ms;
          if (taken.step === "end") {
            reservations.end(taken.attempt);
            model.delete(taken.attempt);
          }
          if (taken.step === "hold") {
            const endsAtMs = nowMs + taken.leaseMs;
            reservations.hold(taken.attempt, taken.amount, endsAtMs, nowMs);
            model.set(taken.attempt, { ...taken.amount, endsAtMs });
          }
          const live = [...model].filter(([, { endsAtMs }]) => endsAtMs > nowMs);
          expect(reservations.total(nowMs)).toEqual({
            bytes: live.reduce((sum, [, { bytes }]) => sum + bytes, 0),
            count: live.reduce((sum, [, { count }]) => sum + count, 0),
          });
          const ends = live.map(([, { endsAtMs }]) => endsAtMs);
          expect(reservations.firstEndMs(nowMs)).toBe(ends.length === 0 ? null : Math.min(...ends));
          for (const attempt of ["a", "__proto__"]) {
            const known = live.find(([name]) => name === attempt);
            const expected = known && { bytes: known[1].bytes, count: known[1].count };
            expect(reservations.find(attempt, nowMs)).toEqual(expected ?? null);
          }
        }
      }),
    );
  });

  it("is bounded: beyond it, those are forgotten whose leases end first", () => {
    const reservations = new ArtifactReservations();
    const one = { bytes: 1, count: 1 };
    reservations.hold("soon", one, 10, 0);
    for (let index = 0; index < ARTIFACT_RESERVATIONS_MAX_COUNT; index += 1) {
      reservations.hold(`later ${index}`, one, 20 + index, 0);
    }
    expect(reservations.total(0).count).toBe(ARTIFACT_RESERVATIONS_MAX_COUNT);
    expect(reservations.find("soon", 0)).toBeNull();
    expect(reservations.find("later 0", 0)).toEqual(one);
  });
});
