import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEARCH_FIELD_TERMS_MAX_BYTES, SEARCH_FIELD_TEXT_MAX_CHARS } from "../../../src/limits/records.ts";
import { documentsOf, lexicalText } from "../../../src/records/search/documents.ts";
import { streamOf } from "../../support/records-stream.ts";

const stream = streamOf({ lexical: ["body", "tags", "__proto__"] });

describe("a record's documents", () => {
  it("are one for each lexical field with a word, of strings and lists of strings", () => {
    expect(
      documentsOf(stream, { body: "Invoice due", tags: ["Red", 7, null, "blue"], other: "not searched" }),
    ).toEqual([
      { field: "body", terms: "ainvoice adue", termCount: 2 },
      { field: "tags", terms: "ared ablue", termCount: 2 },
    ]);
    expect(documentsOf(stream, { body: "…", tags: [] })).toEqual([]);
    expect(documentsOf(stream, { body: 12, tags: { a: "b" } })).toEqual([]);
  });

  it("take a field called __proto__ for a field", () => {
    expect(documentsOf(stream, JSON.parse('{"__proto__": "hidden words"}'))).toEqual([
      { field: "__proto__", terms: "ahidden awords", termCount: 2 },
    ]);
  });

  it("are made of anything without throwing, and count their terms", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), fc.string(), (data, body) => {
        for (const value of [data, { body: data }, { body, tags: [data, body] }]) {
          for (const { terms, termCount } of documentsOf(stream, value)) {
            expect(terms.split(" ")).toHaveLength(termCount);
          }
        }
      }),
    );
  });

  it("stop at the bound of the text and of what D1 takes, whatever the script", () => {
    const long = "ab ".repeat(SEARCH_FIELD_TEXT_MAX_CHARS);
    expect(lexicalText(long)).toHaveLength(SEARCH_FIELD_TEXT_MAX_CHARS);
    for (const body of [long, "漢字".repeat(SEARCH_FIELD_TEXT_MAX_CHARS), "\u{10400} ".repeat(300_000)]) {
      const [document] = documentsOf(stream, { body });
      const stored = document?.terms.replaceAll(/(?<= |^)/g, `s${Number.MAX_SAFE_INTEGER}x`) ?? "";
      expect(stored.length).toBeLessThanOrEqual(SEARCH_FIELD_TERMS_MAX_BYTES);
      expect(stored.length).toBeGreaterThan(SEARCH_FIELD_TERMS_MAX_BYTES / 2);
    }
  });
});
