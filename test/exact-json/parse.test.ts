import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber, isExactNumber } from "../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { plainJson } from "../../src/exact-json/plain.ts";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { isJsonArray, isRecord, memberOf } from "../../src/json.ts";
import { DUPLICATE_PATH_MAX_CHARS, EXACT_NUMBERS_MAX_COUNT } from "../../src/limits/exact-json.ts";
import { brokenText, firstDuplicate, jsonText, nested, numberText, numberTokens } from "./json-texts.ts";

const LAST = { duplicates: "last" } as const;
const REFUSE = { duplicates: "refuse" } as const;

function read(text: string): unknown {
  const result = parseExactJson(text, LAST);
  if (!result.ok) throw new Error(result.reason.reason);
  return result.value;
}

function native(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

describe("a text with more different exact numbers than are kept", () => {
  const listOf = (tokens: readonly string[]): string => `[${tokens.join(",")}]`;
  const count = EXACT_NUMBERS_MAX_COUNT;
  const looks = Array.from({ length: count + 10 }, (_, at) => `${at}.0`);

  it("keeps so many, and of the rest what a double holds as the number it is", () => {
    const value = read(listOf([...looks, "1.0"]));
    if (!isJsonArray(value)) throw new Error("no list");
    expect(value.filter(isExactNumber)).toHaveLength(count + 1);
    expect(value.slice(count, count + 10)).toEqual(looks.slice(count).map(Number));
    expect(plainJson(value)).toEqual([...looks, "1.0"].map(Number));
  });

  it("is not read where one of the rest would be rounded", () => {
    for (const rounded of ["12345678901234567891", "1e999", "0.1000000000000000055511151231257828"]) {
      expect(parseExactJson(listOf([...looks, rounded]), LAST)).toEqual({
        ok: false,
        reason: { reason: "too_many_numbers" },
      });
      expect(parseExactJson(listOf([rounded, ...looks]), LAST).ok).toBe(true);
    }
  });

  it("takes no number of the text for one of its stand-ins", () => {
    const near = Array.from({ length: 50 }, (_, at) => String(2 ** 52 + at));
    const value = read(listOf([...looks, ...near, "4503599627370496.0"]));
    if (!isJsonArray(value)) throw new Error("no list");
    expect(value.slice(-51)).toEqual([...near, near[0] ?? ""].map(Number));
  });
});

describe("numbers", () => {
  it.each([
    "12345678901234567890",
    "1.0",
    "1e3",
    "1E3",
    "-0",
    "-0.0",
    "0.10",
    "1e999",
    "1e21",
    "0.0000001",
    "9007199254740993",
  ])("%s keeps its text", (text) => {
    expect(read(text)).toEqual(new ExactNumber(text));
    expect(read(`{"a":[ ${text} ]}`)).toEqual({ a: [new ExactNumber(text)] });
  });

  it.each([
    "0",
    "1",
    "-1",
    "0.1",
    "1.5",
    "-0.5",
    "123456789012345",
    "9007199254740991",
    "1e+21",
    "5e-324",
    "0.000001",
    "0.30000000000000004",
  ])("%s is a plain number: JavaScript writes it so", (text) => {
    expect(read(text)).toBe(Number(text));
  });

  it("are exact where `JSON.stringify` would write another text, and only there", () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const value = read(text);
        expect(isExactNumber(value)).toBe(JSON.stringify(JSON.parse(text)) !== text);
        expect(exactJsonText(value)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("of ten thousand digits keep each of them", () => {
    const text = `[-${"1234567890".repeat(1_000)},1.${"0".repeat(10_000)},1e${"9".repeat(10_000)}]`;
    expect(exactJsonText(read(text))).toBe(text);
  });

  it("that could stand in for exact ones are themselves, in any order", () => {
    const standIns = Array.from({ length: 8 }, (_, index) => String(2 ** 52 + index));
    const texts = [...standIns, ...standIns.map((text) => `${text}.0`), '"4503599627370496"'];
    fc.assert(
      fc.property(fc.shuffledSubarray(texts), (chosen) => {
        const text = `[${chosen.join(",")}]`;
        expect(exactJsonText(read(text))).toBe(text);
      }),
    );
  });

  it("inside strings and names are text", () => {
    expect(read('{"1.0":"1e3","b":"x: 1.0,"}')).toEqual({ "1.0": "1e3", b: "x: 1.0," });
    expect(read('{"1.0":"\\"1e3\\\\","b":1.0}')).toEqual({ "1.0": '"1e3\\', b: new ExactNumber("1.0") });
  });

  it("are no objects to who judges JSON from outside", () => {
    expect(isRecord(read("1.0"))).toBe(false);
    expect(memberOf(read("1.0"), "text")).toBeUndefined();
    expect(isExactNumber({ text: "1.0" })).toBe(false);
    expect(isExactNumber(read('{"text":"1.0","Symbol(loomgate.exact-number)":true}'))).toBe(false);
  });
});

describe("a text that is read", () => {
  it("has the value `JSON.parse` gives it, member order and `__proto__` included", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const expected: unknown = JSON.parse(text);
        const plain = plainJson(read(text));
        expect(plain).toEqual(expected);
        expect(JSON.stringify(plain)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 1_000 },
    );
  });

  it("is written with the number tokens of its source, in their order", () => {
    fc.assert(
      fc.property(
        jsonText.filter((text) => firstDuplicate(text) === undefined && !/"[0-9]+"|\\u003/.test(text)),
        (text) => {
          const written = exactJsonText(read(text));
          expect(numberTokens(written)).toEqual(numberTokens(text));
          expect(exactJsonText(read(written))).toBe(written);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("is refused exactly where `JSON.parse` refuses it, with nothing thrown", () => {
    fc.assert(
      fc.property(fc.oneof(brokenText, fc.string({ unit: "binary" })), (text) => {
        for (const options of [LAST, REFUSE]) {
          const result = parseExactJson(text, options);
          const isSyntax = !result.ok && result.reason.reason === "syntax";
          expect(isSyntax).toBe(native(text) === undefined);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "",
    " ",
    "\uFEFF1",
    "01",
    "1.",
    ".5",
    "+1",
    "-",
    "1.0.0",
    "1e5e999",
    "--1.0",
    "{1.0:2}",
    "[1.0 2.0]",
    "1.0x",
    "NaN",
    '"\n"',
    "'a'",
    '{"a":1.0,}',
    "[1.0",
    '"\\u12"',
  ])("%j is no JSON", (text) => {
    expect(parseExactJson(text, LAST)).toEqual({ ok: false, reason: { reason: "syntax" } });
    expect(parseExactJson(text, REFUSE)).toEqual({ ok: false, reason: { reason: "syntax" } });
  });

  it("may nest a hundred thousand deep", () => {
    const depth = 100_000;
    const text = nested(depth, "1.0");
    const result = parseExactJson(text, REFUSE);
    let value: unknown = result.ok ? result.value : undefined;
    let seen = 0;
    for (; isJsonArray(value); seen += 1) value = value[0];
    expect(seen).toBe(depth);
    expect(value).toEqual(new ExactNumber("1.0"));
  });

  it("keeps `__proto__` as a member of its own", () => {
    const value = read('{"__proto__":1.0,"a":{"__proto__":{"b":2.0}}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(memberOf(value, "__proto__")).toEqual(new ExactNumber("1.0"));
    expect(exactJsonText(value)).toBe('{"__proto__":1.0,"a":{"__proto__":{"b":2.0}}}');
  });
});

describe("duplicate members", () => {
  it.each([
    ['{"a":1,"a":1}', "/a"],
    ['{"a":1,"\\u0061":2}', "/a"],
    ['{"\\u0061":1,"a":2}', "/a"],
    ['{"":1,"":2}', "/"],
    ['{"__proto__":1,"__proto__":2}', "/__proto__"],
    ['{"a/b~":1,"a\\/b~":2}', "/a~1b~0"],
    ['[0,[1,{"x":[{"y":1},{"y":1,"z":[],"y":3}]}]]', "/1/1/x/1/y"],
    ['{"a":{"b":[[],{}]},"c":{"b":{"d":1},"e":[1,{"f":1,"f":1}]}}', "/c/e/1/f"],
    ['{"\\ud83d\\ude00":1,"😀":2}', "/😀"],
  ])("in %s are refused with their place", (text, path) => {
    expect(parseExactJson(text, REFUSE)).toEqual({ ok: false, reason: { reason: "duplicate_member", path } });
    expect(parseExactJson(text, LAST).ok).toBe(true);
  });

  it.each([
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '["a","a"]',
    '{"A":1,"a":2}',
    '{"a":["a",{"a":"a"}]}',
  ])("are none in %s", (text) => {
    expect(parseExactJson(text, REFUSE)).toEqual(parseExactJson(text, LAST));
  });

  it("are found wherever a plain reading of the text finds them, and nowhere else", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const path = firstDuplicate(text);
        if (path !== undefined) fc.pre(path.length <= DUPLICATE_PATH_MAX_CHARS);
        const result = parseExactJson(text, REFUSE);
        expect(result.ok ? undefined : result.reason).toEqual(
          path === undefined ? undefined : { reason: "duplicate_member", path },
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("leave the last one where they are allowed", () => {
    expect(read('{"a":1.0,"b":1,"a":2}')).toEqual({ a: 2, b: 1 });
    expect(read('{"a":2,"a":1.0}')).toEqual({ a: new ExactNumber("1.0") });
  });

  it("deep down and with long names are told within the bound, between characters", () => {
    const long = "😀".repeat(5_000);
    for (const text of [
      nested(50_000, '{"a":1,"a":2}'),
      `{"x":{"${long}":1,"${long}":2}}`,
      `{"${"~".repeat(10_000)}":{"a":1,"a":1}}`,
    ]) {
      const result = parseExactJson(text, REFUSE);
      const path = !result.ok && result.reason.reason === "duplicate_member" ? result.reason.path : "";
      expect(path.length).toBeGreaterThan(DUPLICATE_PATH_MAX_CHARS - 3);
      expect(path.length).toBeLessThanOrEqual(DUPLICATE_PATH_MAX_CHARS);
      expect(() => encodeURIComponent(path)).not.toThrow();
      expect(path.endsWith("…")).toBe(true);
    }
  });

  it("do not hide that a text is no JSON", () => {
    expect(parseExactJson('{"a":1,"a":2', REFUSE)).toEqual({ ok: false, reason: { reason: "syntax" } });
  });
});
