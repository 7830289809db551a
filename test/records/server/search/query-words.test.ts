import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEARCH_WORDS_MAX_COUNT } from "../../../../src/limits/records.ts";
import { queryWords } from "../../../../src/records/server/search/query-words.ts";

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `w${index}`).join(" ");

describe("the words of a question", () => {
  it("are each once, and nothing of FTS5's language means anything", () => {
    expect(queryWords(`"Foo" NEAR(bar) -foo body:bar* OR AND`)).toEqual({
      ok: true,
      value: ["afoo", "anear", "abar", "abody", "aor", "aand"],
    });
  });

  it("are refused by name where there is none and where there are too many", () => {
    for (const q of [
      undefined,
      "",
      " ",
      '!"*-()',
      "\0",
      "\ud800",
      "\u0301",
      numbered(SEARCH_WORDS_MAX_COUNT + 1),
      numbered(10_000),
    ]) {
      const read = queryWords(q);
      expect(read.ok ? null : [read.reason.code, read.reason.param]).toEqual(["invalid_request", "q"]);
    }
    expect(queryWords(numbered(SEARCH_WORDS_MAX_COUNT)).ok).toBe(true);
    expect(queryWords("a ".repeat(50_000))).toEqual({ ok: true, value: ["aa"] });
  });

  it("are read of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (q) => {
        const read = queryWords(q);
        expect(
          read.ok ? read.value.every((word) => /^[au][a-z0-9]+\*?$/.test(word)) : read.reason.param,
        ).toSatisfy((value) => value === true || value === "q");
      }),
    );
  });
});
