import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createAllowance,
  nextAttempt,
  readAllowance,
  readAttemptCount,
} from "../../../src/spine/replay/allowance.ts";
import { allowance } from "./unwrap.ts";

describe("a replay allowance", () => {
  it.each([0, 1, 254, 255])("takes %d", (attempts) => {
    expect(readAttemptCount(attempts)).toEqual({ ok: true, value: attempts });
  });

  it.each([[-1], [256], [0.5], [Number.NaN], [Infinity], ["1"], [1n], [null], [undefined], [[]], [{}]])(
    "refuses %s",
    (attempts: unknown) => {
      const refused = { ok: false, reason: "invalid_attempt_count" };
      expect(readAttemptCount(attempts)).toEqual(refused);
      expect(readAllowance({ attempts_used: attempts, max_attempts: 1 })).toEqual(refused);
      expect(readAllowance({ attempts_used: 1, max_attempts: attempts })).toEqual(refused);
    },
  );

  it("is checked on both sides when it is made", () => {
    expect(createAllowance(0, 1)).toEqual({ ok: true, value: { attempts_used: 0, max_attempts: 1 } });
    expect(createAllowance(-1, 1).ok).toBe(false);
    expect(createAllowance(0, 256).ok).toBe(false);
  });

  it("gives the number after the used ones, while it is not above the bound", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }), (used, max) => {
        expect(nextAttempt(allowance(used, max))).toBe(used < max ? used + 1 : undefined);
      }),
    );
    expect(nextAttempt(allowance(255, 255))).toBeUndefined();
    expect(nextAttempt(allowance(9, 1))).toBeUndefined();
  });

  it("is read back as it was written, with nothing of a prototype in it", () => {
    expect(readAllowance(JSON.parse('{"attempts_used":1,"max_attempts":3}'))).toEqual({
      ok: true,
      value: { attempts_used: 1, max_attempts: 3 },
    });
    expect(readAllowance(Object.create({ attempts_used: 1, max_attempts: 3 })).ok).toBe(false);
  });

  it("is a judgement about anything", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readAllowance(value).ok).toBe(false);
        expect(typeof readAttemptCount(value).ok).toBe("boolean");
      }),
    );
  });
});
