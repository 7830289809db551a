import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collapseInlineWhitespace, countChars, truncateChars } from "../../../src/spine/render/truncate.ts";
import { hostileText } from "./json-values.ts";

const limit = fc.oneof(fc.nat(30), fc.double(), fc.constantFrom(Infinity, -Infinity, Number.NaN, -1));

describe("truncation", () => {
  it.each([
    ["abc", undefined, "abc", false],
    ["abc", 3, "abc", false],
    ["abc", 2, "ab", true],
    ["abc", 0, "", true],
    ["", 0, "", false],
    ["\u{1f600}\u{1f600}", 1, "\u{1f600}", true],
    ["\u{1f600}\u{1f600}", 2, "\u{1f600}\u{1f600}", false],
    ["\ud83dx\ude00", 2, "\ud83dx", true],
    ["e\u0301", 1, "e", true],
    ["abc", Number.NaN, "", true],
    ["abc", -1, "", true],
    ["", Number.NaN, "", false],
    ["abc", 2.9, "ab", true],
  ])("of %j to %s is %j, truncated: %s", (raw, limit, text, truncated) => {
    expect(truncateChars(raw, limit)).toEqual({ text, truncated });
  });

  it("gives the first code points, as many as it may, and says whether there were more", () => {
    fc.assert(
      fc.property(hostileText, limit, (raw, limit) => {
        const { text, truncated } = truncateChars(raw, limit);
        const all = Array.from(raw);
        const most = limit >= 0 ? Math.floor(limit) : 0;
        expect(text).toBe(all.slice(0, most).join(""));
        expect(truncated).toBe(all.length > most);
        expect(countChars(raw)).toBe(all.length);
        expect(countChars(raw, 5)).toBe(Math.min(5, all.length));
        expect(truncateChars(text, limit)).toEqual({ text, truncated: false });
      }),
      { numRuns: 300 },
    );
  });
});

describe("collapsed white space", () => {
  it.each([
    ["  a \r\n\t b  ", "a b"],
    ["a\u00a0\u2003\u2028\u0085b", "a b"],
    [" \n ", ""],
    ["", ""],
    // No white space in Unicode.
    ["a\u200bb\ufeff", "a\u200bb\ufeff"],
  ])("of %j is %j", (text, collapsed) => {
    expect(collapseInlineWhitespace(text)).toBe(collapsed);
  });

  it("has single inner spaces, keeps the words, and collapses no further", () => {
    const spaced = fc
      .array(fc.oneof(hostileText, fc.constantFrom(" ", "\n", "\u2029", "\u3000  ")), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(spaced, (text) => {
        const once = collapseInlineWhitespace(text);
        expect(once).not.toMatch(/^ | $| {2}|[^\P{White_Space} ]/u);
        expect(once.replaceAll(" ", "")).toBe(text.replaceAll(/\p{White_Space}/gu, ""));
        expect(collapseInlineWhitespace(once)).toBe(once);
      }),
    );
  });
});
