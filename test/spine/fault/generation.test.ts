import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GENESIS, nextGeneration, readGeneration } from "../../../src/spine/fault/generation.ts";
import { unwrap } from "../replay/unwrap.ts";

describe("a generation", () => {
  it("begins at 1 and is a plain number on the wire", () => {
    expect(JSON.stringify({ generation: GENESIS })).toBe('{"generation":1}');
    expect(unwrap(nextGeneration(GENESIS))).toBe(2);
  });

  it("ends with an error at the last safe integer: it neither wraps nor stands still", () => {
    const last = unwrap(readGeneration(Number.MAX_SAFE_INTEGER));
    expect(nextGeneration(last)).toEqual({ ok: false, reason: "generation_exhausted" });
    expect(unwrap(nextGeneration(unwrap(readGeneration(Number.MAX_SAFE_INTEGER - 1))))).toBe(last);
  });

  it.each([
    [0],
    [-0],
    [-1],
    [1.5],
    [Number.NaN],
    [Infinity],
    [Number.MAX_SAFE_INTEGER + 1],
    ["1"],
    [1n],
    [true],
    [null],
    [undefined],
    [[1]],
    [{ valueOf: 1 }],
  ])("refuses %s", (value: unknown) => {
    expect(readGeneration(value)).toEqual({ ok: false, reason: "invalid_generation" });
  });

  it("advances strictly, for any generation below the last", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 }), (number) => {
        expect(unwrap(nextGeneration(unwrap(readGeneration(number))))).toBe(number + 1);
      }),
    );
  });
});
