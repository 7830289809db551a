import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints, cutAtCodePoint } from "../src/code-points.ts";
import { anyString } from "./identity/arbitraries.ts";

/** The law in other words: the order of the arrays of code points. */
function naive(left: string, right: string): number {
  const a = Array.from(left, (character) => character.codePointAt(0) ?? 0);
  const b = Array.from(right, (character) => character.codePointAt(0) ?? 0);
  const at = a.findIndex((point, index) => point !== b[index]);
  if (at === -1) return a.length - b.length;
  return (a[at] ?? 0) - (b[at] ?? -1);
}

const tricky = fc.string({ unit: fc.constantFrom("a", "\uffff", "\ue000", "\ud83d", "\ude00", "\u{1f600}") });

describe("code point order", () => {
  it("puts an astral character after every one of the basic plane, where UTF-16 order does not", () => {
    expect(["\u{1f600}", "\uffff"].sort(compareCodePoints)).toEqual(["\uffff", "\u{1f600}"]);
    expect(["\u{1f600}", "\uffff"].sort()).toEqual(["\u{1f600}", "\uffff"]);
  });

  it("is the order of the code points, lone surrogates included", () => {
    for (const strings of [tricky, anyString]) {
      fc.assert(
        fc.property(strings, strings, (left, right) => {
          expect(Math.sign(compareCodePoints(left, right))).toBe(Math.sign(naive(left, right)));
        }),
        { numRuns: 500 },
      );
    }
  });
});

describe("cutting at a code point", () => {
  it("is a well-formed beginning within the bound, and cuts no more than it must", () => {
    fc.assert(
      fc.property(anyString, fc.nat(40), (text, maxChars) => {
        const cut = cutAtCodePoint(text, maxChars);
        const whole = text.replace(/\p{Surrogate}/gu, "\ufffd");
        expect(cut.length).toBeLessThanOrEqual(maxChars);
        expect(whole.startsWith(cut)).toBe(true);
        // At most half a pair's room is left.
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(whole.length, maxChars) - 1);
      }),
    );
  });

  it.each([
    ["a😀b", 2, "a"],
    ["a😀b", 3, "a😀"],
    ["a\ud83d", 2, "a\ufffd"],
    ["😀", 0, ""],
    ["", 5, ""],
  ])("%j at %i is %j", (text, maxChars, cut) => {
    expect(cutAtCodePoint(text, maxChars)).toBe(cut);
  });
});
