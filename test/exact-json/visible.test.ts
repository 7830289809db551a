import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleJson } from "../../src/exact-json/visible.ts";

describe("visible JSON", () => {
  it("means the same, and has no sign that nobody sees", () => {
    const sign = fc.constantFrom(
      "\u2028",
      "\u202e",
      "\u0085",
      "\u200f",
      "\ufeff",
      "\u{e0041}",
      "👩‍💻",
      "\n",
      '"',
      "\\",
    );
    const text = fc.array(fc.oneof(sign, fc.string())).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = JSON.stringify(value);
        const visible = visibleJson(json);
        expect(JSON.parse(visible)).toEqual(JSON.parse(json));
        expect(/[\u007f-\u009f\u2028-\u202e\u200e\u200f\u2066-\u2069\ufeff]|\u{e0041}/u.test(visible)).toBe(
          false,
        );
      }),
    );
  });

  it("leaves joiners of emoji and everything plain as it is", () => {
    const json = JSON.stringify({ a: "👩‍💻 漢字 שלום", b: [1.5] });
    expect(visibleJson(json)).toBe(json);
  });
});
