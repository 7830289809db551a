import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalNumber, equalNumbers } from "../../src/exact-json/equal-number.ts";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";

const digits = fc.stringMatching(/^(?:0|[1-9][0-9]{0,30})$/);
const numbers = fc
  .tuple(
    fc.constantFrom("", "-"),
    digits,
    fc.constantFrom("", ".0", ".5", ".50"),
    fc.constantFrom("", "e1", "E-2", "e400"),
  )
  .map((parts) => new ExactNumber(parts.join("")));

describe("the canonical text of a number", () => {
  it("is the same for numbers that are equal, and for no others", () => {
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        expect(canonicalNumber(one) === canonicalNumber(other)).toBe(equalNumbers(one, other));
      }),
    );
  });

  it.each([
    ["1.0", "1"],
    ["1e3", "1000"],
    ["-0", "0"],
    ["0.50", "0.5"],
    ["9007199254740993", "9007199254740993e0"],
    ["1e400", "1e400"],
    ["10e399", "1e400"],
    [`1e${"9".repeat(40)}`, `1e${"9".repeat(40)}`],
  ])("of %s is %s", (text, canonical) => {
    expect(canonicalNumber(new ExactNumber(text))).toBe(canonical);
  });
});
