import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
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

/** A word with one slip of the pen behind the first letter. */
function slipsIn(word: string, at: number, other: string): readonly string[] {
  const [before, after] = [word.slice(0, at), word.slice(at)];
  return [
    before + after.slice(1),
    before + after.charAt(0) + after,
    before + after.charAt(1) + after.charAt(0) + after.slice(2),
    before + other + after.slice(1),
  ];
}

const slip = fc
  .tuple(onlyWord, fc.nat(99), letter, fc.nat(3))
  .map(([word, place, other, kind]): readonly [string, string] => [
    word,
    slipsIn(word, 1 + (place % (word.length - 2)), other)[kind] ?? word,
  ]);

const toolsOf = (query: string, index = INDEX): string[] =>
  rank(index, query, { topK: 99 }).hits.map(({ id }) => id);

const asWritten = (index: RoutingIndex, word: string): string[] => slipsOf(index, stem(word), word);

describe("a slip of the pen", () => {
  it("in a word that one tool alone has still finds that tool", () => {
    expect(ONE_TOOLS_WORDS.length).toBeGreaterThan(30);
    const isFound = (word: string, written: string): boolean => {
      const answer = toolsOf(written);
      return toolsOf(word).every((id) => answer.includes(id));
    };
    fc.assert(
      fc.property(slip, ([word, written]) => {
        // A slip that is another word is that word; one that changes how a word is stemmed may be a second slip.
        const isOne = written.length > 4 && editDistance(stem(word), stem(written), 1) !== undefined;
        expect(isFound(word, written) || !isOne || INDEX.findTerm(stem(written)) >= 0).toBe(true);
      }),
      { numRuns: 500 },
    );
    const all = ONE_TOOLS_WORDS.flatMap((word) =>
      Array.from({ length: word.length - 2 }, (_, at) => slipsIn(word, at + 1, "q"))
        .flat()
        .map((written) => [word, written] as const),
    );
    const found = all.filter(([word, written]) => isFound(word, written));
    expect(found.length / all.length).toBeGreaterThan(0.9);
  });

  it("counts for less than the word itself", () => {
    const index = indexOf([plainDocument("t", "Cancel subscriptions.")]);
    const [right = 0, slipped = 0] = ["cancel subscription", "cancel subscripton"].map(
      (query) => rank(index, query, { topK: 1 }).hits[0]?.score ?? 0,
    );
    expect(slipped).toBeGreaterThan(0);
    expect(slipped).toBeLessThan(right);
  });

  it("is every term that one slip behind the first letter, or a swap, may have been meant for", () => {
    const letters = "abcdefghijklmnopqrstuvwxyz".split("");
    const oneSlip = (word: string): string[] =>
      Array.from({ length: word.length + 1 }, (_, at) => at).flatMap((at) => {
        const [before, after] = [word.slice(0, at), word.slice(at)];
        const swap = after.length > 1 ? [before + after.charAt(1) + after.charAt(0) + after.slice(2)] : [];
        if (at === 0 || word.length === 4) return swap;
        const left = after === "" ? [] : [before + after.slice(1)];
        const changed = after === "" ? [] : letters.map((letter) => before + letter + after.slice(1));
        return swap.concat(
          left,
          changed,
          letters.map((letter) => before + letter + after),
        );
      });
    const someWord = fc.oneof(
      slip.map(([, written]) => written),
      fc.stringMatching(/^[acdefilorst]{4,9}$/),
    );
    fc.assert(
      fc.property(someWord, (word) => {
        const meant = new Set(oneSlip(word).map((text) => stem(text)));
        meant.delete(stem(word));
        const known = [...meant].filter((term) => INDEX.findTerm(term) >= 0);
        expect(asWritten(INDEX, word)).toEqual(known.toSorted());
      }),
      { numRuns: 500 },
    );
  });

  it("is looked for in words of ASCII letters alone, from four letters on, and in four for a swap alone", () => {
    const index = indexOf([plainDocument("cats café2 naïves sixty4")]);
    for (const word of ["cat", "ca", "cat5", "naives9", "naïvs", "東京都"])
      expect(asWritten(index, word)).toEqual([]);
    expect(asWritten(indexOf([plainDocument("gate")]), "gats")).toEqual([]);
    expect(asWritten(indexOf([plainDocument("gate")]), "gaet")).toEqual(["gate"]);
    expect(asWritten(indexOf([plainDocument("place")]), "play")).toEqual([]);
  });

  it("of the first letter is believed only where it is swapped with the second", () => {
    const index = indexOf([plainDocument("archive")]);
    expect(asWritten(index, "rachive")).toEqual(["archiv"]);
    expect(toolsOf("rachive", index)).toHaveLength(1);
    expect(toolsOf("xrchive", index)).toEqual([]);
  });

  it("is never a pair of words, nor a word of another script", () => {
    const index = indexOf([plainDocument("a", "Close the issue."), plainDocument("b", "κλείσε closé")]);
    for (const word of ["closeissu", "xlose", "clos"]) {
      for (const term of asWritten(index, word)) expect(term).toMatch(/^[a-zé]+$/);
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
        // Elsewhere the word is known, or a slip is likelier.
        if (INDEX.findTerm(stem(written)) >= 0 || asWritten(INDEX, written).length > 0) return;
        const cuts = Array.from({ length: written.length - 5 }, (_, at) => at + 3);
        const known = cuts.filter((at) =>
          [written.slice(0, at), written.slice(at)].every((half) => INDEX.findTerm(stem(half)) >= 0),
        );
        judged += 1;
        const found = toolsOf(written);
        expect(found.length).toBeGreaterThan(0);
        const both = known.length === 1 ? [...toolsOf(first), ...toolsOf(second)] : [];
        expect(both.filter((id) => !found.includes(id))).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(judged).toBeGreaterThan(250);
  });

  it("a space too many is found: one word in two", () => {
    const all = ONE_TOOLS_WORDS.flatMap((word) =>
      Array.from({ length: word.length - 3 }, (_, at) => [word, at + 2] as const),
    );
    const found = all.filter(([word, at]) => {
      const answer = toolsOf(`${word.slice(0, at)} ${word.slice(at)}`);
      return toolsOf(word).every((id) => answer.includes(id));
    });
    // Each half is stemmed before they are joined, which now and then gives another word.
    expect(found.length / all.length).toBeGreaterThan(0.8);
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
  expect(asWritten(index, "formm").length).toBeGreaterThan(0);
  const ids = toolsOf(
    "form",
    indexOf([plainDocument("form"), plainDocument("farm"), plainDocument("forms_x")]),
  );
  expect(ids.toSorted()).toEqual(["plain:form#00000000", "plain:forms_x#00000000"]);
});

it("no question made of tangled words fails", () => {
  fc.assert(
    fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
      const index = indexOf(documents, table);
      for (const text of [
        query,
        query.toUpperCase(),
        query.split("").join(" "),
        query.split("").toReversed().join(""),
      ]) {
        expect(rank(index, text, { topK: 3 }).hits.length).toBeLessThanOrEqual(3);
      }
    }),
  );
});
