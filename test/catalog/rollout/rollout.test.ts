import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  activeTarget,
  type Move,
  NO_ROLLOUT,
  promote,
  rollBack,
  type Rollout,
  keyOf,
  type TargetKeys,
  withGeneration,
  withoutLost,
} from "../../../src/catalog/rollout/rollout.ts";
import { readGeneration } from "../../../src/spine/fault/generation.ts";

const KEYS: TargetKeys = { configured: "blue", candidate: "green" };
const SWAPPED: TargetKeys = { configured: "green", candidate: "blue" };

function moved(result: ReturnType<typeof promote>): Move {
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

describe("a server with a candidate", () => {
  it("is called at its configured address until it is promoted, and there again after a rollback", () => {
    expect(activeTarget(NO_ROLLOUT, KEYS)).toBe("configured");
    const there = moved(promote(NO_ROLLOUT, KEYS));
    expect(there).toMatchObject({ from: "configured", to: "candidate", generation: 2 });
    expect(activeTarget(there.rollout, KEYS)).toBe("candidate");
    const back = moved(rollBack(there.rollout, KEYS));
    expect(back).toMatchObject({ from: "candidate", to: "configured", generation: 3 });
    expect(activeTarget(back.rollout, KEYS)).toBe("configured");
  });

  it("is promoted once, and rolled back once a promotion", () => {
    const { rollout } = moved(promote(NO_ROLLOUT, KEYS));
    expect(promote(rollout, KEYS)).toEqual({ ok: false, reason: "already_active" });
    const back = moved(rollBack(rollout, KEYS));
    expect(rollBack(back.rollout, KEYS)).toEqual({ ok: false, reason: "nothing_to_roll_back" });
    expect(moved(promote(back.rollout, KEYS)).generation).toBe(4);
    expect(rollBack(NO_ROLLOUT, KEYS)).toEqual({ ok: false, reason: "nothing_to_roll_back" });
  });

  it("goes on where it was when the configuration catches up with the promotion", () => {
    const { rollout } = moved(promote(NO_ROLLOUT, KEYS));
    expect(activeTarget(rollout, { configured: "green", candidate: undefined })).toBe("configured");
    expect(withGeneration(rollout, "green")).toMatchObject({ ok: true, value: { generation: 2, rollout } });
    expect(activeTarget(rollout, SWAPPED)).toBe("configured");
    expect(moved(rollBack(rollout, SWAPPED))).toMatchObject({ to: "candidate", rollout: { active: "blue" } });
  });

  it("goes to the configured address when the promoted one leaves the configuration", () => {
    const { rollout } = moved(promote(NO_ROLLOUT, KEYS));
    const another: TargetKeys = { configured: "blue", candidate: "violet" };
    for (const sources of [another, { configured: "blue", candidate: undefined }]) {
      expect(activeTarget(rollout, sources)).toBe("configured");
      expect(rollBack(rollout, sources)).toEqual({ ok: false, reason: "nothing_to_roll_back" });
    }
    expect(moved(promote(rollout, another))).toMatchObject({ to: "candidate", generation: 4 });
  });

  it("has a greater generation whenever another target was active in between, without any promotion", () => {
    const numbers: number[] = [];
    let rollout = NO_ROLLOUT;
    for (const key of ["x", "z", "z", "x", "z"]) {
      const given = withGeneration(rollout, key);
      if (!given.ok) throw new Error(given.reason);
      rollout = given.value.rollout;
      numbers.push(given.value.generation);
    }
    expect(numbers).toEqual([1, 2, 2, 3, 4]);
  });

  it("waits for a promotion again where the configuration had lost what was promoted", () => {
    const { rollout } = moved(promote(NO_ROLLOUT, KEYS));
    expect(withoutLost(rollout, KEYS)).toBe(rollout);
    expect(withoutLost(rollout, SWAPPED)).toBe(rollout);
    const left = withoutLost(rollout, { configured: "blue", candidate: undefined });
    expect(activeTarget(left, KEYS)).toBe("configured");
    expect(rollBack(left, KEYS)).toEqual({ ok: false, reason: "nothing_to_roll_back" });
    expect(moved(promote(left, KEYS)).generation).toBeGreaterThan(2);
  });

  it("has no candidate where the two are one", () => {
    for (const candidate of [undefined, "blue"]) {
      expect(promote(NO_ROLLOUT, { configured: "blue", candidate })).toEqual({
        ok: false,
        reason: "no_candidate",
      });
    }
  });

  it("is not moved under a number that is not exact", () => {
    const last = readGeneration(Number.MAX_SAFE_INTEGER);
    if (!last.ok) throw new Error("no generation");
    const rollout: Rollout = { ...NO_ROLLOUT, generations: new Map([["blue", last.value]]) };
    expect(promote(rollout, KEYS)).toEqual({ ok: false, reason: "generation_exhausted" });
  });
});

describe("any history of promotions, rollbacks and configurations", () => {
  const names = ["a", "b", "c"];
  const sources = fc.record({
    configured: fc.constantFrom(...names),
    candidate: fc.option(fc.constantFrom(...names), { nil: undefined }),
  });
  const steps = fc.array(fc.tuple(fc.constantFrom("promote", "rollback", "refresh"), sources));

  it("gives every activation a greater generation, and calls only what the configuration has", () => {
    fc.assert(
      fc.property(steps, (history) => {
        let rollout = NO_ROLLOUT;
        let newest = 0;
        for (const [step, having] of history) {
          const before = activeTarget(rollout, having);
          expect(keyOf(before, having)).toBeDefined();
          if (step === "refresh") {
            const given = withGeneration(rollout, keyOf(before, having) ?? "");
            if (!given.ok) throw new Error(given.reason);
            rollout = given.value.rollout;
            newest = Math.max(newest, given.value.generation);
            continue;
          }
          const move = step === "promote" ? promote(rollout, having) : rollBack(rollout, having);
          if (!move.ok) continue;
          expect(move.value.generation).toBeGreaterThan(newest);
          expect(move.value.from).toBe(before);
          expect(activeTarget(move.value.rollout, having)).toBe(move.value.to);
          expect(move.value.to).not.toBe(before);
          ({ rollout } = move.value);
          newest = move.value.generation;
        }
        const numbers = [...rollout.generations.values()];
        expect(new Set(numbers).size).toBe(numbers.length);
      }),
    );
  });
});
