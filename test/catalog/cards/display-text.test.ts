import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayText, firstCodePoints, wellFormed } from "../../../src/catalog/cards/display-text.ts";

const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));
/** Of what separates, shows nothing, or joins, and little besides. */
const mostlyUnseen = fc.string({
  unit: fc.constantFrom("a", " ", "\u200D", "\uFE0F", "\u200B", "\u{E0100}", "👩"),
});
const anyText = fc.oneof(anyUnits, fc.string({ unit: "binary" }), mostlyUnseen);

describe("foreign text as one line", () => {
  it.each([
    ["  a\r\n\tb\u0000c  ", "a b c"],
    ["a\u2028b\u2029c\u0085d\u00A0e\uFEFFf\u3000g", "a b c d e f g"],
    ["safe\u202Eevil\u2066x\u200Fy", "safe evil x y"],
    ["a\u200B\u2060\u00ADb", "a b"],
    ["hidden\u{E0041}\u{E0042}\u{E0100}", "hidden"],
    ["\u001B[31mred\u007F", "[31mred"],
    ["می\u200Cخواهم 👩\u200D💻 ❤\uFE0F", "می\u200Cخواهم 👩\u200D💻 ❤\uFE0F"],
    ["half \u{D83D} pair", "half \u{FFFD} pair"],
    ["a \u200D b", "a b"],
    ["\u200D\u200C\uFE0F \u2028", ""],
    ["", ""],
  ])("%j is %j", (text, line) => {
    expect(displayText(text)).toBe(line);
  });

  it("is one well-formed line, trimmed, without two spaces, for any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const line = displayText(text);
        expect(line).not.toMatch(
          /[\p{Control}\u2028\u2029\p{Bidi_Control}\p{Surrogate}]|\s\s|^\s|\s$|[^\S ]/u,
        );
        expect(displayText(line)).toBe(line);
      }),
    );
  });

  it("changes nothing but lone surrogates to make a text well-formed", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(new TextDecoder().decode(new TextEncoder().encode(text))).toBe(
          new TextDecoder().decode(new TextEncoder().encode(wellFormed(text))),
        );
        expect(() => encodeURIComponent(wellFormed(text))).not.toThrow();
        expect(wellFormed(text)).toHaveLength(text.length);
      }),
    );
  });

  it("cuts by code points", () => {
    expect(firstCodePoints("😀a😀b", 3)).toBe("😀a😀");
    expect(firstCodePoints("ab", 64)).toBe("ab");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 30 }), (text, count) => {
        expect(firstCodePoints(text, count)).toBe(Array.from(text).slice(0, count).join(""));
      }),
    );
  });
});
