import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAtCodePoint } from "../../../src/code-points.ts";
import { stem, STEM_KEEPS_CHARS } from "../../../src/routing/text/stem.ts";

describe("stem", () => {
  it.each([
    ["create", "creates", "created", "creating", "creation"],
    ["query", "queries", "queried", "querying"],
    ["search", "searches", "searched", "searching"],
    ["file", "files", "filed", "filing"],
    ["list", "lists", "listed", "listing"],
    ["plan", "plans", "planned", "planning"],
    ["translate", "translates", "translation", "translations"],
    ["box", "boxes"],
    ["delete", "deletes", "deleted", "deletion"],
  ])("the forms of %s are one term", (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([
    ["status", "state"],
    ["string", "strong"],
    ["server", "serve"],
    ["speed", "spend"],
    ["note", "not"],
    ["action", "act"],
    ["user", "use"],
  ])("%s and %s stay apart", (left, right) => {
    expect(stem(left)).not.toBe(stem(right));
  });

  it("leaves other letters, digits and short words alone", () => {
    for (const word of ["naïves", "файлы", "s3s", "bus", "is", "", "2023"]) expect(stem(word)).toBe(word);
  });

  it("never lengthens a word by more than the letter it gives back, nor empties one", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (word) => {
        expect(stem(word).length).toBeGreaterThan(0);
        expect(stem(word).length).toBeLessThanOrEqual(word.length);
      }),
    );
  });

  it("begins as its word does, for as many characters as it says: tables are searched by that", () => {
    const endings = fc.constantFrom("", "s", "es", "ies", "ied", "ed", "ing", "ning", "tion", "ions", "e");
    const words = fc
      .tuple(fc.string({ unit: "grapheme", maxLength: 6 }), endings)
      .map((parts) => parts.join(""));
    const plain = fc.tuple(fc.stringMatching(/^[a-z]{0,6}$/), endings).map((parts) => parts.join(""));
    const head = (text: string): string => cutAtCodePoint(text, STEM_KEEPS_CHARS);
    fc.assert(
      fc.property(fc.oneof(words, plain), (word) => {
        expect(head(stem(word))).toBe(head(word));
      }),
      { numRuns: 2000 },
    );
  });
});
