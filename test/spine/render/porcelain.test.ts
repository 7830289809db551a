import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { previewJson } from "../../../src/spine/render/preview.ts";
import { renderJsonPorcelain } from "../../../src/spine/render/porcelain.ts";
import { anyJson, anything, chars, nestedArrays, nestedObjects, turnedAround } from "./json-values.ts";
import { untruth, untruths } from "./reader.ts";

const bounds = fc.record({
  maxLines: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(24)),
  maxInlineChars: fc.oneof(fc.integer({ min: 3, max: 40 }), fc.constant(120)),
});

/** Nothing that begins a line or turns it around. */
const BREAKS_A_LINE = /[\p{Cc}\p{Surrogate}\p{Bidi_Control}\u2028\u2029\u{e0000}-\u{e0fff}]/u;

describe("a porcelain text", () => {
  it.each([
    [{ b: 1, a: "x" }, 'a: "x"\nb: 1'],
    [{}, "empty object"],
    [[], "0 item(s)"],
    [["x", { k: true }], '2 item(s)\n[1] "x"\n[2] {k=true}'],
    ["line\nbreak", '"line\\nbreak"'],
    [null, "null"],
    [-0, "0"],
    [new ExactNumber("12345678901234567890"), "12345678901234567890"],
    [[new ExactNumber("1.0")], "1 item(s)\n[1] 1.0"],
    [{ a: [1, 2, 3, 4, 5] }, "a: [1, 2, 3, +2 more]"],
    [{ a: { e: 1, d: 2, c: 3, b: 4, a: 5 } }, "a: {a=5, b=4, c=3, d=2, +1 more}"],
    [{ a: [[[[[1]]]]], b: [[[[[]]]]] }, "a: [[[[[…]]]]]\nb: [[[[[]]]]]"],
    [{ a: { b: { c: { d: { e: 1 } } } } }, "a: {b={c={d={e=1}}}}"],
    [{ a: { b: { c: { d: { e: { f: 1 } } } } } }, "a: {b={c={d={e={…}}}}}"],
    [{ "with space": 1, "a/b-c.d_e": 2, "": 3 }, '"": 3\na/b-c.d_e: 2\n"with space": 1'],
    [{ "\uffff": 1, "\u{1f600}": 2 }, '"\uffff": 1\n"\u{1f600}": 2'],
    [JSON.parse('{"__proto__":{"__proto__":1}}'), "__proto__: {__proto__=1}"],
    [{ "\ud800": "\ud800" }, '"\\ud800": "\\ud800"'],
    ["\u2028\u202e\u0085", '"\\u2028\\u202e\\u0085"'],
    // Marks of direction and what nobody sees; what joins letters and emoji stays.
    ["a\u200f\u061c\u200e\u2060", '"a\\u200f\\u061c\\u200e\\u2060"'],
    [{ "k\u200f": "\u{e0041}" }, '"k\\u200f": "\\udb40\\udc41"'],
    ["\u{1f468}\u200d\u{1f469}\ufe0f\u200c", '"\u{1f468}\u200d\u{1f469}\ufe0f\u200c"'],
    [{ a: undefined, b: [undefined] }, "b: [null]"],
  ])("of %j", (value: unknown, text) => {
    expect(renderJsonPorcelain(value)).toBe(text);
  });

  it("of a big integer has all its digits", () => {
    expect(renderJsonPorcelain(12345678901234567890n)).toBe("12345678901234567890");
  });

  it("has 24 lines and previews of 120 code points where nothing else is asked", () => {
    const lines = renderJsonPorcelain(Array.from({ length: 100 }, () => "\u{1f600}".repeat(500))).split("\n");
    expect(lines).toHaveLength(24);
    expect(lines.at(-1)).toBe("… 78 line(s) omitted");
    expect(lines[1]).toBe(`[1] "${"\u{1f600}".repeat(117)}…"`);
  });

  it("counts the line that the omission stands for, down to the only one", () => {
    expect(renderJsonPorcelain([1, 2, 3], { maxLines: 3 })).toBe("3 item(s)\n[1] 1\n… 2 line(s) omitted");
    expect(renderJsonPorcelain([1, 2, 3], { maxLines: 4 })).toBe("3 item(s)\n[1] 1\n[2] 2\n[3] 3");
    expect(renderJsonPorcelain([1, 2, 3], { maxLines: 1 })).toBe("… 4 line(s) omitted");
  });

  it.each([0, -1, Number.NaN])("takes bounds of %s for the least ones", (bound) => {
    expect(renderJsonPorcelain({ a: "long", b: 1 }, { maxLines: bound, maxInlineChars: bound })).toBe(
      renderJsonPorcelain({ a: "long", b: 1 }, { maxLines: 1, maxInlineChars: 3 }),
    );
  });

  it("without a bound is whole", () => {
    const long = "x".repeat(5000);
    expect(renderJsonPorcelain({ a: long, b: 1 }, { maxLines: Infinity, maxInlineChars: Infinity })).toBe(
      `a: "${long}"\nb: 1`,
    );
  });

  it("keeps its bounds, for any JSON value", () => {
    fc.assert(
      fc.property(anyJson, bounds, (value, { maxLines, maxInlineChars }) => {
        const lines = renderJsonPorcelain(value, { maxLines, maxInlineChars }).split("\n");
        expect(lines.length).toBeLessThanOrEqual(maxLines);
        const widest = Math.max(2 * maxInlineChars + 2, "[60] ".length + maxInlineChars);
        const counts = /^… \d+ line\(s\) omitted$|^\d+ item\(s\)$|^empty object$/u;
        for (const line of lines) expect(line).not.toMatch(BREAKS_A_LINE);
        expect(lines.filter((line) => chars(line) > widest && !counts.test(line))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it("says how much there is, shown and omitted together, and nothing that is not so", () => {
    fc.assert(
      fc.property(anyJson, bounds, (value, bounds) => {
        expect(untruths(renderJsonPorcelain(value, bounds), value)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it("does not depend on the order of the members", () => {
    fc.assert(
      fc.property(anyJson, bounds, (value, bounds) => {
        expect(renderJsonPorcelain(turnedAround(value), bounds)).toBe(renderJsonPorcelain(value, bounds));
      }),
    );
  });

  it.each([
    ["arrays", nestedArrays],
    ["objects", nestedObjects],
  ])("of %s as deep as they like reaches no end of the stack", (_, nested) => {
    const value = nested(100_000);
    expect(chars(renderJsonPorcelain(value))).toBeLessThan(200);
    expect(chars(renderJsonPorcelain([value]))).toBeLessThan(200);
  });

  it("is made of anything, also what is no JSON and what holds itself", () => {
    const circle: unknown[] = [];
    circle.push(circle, { circle });
    expect(renderJsonPorcelain(circle)).toContain("[1] [[[[[…], {…}],");
    fc.assert(
      fc.property(anything, fc.double(), (value, bound) => {
        const text = renderJsonPorcelain(value, { maxLines: bound, maxInlineChars: bound });
        expect(text).not.toBe("");
        expect(renderJsonPorcelain(value, { maxLines: bound, maxInlineChars: bound })).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a preview", () => {
  it.each([
    ["abcdef", 6, '"abc…"'],
    ["abcd", 6, '"abcd"'],
    ["ab", 3, '"…"'],
    ["a", 3, '"a"'],
    // An escape is cut as one.
    ["ab\n", 5, '"ab…"'],
    ["ab\n", 6, '"ab\\n"'],
    ["\ud800x", 8, '"…"'],
    ["\u{1f600}\u{1f600}\u{1f600}", 5, '"\u{1f600}\u{1f600}\u{1f600}"'],
    ["\u{1f600}\u{1f600}\u{1f600}", 4, '"\u{1f600}…"'],
    // A text that ends in the mark is told from one that was cut.
    ["more…", 20, '"more\\u2026"'],
    ["more… ", 20, '"more… "'],
    [1234567, 5, "1234…"],
    [false, 3, "fa…"],
    [new ExactNumber("1e999"), 3, "1e…"],
    [[1, 2], 6, "[1, 2]"],
    [[1, 2], 5, "[…]"],
    [{ a: 12345 }, 9, "{a=12345}"],
    // A number inside is whole or not there.
    [{ a: 12345 }, 8, "{…}"],
    [{ a: "12345678", b: 1 }, 16, '{a="1234…", b=1}'],
    [{ a: [1, 2, 3], b: "x" }, 14, '{a=[…], b="x"}'],
    [{ ["k".repeat(20)]: 1 }, 20, "{…}"],
    // Nor is a name, even where its cut form would fit.
    [{ [`${"k".repeat(10)}\u0000\u0000`]: 1 }, 17, "{…}"],
  ])("of %j in %i", (value: unknown, maxChars, text) => {
    expect(previewJson(value, maxChars)).toBe(text);
  });

  it("shortens what is long and leaves what is short, wherever it stands", () => {
    const long = "x".repeat(500);
    expect(previewJson({ a: long, z: 12 }, 20)).toBe('{a="xxxxxxx…", z=12}');
    expect(previewJson({ a: 12, z: long }, 20)).toBe('{a=12, z="xxxxxxx…"}');
    expect(previewJson({ a: long, b: 1, z: long }, 30)).toBe('{a="xxxxx…", b=1, z="xxxxxx…"}');
    // What one leaves to the next is counted in code points.
    const wide = "\u{1f600}".repeat(500);
    expect(previewJson([wide, long], 24)).toBe(`["${"\u{1f600}".repeat(7)}…", "${"x".repeat(7)}…"]`);
    expect(previewJson(["\u{1f600}".repeat(4), long], 24)).toBe(
      `["${"\u{1f600}".repeat(4)}", "${"x".repeat(11)}…"]`,
    );
  });

  it("is within its bound, and true", () => {
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 3, max: 90 }), (value, maxChars) => {
        const text = previewJson(value, maxChars);
        expect(chars(text)).toBeLessThanOrEqual(maxChars);
        expect(untruth(text, value)).toBeUndefined();
      }),
      { numRuns: 600 },
    );
  });

  it("of a string is a valid JSON string, and the whole of it where there is room", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 3, max: 60 }), (value, maxChars) => {
        const read: unknown = JSON.parse(previewJson(value, maxChars));
        expect(typeof read).toBe("string");
        expect(chars(JSON.stringify(value)) <= maxChars || String(read).endsWith("…")).toBe(true);
        expect(JSON.parse(previewJson(value, Infinity))).toBe(value);
      }),
    );
  });
});
