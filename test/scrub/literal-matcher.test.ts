import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beforeUnescape, unescapeOnce } from "../../src/scrub/foreign-escapes.ts";
import { LiteralMatcher } from "../../src/scrub/literal-matcher.ts";

const matcherOf = (...texts: string[]) => new LiteralMatcher(texts.map((text) => ({ text, kind: "text" })));

describe("the matcher of literals", () => {
  it("finds what a search for each finds, overlapping places as one", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), text, (words, any) => {
        const inside = new Set<number>();
        const seams = new Set<number>();
        for (const each of words) {
          for (let at = any.indexOf(each); at !== -1; at = any.indexOf(each, at + 1)) {
            for (let unit = at; unit < at + each.length; unit += 1) inside.add(unit);
            for (let seam = at + 1; seam < at + each.length; seam += 1) seams.add(seam);
          }
        }
        const { spans, tail } = matcherOf(...words).scan(any);
        const starts = [...inside].filter((unit) => !seams.has(unit)).sort((left, right) => left - right);
        const ends = [...inside].map((unit) => unit + 1).filter((end) => !seams.has(end));
        expect(spans.map(({ start }) => start)).toEqual(starts);
        expect(spans.map(({ end }) => end)).toEqual(ends.sort((left, right) => left - right));
        const tails = words.flatMap((each) =>
          each
            .split("")
            .map((_, at) => at + 1)
            .filter((length) => any.endsWith(each.slice(0, length))),
        );
        expect(tail).toBe(Math.max(0, ...tails));
      }),
    );
  });

  it("reads each character once, however much of a literal the text repeats", () => {
    const literal = `${"a".repeat(1_000)}b`;
    for (const text of [
      "a".repeat(20_000),
      `${"a".repeat(999)}b`.repeat(20),
      "nothing of it ".repeat(1_000),
    ]) {
      let reads = 0;
      const counted = {
        length: text.length,
        charCodeAt: (at: number) => {
          reads += 1;
          return text.charCodeAt(at);
        },
      };
      matcherOf(literal, "a".repeat(500)).scan(counted);
      expect(reads).toBe(text.length);
    }
  });
});

describe("escapes taken off", () => {
  it("a span maps back to whole escapes that mean it", () => {
    const piece = fc.constantFrom(
      "a",
      "\\n",
      "\\u0041",
      "%2f",
      "%f0%9f%98%80",
      "&amp;",
      "&#x1f600;",
      "\\\\",
      "%",
      "&",
      "\\",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.nat(), fc.nat(), (pieces, from, length) => {
        const text = pieces.join("");
        const plain = unescapeOnce(text);
        const start = from % (plain.length + 1);
        const end = start + (length % (plain.length - start + 1));
        fc.pre(end > start);
        const [span] = beforeUnescape(text, [{ start, end }]);
        expect(unescapeOnce(text.slice(span?.start, span?.end))).toContain(plain.slice(start, end));
        expect(unescapeOnce(text.slice(0, span?.start)).length).toBeLessThanOrEqual(start);
      }),
    );
  });

  it("what is none stays", () => {
    for (const text of ["100%", "%zz", "%c3", "%c0%80", "&foo;", "&#0;", "&#x110000;", "\\", "a & b"])
      expect(unescapeOnce(text)).toBe(text);
  });
});
