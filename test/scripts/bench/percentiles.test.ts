import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { median, percentile } from "../../../scripts/bench/figures/percentiles.ts";

const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe("a percentile", () => {
  it("is the smallest of the values that its share of them does not exceed", () => {
    fc.assert(
      fc.property(values, share, (all, part) => {
        const found = percentile(all, part);
        const upTo = (limit: number): number => all.filter((value) => value <= limit).length;
        expect(all).toContain(found);
        expect(upTo(found)).toBeGreaterThanOrEqual(part * all.length);
        const smaller = all.filter((value) => value < found).length;
        expect(smaller === 0 || smaller < part * all.length).toBe(true);
      }),
    );
  });

  it("does not hang on the order of the values, and leaves them as they are", () => {
    fc.assert(
      fc.property(values, share, (all, part) => {
        const before = [...all];
        expect(percentile(all.toReversed(), part)).toBe(percentile(all, part));
        expect(all).toEqual(before);
      }),
    );
  });

  it("is exact on known values", () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
    expect([percentile(hundred, 0.5), percentile(hundred, 0.99), percentile(hundred, 1)]).toEqual([
      50, 99, 100,
    ]);
    expect(median([10, 9, 2])).toBe(9);
    expect(percentile([], 0.5)).toBeNaN();
  });
});
