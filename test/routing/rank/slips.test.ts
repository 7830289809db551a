import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rank } from "../../../src/routing/rank/rank.ts";
import { slipsOf } from "../../../src/routing/rank/slips.ts";
import { editDistance } from "../../../src/routing/text/edit-distance.ts";
import { stem } from "../../../src/routing/text/stem.ts";
import { CATALOG } from "../catalog.ts";
import {
  committedTable,
  indexOf,
  maybeTable,
  plainDocument,
  tangledDocuments,
  tangledQuery,
} from "../support.ts";

const INDEX = indexOf(CATALOG);
const words = CATALOG.flatMap(
  ({ description }) => description.toLowerCase().match(/(?<!\p{L})[a-z]{5,}(?!\p{L})/gu) ?? [],
);

/** Words of five letters and more that one tool alone has, in any form. */
const ONE_TOOLS_WORDS = [...new Set(words)].filter((word) => rank(INDEX, word, { topK: 2 }).total === 1);

const letter = fc.integer({ min: 97, max: 122 }).map((code) => String.fromCharCode(code));
const onlyWord = fc.constantFrom(...ONE_TOOLS_WORDS);

/** One slip of the pen behind the first letter. */
const slip = fc
  .tuple(onlyWord, fc.constantFrom("drop", "double", "swap", "replace"), fc.nat(99), letter)
  .map(([word, kind, place, other]): readonly [string, string] => {
    const at = 1 + (place % (word.length - 2));
    const [before, after] = [word.slice(0, at), word.slice(at)];
    const written = {
      drop: before + after.slice(1),
      double: before + after.charAt(0) + after,
      swap: before + after.charAt(1) + after.charAt(0) + after.slice(2),
      replace: before + other + after.slice(1),
    };
    return [word, written[kind as keyof typeof written]];
  });

const toolsOf = (query: string, index = INDEX): string[] =>
  rank(index, query, { topK: 99 }).hits.map(({ id }) => id);

describe("a slip of the pen", () => {
  it("in a word that one tool alone has still finds that tool", () => {
    expect(ONE_TOOLS_WORDS.length).toBeGreaterThan(40);
    let [judged, found] = [0, 0];
    fc.assert(
      fc.property(slip, ([word, written]) => {
        const [term, slipped] = [stem(word), stem(written)];
        // A slip that is another word is that word.
        if (INDEX.findTerm(slipped) >= 0) return;
        judged += 1;
        const finds = toolsOf(word).every((id) => toolsOf(written).includes(id));
        if (finds) found += 1;
        // Stems are compared: now and then a slip changes how a word is stemmed, which is a second one (`cose`, `clos`).
        if (slipped.length >= 4 && editDistance(term, slipped, 1) !== undefined) expect(finds).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(judged).toBeGreaterThan(500);
    expect(found / judged).toBeGreaterThan(0.9);
  });

  it("counts for less than the word itself, and two for less than one", () => {
    const index = indexOf([plainDocument("t", "Cancel subscriptions.")]);
    const scores = ["cancel subscription", "cancel subscripton", "cancel subscrptoin"].map(
      (query) => rank(index, query, { topK: 1 }).hits[0]?.score ?? 0,
    );
    expect(scores.toSorted((left, right) => right - left)).toEqual(scores);
    expect(new Set(scores).size).toBe(3);
  });

  it("is looked for in words of ASCII letters alone, from four letters on", () => {
    const index = indexOf([plainDocument("cats café2 naïves sixty4")]);
    for (const word of ["cat", "ca", "cat5", "naives9", "naïvs", "東京都"])
      expect(slipsOf(index, word)).toEqual([]);
    expect(slipsOf(indexOf([plainDocument("gate")]), "gats")).toEqual([{ term: "gate", slips: 1 }]);
  });

  it("of the first letter is believed only where it is swapped with the second", () => {
    const index = indexOf([plainDocument("archive")]);
    expect(slipsOf(index, "rachiv")).toEqual([{ term: "archiv", slips: 1 }]);
    expect(toolsOf("rachive", index)).toHaveLength(1);
    expect(toolsOf("xrchive", index)).toEqual([]);
  });

  it("is never a pair of words, nor a word of another script", () => {
    const index = indexOf([plainDocument("a", "Close the issue."), plainDocument("b", "κλείσε closé")]);
    for (const word of ["closeissu", "xlose", "clos"]) {
      for (const { term } of slipsOf(index, word)) expect(term).toMatch(/^[a-zé]+$/);
    }
  });
});

describe("spaces in the wrong place", () => {
  const twoWords = fc
    .tuple(fc.constantFrom(...ONE_TOOLS_WORDS), fc.constantFrom(...words))
    .filter(([first, second]) => first !== second);

  it("a missing space is found: two words in one", () => {
    let judged = 0;
    fc.assert(
      fc.property(twoWords, ([first, second]) => {
        const written = first + second;
        const term = stem(written);
        // Elsewhere the word is known, is a slip, or is stemmed in another way than its end alone.
        if (INDEX.findTerm(term) >= 0 || slipsOf(INDEX, term).length > 0 || term !== first + stem(second))
          return;
        const cuts = Array.from({ length: term.length - 5 }, (_, at) => at + 3);
        const known = cuts.filter(
          (at) => INDEX.findTerm(stem(term.slice(0, at))) >= 0 && INDEX.findTerm(term.slice(at)) >= 0,
        );
        judged += 1;
        const found = toolsOf(written);
        expect(found.length).toBeGreaterThan(0);
        if (known.length === 1)
          expect(found).toEqual(expect.arrayContaining([...toolsOf(first), ...toolsOf(second)]));
      }),
      { numRuns: 500 },
    );
    expect(judged).toBeGreaterThan(250);
  });

  it("a space too many is found: one word in two", () => {
    let [judged, found] = [0, 0];
    fc.assert(
      fc.property(onlyWord, fc.integer({ min: 2, max: 9 }), (word, at) => {
        if (at > word.length - 2) return;
        judged += 1;
        const answer = toolsOf(`${word.slice(0, at)} ${word.slice(at)}`);
        if (toolsOf(word).every((id) => answer.includes(id))) found += 1;
      }),
      { numRuns: 1_000 },
    );
    // Each half is stemmed before they are joined, which now and then gives another word.
    expect(found / judged).toBeGreaterThan(0.8);
  });

  it("joined and split words are no loss where nobody has them", () => {
    expect(toolsOf("nowhere tobefound")).toEqual([]);
    const [plain] = rank(INDEX, "storm", { topK: 1 }).hits;
    expect(rank(INDEX, "storm storm", { topK: 1 }).hits[0]?.score).toBe(plain?.score);
  });
});

it("a word that is known is read as it is written: tools with a likely spelling do not come in", () => {
  const index = indexOf(
    [plainDocument("form"), plainDocument("from_to"), plainDocument("farm")],
    committedTable(),
  );
  expect(slipsOf(index, "farm").length).toBeGreaterThan(0);
  const ids = toolsOf(
    "form",
    indexOf([plainDocument("form"), plainDocument("farm"), plainDocument("forms_x")]),
  );
  expect(ids.sort()).toEqual(["plain:form#00000000", "plain:forms_x#00000000"]);
});

it("no question made of tangled words fails", () => {
  fc.assert(
    fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
      const index = indexOf(documents, table);
      for (const text of [
        query,
        query.toUpperCase(),
        query.split("").join(" "),
        [...query].reverse().join(""),
      ]) {
        expect(rank(index, text, { topK: 3 }).hits.length).toBeLessThanOrEqual(3);
      }
    }),
  );
});
