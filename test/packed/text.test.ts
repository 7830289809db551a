import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../src/code-points.ts";
import { compareBytes, decodeText, encodeText } from "../../src/packed/text.ts";

/** Any JavaScript string: lone surrogates, NUL, a byte order mark, what looks like a replacement. */
const anyString = fc.oneof(
  fc.string({ unit: "binary", maxLength: 90 }),
  fc
    .array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 90 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    "",
    "\0",
    "\uFEFFx",
    "\uD800",
    "\uDC00\uD800",
    "\uFFFD",
    "a\uD83Db",
    "\u{1F600}",
    "x".repeat(10_000),
  ),
);

describe("text as bytes", () => {
  it("comes back as it was, whatever the string", () => {
    fc.assert(
      fc.property(anyString, (text) => {
        expect(decodeText(encodeText(text))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("stands in the order of code points", () => {
    fc.assert(
      fc.property(anyString, anyString, (left, right) => {
        expect(Math.sign(compareBytes(encodeText(left), encodeText(right)))).toBe(
          Math.sign(compareCodePoints(left, right)),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it("is UTF-8 where the string has it", () => {
    expect(encodeText("né\u{1F600}")).toEqual(new TextEncoder().encode("né\u{1F600}"));
  });

  it("is some text or other for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeText(bytes).length).toBeLessThanOrEqual(2 * bytes.length);
      }),
      { numRuns: 1_000 },
    );
  });
});
