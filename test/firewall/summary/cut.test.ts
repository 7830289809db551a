import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutWithin } from "../../../src/firewall/summary/cut.ts";

describe("a cut text", () => {
  it("is whole where it fits, and marked where it does not", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        (text, count) => {
          const cut = cutWithin(text, count);
          expect(Array.from(cut).length).toBeLessThanOrEqual(count);
          const fits = Array.from(text).length <= count;
          expect(fits ? cut === text : cut.endsWith("…")).toBe(true);
        },
      ),
    );
  });
});
