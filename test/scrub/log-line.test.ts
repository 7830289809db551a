import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine } from "../../src/scrub/log-line.ts";

describe("a record of the log", () => {
  it("is one line, in which foreign text forges no other and moves no cursor", () => {
    expect(oneLine("a\r\nERROR b\u2028c\u001b[2Jd\u0085\u202ee\u0000")).toBe(
      "a\\u000d\\nERROR b\\u2028c\\u001b[2Jd\\u0085\\u202ee\\u0000",
    );
    const unseen = fc.constantFrom(
      "\n",
      "\r",
      "\v",
      "\u0085",
      "\u2028",
      "\u2029",
      "\u001b",
      "\u200b",
      "\ud800",
      "x",
    );
    fc.assert(
      fc.property(fc.string({ unit: unseen }), (text) => {
        expect(oneLine(text)).toMatch(/^[ -~]*$/);
      }),
    );
  });

  it("leaves what can be seen as it is", () => {
    for (const text of ["plain", "größe 😀 日本", 'C:\\dir "quoted"']) expect(oneLine(text)).toBe(text);
  });
});
