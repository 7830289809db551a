import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { ARGUMENT_NUMBER_MAX_CHARS } from "../../src/limits.ts";
import {
  compareDecimals,
  decimalOf,
  decimalText,
  isInteger,
  isMultiple,
  isSameDecimal,
} from "../../src/exact-json/decimal.ts";
import { lintSchema } from "../../src/schema/lint.ts";
import { compileSchema } from "../../src/schema/validator.ts";

/** The value of a JSON text, its numbers as they stand there. */
function read(text: string): unknown {
  const parsed = parseExactJson(text, { duplicates: "refuse" });
  if (!parsed.ok) throw new Error(parsed.reason.reason);
  return parsed.value;
}

const object = (v: unknown, more: object = {}): unknown => ({ type: "object", properties: { v }, ...more });

/** `keyword path` of each error of `{"v": …}`; empty when valid. */
function errors(v: unknown, text: string, more: object = {}): readonly string[] {
  const compiled = compileSchema(object(v, more));
  if (!compiled.ok) throw new Error(compiled.reason.code);
  const verdict = compiled.value.validate(read(`{"v":${text}}`));
  return verdict.valid ? [] : verdict.errors.map(({ keyword, path }) => `${keyword} ${path}`);
}

describe("numbers that no double is equal to", () => {
  it.each([
    [{ type: "integer" }, "12345678901234567890", []],
    [{ type: "integer" }, "1.0", []],
    [{ type: "integer" }, "1e3", []],
    [{ type: "integer" }, "1.00000000000000000001", ["type /v"]],
    [{ type: "integer" }, "12345678901234567890.5", ["type /v"]],
    [{ type: "integer" }, "123456789012345678905e-1", ["type /v"]],
    [{ type: "number" }, "1.00000000000000000001", []],
    [{ type: ["null", "integer"] }, "9007199254740993", []],
    [{ type: "string" }, "9007199254740993", ["type /v"]],
    [{ type: ["string", "null"] }, "9007199254740993", ["type /v"]],
    [{ type: "boolean" }, "9007199254740993", ["type /v"]],
    [{ maximum: 9007199254740992 }, "9007199254740993", []],
    [{ maximum: 9007199254740992 }, "9007199254740992.0", []],
    [{ exclusiveMinimum: 9007199254740992 }, "9007199254740993", []],
    [{ exclusiveMaximum: 1 }, "0.99999999999999999999", []],
    [{ minimum: 1 }, "0.99999999999999999999", ["minimum /v"]],
    [{ minimum: 0 }, "-1e-400", ["minimum /v"]],
    [{ exclusiveMinimum: 0 }, "1e-400", []],
    [{ multipleOf: 7 }, "12345678901234567897", ["multipleOf /v"]],
    [{ multipleOf: 7 }, "12345678901234567896", []],
    [{ multipleOf: 0.01 }, "12345678901234567.89", []],
    [{ multipleOf: 0.01 }, "12345678901234567.891", ["multipleOf /v"]],
    [{ const: 9007199254740992 }, "9007199254740993", []],
    [{ const: 9007199254740992 }, "9007199254740995", ["const /v"]],
    [{ enum: [175928847299117060] }, "175928847299117063", []],
    [{ maximum: 9007199254740992 }, "9007199254740995", ["maximum /v"]],
    [{ const: 1.5 }, "1.50", []],
    [{ enum: [9007199254740992, { a: 1 }] }, "9007199254740993", []],
    [{ enum: [9007199254740992, { a: 1 }] }, '{"a":1.0}', []],
    [{ enum: [9007199254740992, { a: 1 }] }, '{"a":1.00000000000000000001}', ["enum /v"]],
    [{ uniqueItems: true }, "[9007199254740993,9007199254740992]", []],
    [{ uniqueItems: true }, "[9007199254740993,9007199254740993.0]", ["uniqueItems /v"]],
    [{ uniqueItems: true }, "[1,1.0]", ["uniqueItems /v"]],
    [{ uniqueItems: true }, '[9007199254740993,"9007199254740993"]', []],
    [{ minLength: 30 }, "9007199254740993", []],
    [{ maxLength: 3 }, "9007199254740993", []],
    [{ pattern: "^x" }, "9007199254740993", []],
    [{ not: { type: "string" } }, "9007199254740993", []],
    [{ items: { maximum: 5 } }, "[9007199254740993,4]", ["maximum /v/0"]],
    [{ anyOf: [{ type: "string" }, { type: "integer", minimum: 0 }] }, "-9007199254740993", ["minimum /v"]],
    [{ additionalProperties: { type: "number" } }, '{"__proto__":9007199254740993}', []],
    [{ contains: { const: 1 } }, "[9007199254740993]", ["contains /v"]],
  ])("are judged as what they are: %j, %s", (schema, text, expected) => {
    expect(errors(schema, text)).toEqual(expected);
  });

  it("change nothing for the strings and numbers beside them", () => {
    const beside = {
      properties: { v: {}, n: { type: "integer", maximum: 5 }, s: { minLength: 2, pattern: "^a" } },
    };
    const judged = (args: string): readonly string[] => {
      const compiled = compileSchema({ type: "object", ...beside });
      if (!compiled.ok) throw new Error(compiled.reason.code);
      const verdict = compiled.value.validate(read(args));
      return verdict.valid ? [] : verdict.errors.map(({ keyword, path }) => `${keyword} ${path}`);
    };
    for (const rest of [
      '"n":"x","s":"a"',
      '"n":7,"s":"bb"',
      '"n":5,"s":"ab"',
      '"n":1.5,"s":5',
      '"n":null,"s":"aé"',
    ]) {
      expect(judged(`{"v":9007199254740993,${rest}}`)).toEqual(judged(`{"v":1,${rest}}`));
    }
  });

  it("leave the validator as it was for what comes after", () => {
    const compiled = compileSchema(
      object(
        { type: "integer", maximum: 5 },
        { properties: { v: { type: "integer", maximum: 5 }, s: { minLength: 2 } } },
      ),
    );
    if (!compiled.ok) throw new Error(compiled.reason.code);
    const sequence = [
      '{"v":9007199254740993}',
      '{"v":"x"}',
      '{"v":5}',
      '{"v":9007199254740993,"s":"a"}',
      '{"s":"a"}',
      '{"v":"9"}',
    ];
    const verdicts = sequence.map((text) => compiled.value.validate(read(text)));
    const alone = sequence.map((text) => {
      const fresh = compileSchema(
        object({}, { properties: { v: { type: "integer", maximum: 5 }, s: { minLength: 2 } } }),
      );
      return fresh.ok ? fresh.value.validate(read(text)) : undefined;
    });
    expect(verdicts).toEqual(alone);
  });

  it.each([
    ["beyond the largest double", "1e999", "arguments_not_json"],
    ["beyond the smallest", "-1e400", "arguments_not_json"],
    [
      "of more digits than any double has",
      `0.${"1".repeat(ARGUMENT_NUMBER_MAX_CHARS)}`,
      "arguments_too_large",
    ],
    [
      "beside text that could be taken for one",
      '["\\ud800number:1e0",9007199254740993]',
      "arguments_not_json",
    ],
  ])("are refused unjudged where they are %s", (_, text, guard) => {
    expect(errors({}, text)[0]).toMatch(new RegExp(`^${guard}`));
  });

  it("do not forbid half a character in text where there are none", () => {
    expect(errors({ type: "string" }, '"\\ud800number:1e0"')).toEqual([]);
    expect(errors({}, '["\\ud800number:1e0",1.0]')).toEqual([]);
  });

  it("are multiplied and compared at once, however small they are", () => {
    expect(errors({ multipleOf: 7 }, "1e-99999999999999999999")).toEqual(["multipleOf /v"]);
    expect(errors({ minimum: 0, maximum: 5e-324 }, "1e-99999999999999999999")).toEqual([]);
  });

  it("are numbers in a schema as well", () => {
    const schema = read(
      '{"type":"object","properties":{"v":{"minimum":1.0,"maximum":1e1,"default":12345678901234567890}}}',
    );
    const limits = { max_bytes: 65_536, max_depth: 32, max_properties: 512, on_invalid: "flag" } as const;
    expect(lintSchema(schema, limits)).toMatchObject({ findings: [], usable: true, measure: { depth: 2 } });
    const compiled = compileSchema(schema);
    expect(compiled.ok && compiled.value.validate({ v: 11 })).toMatchObject({
      errors: [{ keyword: "maximum" }],
    });
  });

  const small = fc.integer({ min: -50, max: 50 }).map((quarters) => quarters / 4);
  const ways = ["allOf", "anyOf", "oneOf"] as const;
  const rules = fc.array(
    fc.oneof(
      fc.constantFrom("integer", "number", "string", "null").map((type) => ["type", type] as const),
      fc
        .constantFrom("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        .chain((keyword) => small.map((bound) => [keyword, bound] as const)),
      fc.integer({ min: 1, max: 20 }).map((quarters) => ["multipleOf", quarters / 4] as const),
      small.map((value) => ["const", value] as const),
    ),
    { minLength: 1, maxLength: 3 },
  );

  it("are judged as the double is, where one has that value, however it is written", () => {
    fc.assert(
      fc.property(rules, fc.constantFrom(...ways), small, fc.boolean(), (list, way, value, spelt) => {
        const schema = { [way]: list.map(([keyword, asked]) => ({ [keyword]: asked })) };
        const plain = String(value);
        const other = spelt ? `${value * 100}e-2` : `${plain}${plain.includes(".") ? "0" : ".0"}`;
        expect(errors(schema, other)).toEqual(errors(schema, plain));
      }),
      { numRuns: 400 },
    );
  });

  it("are judged as a little more or less than a double, where they are that", () => {
    const seen = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(rules, fc.constantFrom(...ways), small, fc.constantFrom(-1, 1), (list, way, near, side) => {
        // A hair beside a quarter: no integer, no multiple, equal to nothing, and on its side of every bound.
        const hair = (BigInt(near * 4) * 25n * 10n ** 28n + BigInt(side)).toString();
        const verdicts = list.map(([keyword, asked]) => {
          if (keyword === "type") return asked === "number";
          if (keyword === "multipleOf" || keyword === "const") return false;
          const above = near > asked || (near === asked && side > 0);
          return keyword.toLowerCase().endsWith("minimum") === above;
        });
        const count = verdicts.filter(Boolean).length;
        const expected = { allOf: count === list.length, anyOf: count > 0, oneOf: count === 1 }[way];
        seen[expected ? "valid" : "invalid"] += 1;
        const schema = { [way]: list.map(([keyword, asked]) => ({ [keyword]: asked })) };
        expect({ schema, hair, valid: errors(schema, `${hair}e-30`).length === 0 }).toEqual({
          schema,
          hair,
          valid: expected,
        });
      }),
      { numRuns: 600 },
    );
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(50);
  });
});

describe("decimal arithmetic", () => {
  const numberText = fc
    .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: -40, max: 40 }))
    .map(([coefficient, exponent]) => ({ coefficient, exponent, text: `${coefficient}e${exponent}` }));
  /** Exact on a common grid of forty places. */
  const scaled = ({ coefficient, exponent }: { coefficient: bigint; exponent: number }): bigint =>
    coefficient * 10n ** BigInt(exponent + 40);

  it("reads one value from each way of writing it", () => {
    for (const same of [
      ["1", "1.0", "1e0", "10E-1", "0.1e+1", "1.000"],
      ["0", "-0", "0.0", "0e99", "-0.00e-5"],
      ["-120", "-1.2e2", "-12e1", "-120.00"],
      ["12345678901234567890", "1.2345678901234567890e19"],
    ]) {
      expect(new Set(same.map((text) => decimalText(decimalOf(text))))).toHaveLength(1);
    }
  });

  it("compares, divides and knows integers as integers of any size do", () => {
    fc.assert(
      fc.property(numberText, numberText, (one, other) => {
        const [left, right] = [decimalOf(one.text), decimalOf(other.text)];
        const difference = scaled(one) - scaled(other);
        expect(Math.sign(compareDecimals(left, right))).toBe(
          difference === 0n ? 0 : difference < 0n ? -1 : 1,
        );
        expect(isSameDecimal(left, right)).toBe(difference === 0n);
        expect(isInteger(left)).toBe(scaled(one) % 10n ** 40n === 0n);
        const divisor = {
          ...other,
          coefficient: other.coefficient < 0n ? -other.coefficient : other.coefficient + 1n,
        };
        const divides = scaled(one) % scaled(divisor) === 0n;
        expect(isMultiple(left, decimalOf(`${divisor.coefficient}e${divisor.exponent}`))).toBe(divides);
      }),
      { numRuns: 1000 },
    );
  });

  it("reads what JavaScript writes of a double as that double", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(decimalText(decimalOf(String(value))))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it("is asked of values only; what is written stays what it was", () => {
    const args = read('{"v":12345678901234567890,"w":1.50}');
    const compiled = compileSchema(object({ type: "integer" }));
    expect(compiled.ok && compiled.value.validate(args)).toEqual({ valid: true });
    expect(exactJsonText(args)).toBe('{"v":12345678901234567890,"w":1.50}');
    expect(exactJsonText(new ExactNumber("1.50"))).toBe("1.50");
  });
});
