import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { UNSIGNED_64_MAX_VALUE } from "../../../src/limits/spine.ts";
import { fail, ok } from "../../../src/result.ts";
import { readSafeUnsigned, readUnsigned } from "../../../src/spine/normalise/integer.ts";
import { numberText } from "../../exact-json/json-texts.ts";

const U64 = 2n ** 64n - 1n;

describe("an unsigned integer", () => {
  it.each<[unknown, bigint]>([
    ["42", 42n],
    ["42.0", 42n],
    ["42.000", 42n],
    ["  42\n", 42n],
    ["0", 0n],
    ["0.0", 0n],
    ["9007199254740993", 9007199254740993n],
    ["18446744073709551615", U64],
    [`1.${"0".repeat(10_000)}`, 1n],
    [42, 42n],
    [42.0, 42n],
    [-0, 0n],
    [Number.MAX_SAFE_INTEGER, 9007199254740991n],
    [7n, 7n],
    [new ExactNumber("9007199254740993"), 9007199254740993n],
    [new ExactNumber("42.000"), 42n],
    [new ExactNumber("4.2e1"), 42n],
    [new ExactNumber("420e-1"), 42n],
    [new ExactNumber("-0"), 0n],
    [new ExactNumber("0e999999999999"), 0n],
    [new ExactNumber("1e19"), 10_000_000_000_000_000_000n],
  ])("is read from %s", (value, integer) => {
    expect(readUnsigned(value)).toEqual(ok(integer));
  });

  it.each<[unknown, string]>([
    ["", "empty"],
    [" \t ", "empty"],
    ["-1", "invalid"],
    ["+1", "invalid"],
    ["-0", "invalid"],
    ["7.5", "invalid"],
    ["7.", "invalid"],
    [".0", "invalid"],
    ["7.05", "invalid"],
    ["abc", "invalid"],
    ["1e3", "invalid"],
    ["0x10", "invalid"],
    ["007", "invalid"],
    ["1 000", "invalid"],
    ["1,000", "invalid"],
    ["1_000", "invalid"],
    ["٤٢", "invalid"],
    ["42\u0000", "invalid"],
    ["Infinity", "invalid"],
    ["18446744073709551616", "out_of_range"],
    ["9".repeat(1_000_000), "out_of_range"],
    [-1, "invalid"],
    [7.5, "invalid"],
    [Number.NaN, "invalid"],
    [Infinity, "invalid"],
    [2 ** 53, "inexact"],
    [-1n, "invalid"],
    [U64 + 1n, "out_of_range"],
    [new ExactNumber("-1.0"), "invalid"],
    [new ExactNumber("1e-1"), "invalid"],
    [new ExactNumber(`1e-${"9".repeat(400)}`), "invalid"],
    [new ExactNumber("18446744073709551616"), "out_of_range"],
    [new ExactNumber("1e999999999999"), "out_of_range"],
    [new ExactNumber(`1e${"9".repeat(400)}`), "out_of_range"],
    [null, "wrong_type"],
    [undefined, "wrong_type"],
    [true, "wrong_type"],
    [["42"], "wrong_type"],
    [{ valueOf: () => 42 }, "wrong_type"],
  ])("is not read from %s: %s", (value, problem) => {
    expect(readUnsigned(value)).toEqual(fail(problem));
  });

  it("of 64 bits ends at 2^64 - 1", () => {
    expect(UNSIGNED_64_MAX_VALUE).toBe(U64);
  });

  it("of any size goes to a text and back, with blanks and a fraction of nothing", () => {
    const blank = fc.constantFrom("", " ", "\n\t", "\u00a0");
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 300n }),
        fc.constantFrom("", ".0", ".000"),
        blank,
        blank,
        (integer, fraction, before, after) => {
          const text = `${before}${integer}${fraction}${after}`;
          expect(readUnsigned(text, { max: integer })).toEqual(ok(integer));
          expect(readUnsigned(new ExactNumber(`${integer}${fraction}`), { max: integer })).toEqual(
            ok(integer),
          );
          expect(readUnsigned(text, { max: integer - 1n })).toEqual(fail("out_of_range"));
          expect(readUnsigned(text)).toEqual(integer > U64 ? fail("out_of_range") : ok(integer));
          expect(readUnsigned(`-${integer}`)).toEqual(fail("invalid"));
        },
      ),
    );
  });

  it("from an exactly read JSON number is that number, however it is written", () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const parsed = parseExactJson(text, { duplicates: "refuse" });
        if (!parsed.ok) throw new Error(text);
        const max = 10n ** 60n;
        expect(readUnsigned(parsed.value, { max, fromExactJson: true })).toEqual(decimal(text, max));
      }),
      { numRuns: 500 },
    );
    // What JavaScript writes for 2^63, which is another number.
    expect(readUnsigned(9223372036854776000, { fromExactJson: true })).toEqual(ok(9223372036854776000n));
  });

  it("as a number is one that JavaScript counts exactly", () => {
    expect(readSafeUnsigned("9007199254740991")).toEqual(ok(Number.MAX_SAFE_INTEGER));
    expect(readSafeUnsigned("9007199254740992")).toEqual(fail("out_of_range"));
    expect(readSafeUnsigned(new ExactNumber("9007199254740993"))).toEqual(fail("out_of_range"));
    expect(readSafeUnsigned("50", 50)).toEqual(ok(50));
    expect(readSafeUnsigned("51", 50)).toEqual(fail("out_of_range"));
    expect(readSafeUnsigned("0", Number.NaN)).toEqual(fail("out_of_range"));
    expect(readSafeUnsigned("1", -5)).toEqual(fail("out_of_range"));
    expect(readSafeUnsigned("7", Infinity)).toEqual(ok(7));
  });

  it("is a judgement about anything", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withBigInt: true }), fc.string({ unit: "binary" })), (value) => {
        const read = readUnsigned(value);
        expect(!read.ok || (read.value >= 0n && read.value <= U64)).toBe(true);
      }),
    );
  });
});

/** What a JSON number comes to, by writing all of it out. */
function decimal(text: string, max: bigint): unknown {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(text) ?? [];
  if (/^[0.]*$/.test(`${whole}.${fraction}`)) return ok(0n);
  if (sign === "-") return fail("invalid");
  const places = Number(exponent) - fraction.length;
  const digits = BigInt(`${whole}${fraction}`);
  if (places >= 0) {
    const value = digits * 10n ** BigInt(places);
    return value > max ? fail("out_of_range") : ok(value);
  }
  const unit = 10n ** BigInt(-places);
  if (digits % unit !== 0n) return fail("invalid");
  return digits / unit > max ? fail("out_of_range") : ok(digits / unit);
}
