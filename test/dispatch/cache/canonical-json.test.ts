import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/dispatch/cache/canonical-json.ts";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";

const ANY = Number.POSITIVE_INFINITY;

function parse(text: string): unknown {
  const read = parseExactJson(text, { duplicates: "last" });
  if (!read.ok) throw new Error("a test's own text is no JSON");
  return read.value;
}

const canonicalText = (text: string): string | undefined => canonicalJson(parse(text), ANY);

/** JSON texts, numbers that JavaScript would not give back included. */
const texts: fc.Arbitrary<string> = fc
  .jsonValue({ maxDepth: 5, stringUnit: "binary" })
  .chain((value) =>
    fc
      .constantFrom("1.0", "1e3", "-0", "12345678901234567890", "1e999")
      .map((number) => `{"a":${JSON.stringify(value)},"b":[${number}]}`),
  );

/** The same value with the members of every object in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => turned(item));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, turned(item)] as const)
      .toReversed(),
  );
}

describe("canonical JSON", () => {
  it("says what was said, number for number", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = parse(text);
        const written = canonicalJson(value, ANY) ?? "";
        expect(parse(written)).toEqual(value);
        expect(written.length).toBe(exactJsonText(value).length);
      }),
    );
  });

  it("is the same whatever the order of members, at every depth", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = parse(text);
        expect(canonicalJson(turned(value), ANY)).toBe(canonicalJson(value, ANY));
      }),
    );
  });

  it("is the same for equal values alone", () => {
    const { value: small } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom("1", "1.0", '"1"', "null", "[]", "{}") },
        { weight: 1, arbitrary: fc.tuple(tie("value"), tie("value")).map(([a, b]) => `[${a},${b}]`) },
        { weight: 2, arbitrary: fc.tuple(tie("value"), tie("value")).map(([a, b]) => `{"a":${a},"b":${b}}`) },
        { weight: 2, arbitrary: fc.tuple(tie("value"), tie("value")).map(([a, b]) => `{"b":${a},"a":${b}}`) },
      ),
    }));
    const seen = { equal: 0, different: 0 };
    fc.assert(
      fc.property(small, small, (one, other) => {
        const [left, right] = [parse(one), parse(other)];
        const areEqual = isDeepStrictEqual(left, right);
        seen[areEqual ? "equal" : "different"] += 1;
        expect(canonicalJson(left, ANY) === canonicalJson(right, ANY)).toBe(areEqual);
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.equal, seen.different)).toBeGreaterThan(10);
  });

  it.each([
    ["1", "1.0"],
    ["1e3", "1000"],
    ["12345678901234567890", "12345678901234567891"],
    ["1", '"1"'],
    ["null", '"null"'],
    ["[]", "{}"],
    ["[1,2]", "[2,1]"],
    ["[[1],2]", "[1,[2]]"],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
    ['{"__proto__":1}', "{}"],
    ['{"__proto__":{"a":1}}', '{"a":1}'],
    ['{"a,b":1}', '{"a":1,"b":1}'],
    [String.raw`"\ud800"`, String.raw`"\udc00"`],
    [String.raw`"\ud800"`, String.raw`"\ufffd"`],
    ['"é"', '"e\u0301"'],
  ])("differs for %s and %s", (one, other) => {
    expect(canonicalText(one)).not.toBe(canonicalText(other));
  });

  it("keeps a member called __proto__ in its place", () => {
    expect(canonicalText('{"b":1,"__proto__":{"z":1,"a":2},"a":3}')).toBe(
      '{"__proto__":{"a":2,"z":1},"a":3,"b":1}',
    );
  });

  it("leaves out what is not sent", () => {
    const unsayable = { b: undefined, a: [undefined, Number.NaN, () => 1, 1n], c: Symbol("c"), d: 1n };
    expect(canonicalJson(unsayable, ANY)).toBe('{"a":[null,null,null,null]}');
    expect(canonicalJson(undefined, ANY)).toBe("null");
  });

  it("takes any depth, and a circle as too long", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 50_000; depth += 1) deep = depth % 2 === 0 ? [deep] : { a: deep };
    expect(canonicalJson(deep, ANY)?.length).toBe(25_000 * 2 + 25_000 * 6 + 1);
    const circle: Record<string, unknown> = {};
    circle["a"] = circle;
    expect(canonicalJson(circle, 1000)).toBeUndefined();
  });

  it("is there up to the very bound, and not beyond", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = parse(text);
        const whole = canonicalJson(value, ANY) ?? "";
        expect(canonicalJson(value, whole.length)).toBe(whole);
        expect(canonicalJson(value, whole.length - 1)).toBeUndefined();
      }),
    );
  });
});
