import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { plainJson } from "../../src/exact-json/plain.ts";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { bareObject } from "../../src/json.ts";
import { NATIVE_JSON_MAX_DEPTH } from "../../src/limits/exact-json.ts";
import { nested } from "./json-texts.ts";

const value = fc.anything({
  maxDepth: 4,
  withNullPrototype: true,
  withSparseArray: true,
  key: fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "1", "text")),
  values: [
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, Symbol("s"), () => 1),
  ],
});

/** The value deep inside, where the engine's own writer is not used. */
function buried(inner: unknown): unknown {
  let outer = inner;
  for (let level = 0; level <= NATIVE_JSON_MAX_DEPTH; level += 1) outer = [outer];
  return outer;
}

describe("what is written", () => {
  it("is what `JSON.stringify` writes, where nothing is exact", () => {
    fc.assert(
      fc.property(value, (value) => {
        expect(exactJsonText([value])).toBe(JSON.stringify([value]));
        expect(exactJsonText(buried(value))).toBe(JSON.stringify(buried(value)));
        expect(exactJsonText(value)).toBe(JSON.stringify(value) ?? "null");
      }),
    );
  });

  it("is what `JSON.stringify` writes, beside an exact number", () => {
    fc.assert(
      fc.property(value, fc.boolean(), (value, deep) => {
        const inner = deep ? buried(value) : value;
        const expected = JSON.stringify({ a: inner, n: 0, z: [inner, 0] });
        const exact = new ExactNumber("1.0");
        const written = exactJsonText({ a: inner, n: exact, z: [inner, exact] });
        const at = expected.lastIndexOf('"n":0') + 4;
        expect(written).toBe(`${expected.slice(0, at)}1.0${expected.slice(at + 1, -3)}1.0]}`);
      }),
    );
  });

  it("has exact numbers as they stood", () => {
    const one = new ExactNumber("1.0");
    expect(exactJsonText(one)).toBe("1.0");
    expect(exactJsonText({ b: one, a: [one, undefined, { __proto__: null, c: undefined, d: one }] })).toBe(
      '{"b":1.0,"a":[1.0,null,{"d":1.0}]}',
    );
  });

  it("survives fifty thousand levels, with an exact number and without", () => {
    for (const inner of ["1.0", '{"a":[1,"x"]}']) {
      const text = nested(50_000, inner);
      const result = parseExactJson(text, { duplicates: "last" });
      expect(result.ok && exactJsonText(result.value) === text).toBe(true);
    }
  });

  it("is valid JSON also where nobody asked for exactness", () => {
    const numbers = ["1e999", "-1e999", "-0", "12345678901234567890"].map((text) => new ExactNumber(text));
    expect(JSON.stringify(numbers)).toBe(
      "[1.7976931348623157e+308,-1.7976931348623157e+308,0,12345678901234567000]",
    );
  });

  it("can hold no text but a number's", () => {
    for (const text of ["", "1}", "01", "1.", "Infinity", "0x1", " 1", "1\n", "null", "١"])
      expect(() => new ExactNumber(text)).toThrow(RangeError);
  });
});

describe("a plain value", () => {
  it("is the very same where nothing is exact", () => {
    fc.assert(
      fc.property(value, (value) => {
        expect(plainJson(value)).toBe(value);
      }),
    );
  });

  it("shares with its source what holds no exact number, and leaves the source as it was", () => {
    const untouched = { a: [1] };
    const source = { untouched, list: [untouched, new ExactNumber("1.0")] };
    const plain = plainJson(source);
    expect(plain).toStrictEqual({ untouched: { a: [1] }, list: [{ a: [1] }, 1] });
    expect(plain).toHaveProperty("untouched", untouched);
    expect(Object.is(Reflect.get(Object(plain), "untouched"), untouched)).toBe(true);
    expect(source.list[1]).toEqual(new ExactNumber("1.0"));
  });

  it("has the nearest number, as `JSON.parse` has it", () => {
    const texts = ["1e999", "-0", "12345678901234567890", "1e-999"];
    expect(texts.map((text) => plainJson(new ExactNumber(text)))).toStrictEqual([
      Number.POSITIVE_INFINITY,
      -0,
      Number("12345678901234567890"),
      0,
    ]);
  });

  it("keeps members called `__proto__`, and an object without a prototype stays one", () => {
    const source: unknown = JSON.parse('{"__proto__":{"a":0}}');
    Reflect.set(Object(Reflect.get(Object(source), "__proto__")), "a", new ExactNumber("1.0"));
    expect(JSON.stringify(plainJson(source))).toBe('{"__proto__":{"a":1}}');
    const bare = Object.assign(bareObject<ExactNumber>(), { a: new ExactNumber("1.0") });
    expect(Object.getPrototypeOf(plainJson(bare))).toBeNull();
  });

  it("may nest a hundred thousand deep", () => {
    const result = parseExactJson(nested(100_000, "1.0"), { duplicates: "last" });
    expect(result.ok && exactJsonText(plainJson(result.value))).toBe(nested(100_000, "1"));
  });
});
