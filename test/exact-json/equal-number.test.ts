import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalNumbers } from "../../src/exact-json/equal-number.ts";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";

const exact = (text: string) => new ExactNumber(text);

describe("equal numbers", () => {
  it.each([
    ["1", "1.0", true],
    ["10e-1", "1", true],
    ["-0", "0", true],
    ["0e999999999999", "0", true],
    ["1e400", "10e399", true],
    ["12345678901234567890", "12345678901234567891", false],
    ["1", "-1", false],
    ["1e400", "1e401", false],
    ["0.10", "0.1", true],
    ["1e99999999999999999999", "1e99999999999999999999", true],
  ])("%s and %s: %s", (left, right, equal) => {
    expect(equalNumbers(exact(left), exact(right))).toBe(equal);
    expect(equalNumbers(exact(right), exact(left))).toBe(equal);
  });

  it("are what integers are that differ in how they are written", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), fc.nat(40), (left, right, zeros) => {
        const written = exact(`${left}.${"0".repeat(zeros + 1)}`);
        // A zero has no zeros behind it in JSON.
        const padded = left === 0n ? "0" : `${left}${"0".repeat(zeros)}`;
        expect(equalNumbers(written, exact(`${padded}e-${zeros}`))).toBe(true);
        expect(equalNumbers(written, exact(String(right)))).toBe(left === right);
      }),
    );
  });

  it("are JavaScript's own where both are", () => {
    expect(equalNumbers(0.1 + 0.2, 0.3)).toBe(false);
    expect(equalNumbers(2, exact("2.0"))).toBe(true);
    expect(equalNumbers(Number.NaN, exact("1"))).toBe(false);
  });

  it("does no more work than the text is long", () => {
    const zeros = "0".repeat(200_000);
    expect(equalNumbers(exact(`1${zeros}`), exact(`1${zeros}.${zeros}`))).toBe(true);
  });
});
