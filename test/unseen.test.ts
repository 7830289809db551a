import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleJson } from "../src/exact-json/visible.ts";
import { plainText } from "../src/firewall/summary/neutral.ts";
import { spelt } from "../src/unseen.ts";

const HEART = "\u2764\ufe0f";
const FAMILY = "\u{1F468}\u200d\u{1F469}\u200d\u{1F467}";
const PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645";

describe("what scripts and emoji are spelt with", () => {
  it.each([
    HEART,
    FAMILY,
    PERSIAN,
    "1\ufe0f\u20e3",
    "\u845b\ufe00",
    "\u{1F469}\u200d\u2764\ufe0f\u200d\u{1F468}",
  ])("stays: %j", (text) => {
    expect(spelt(`a ${text} b`)).toBe(`a ${text} b`);
    expect(visibleJson(JSON.stringify(text))).toBe(JSON.stringify(text));
  });

  it.each([
    ["words\ufe01\ufe02\ufe03", "words"],
    [`${HEART}\ufe0f\ufe0e`, HEART],
    ["a\u200db\u200cc", "abc"],
    [`${FAMILY}\u200d`, FAMILY],
  ])("is no more than that: %j", (text, clean) => {
    expect(spelt(text)).toBe(clean);
    expect(JSON.parse(visibleJson(JSON.stringify(text)))).toBe(text);
    expect(visibleJson(JSON.stringify(text))).not.toContain(text);
  });

  it("is judged once, and JSON means the same, whatever the text", () => {
    const unit = fc.constantFrom(
      "a",
      " ",
      "\u0645",
      "\u845b",
      "\u{1F468}",
      "\u200c",
      "\u200d",
      "\ufe0f",
      "\ufe00",
      "\u{e0100}",
      "\u202e",
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const text = units.join("");
        expect(spelt(spelt(text))).toBe(spelt(text));
        expect(JSON.parse(visibleJson(JSON.stringify([text])))).toEqual([text]);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a command to a terminal", () => {
  it.each([
    ["a\u009d8;;https://evil.example\u009cb", "ab"],
    ["a\u009d0;title\u0007b", "ab"],
    ["a\u0090q\u001b\\b", "ab"],
    ["a\u001bXsos\u001b\\b", "ab"],
    ["a\u009b31mb", "ab"],
    ["a\u009dthat nobody ends\nb", "athat nobody ends\nb"],
  ])("of one sign or two is gone with what it says: %j", (text, clean) => {
    expect(plainText(text)).toBe(clean);
  });
});
