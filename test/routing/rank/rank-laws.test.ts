import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../../src/code-points.ts";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { type Hit, rank, type Ranking } from "../../../src/routing/rank/rank.ts";
import { thingsOf } from "../../../src/routing/rank/things.ts";
import { CATALOG } from "../catalog.ts";
import {
  anyDocuments,
  anyQuery,
  committedTable,
  indexOf,
  maybeTable,
  plainDocument,
  TANGLED_WORDS,
  tangledDocuments,
  tangledQuery,
} from "../support.ts";

const ALL = 100;
const LAW_RUNS = { numRuns: 500 };

/** A hit beside the one before it: nothing where both are as they should be. */
function faultOf({ id, score }: Hit, before: Hit | undefined): string | undefined {
  if (!(score > 0 && score < 3)) return "out of bounds";
  if (score !== Number(score.toFixed(6))) return "more than six decimals";
  if (before === undefined || before.score > score) return undefined;
  return before.score === score && compareCodePoints(before.id, id) < 0 ? undefined : "out of order";
}

/** What is wrong with a ranking: nothing, of any. */
function faultsOf({ hits, total, ambiguous, weak }: Ranking, tools: number, topK: number): string[] {
  const faults = hits.flatMap((hit, at) => faultOf(hit, hits[at - 1]) ?? []);
  if (hits.length !== Math.min(topK, total)) faults.push("too few or too many hits");
  if (total > tools || new Set(hits.map(({ id }) => id)).size < hits.length) faults.push("a tool twice");
  if ((ambiguous && total < 2) || (weak && total === 0)) faults.push("a flag without hits");
  return faults;
}

/** Terms of the query's words read together, in this order, that the index has. */
function togetherIn(index: RoutingIndex, query: string): { readonly pairs: number; readonly joined: number } {
  const sentences = readQuery(query);
  const has = (term: string): boolean => index.findTerm(term) >= 0;
  return {
    pairs: sentences.flatMap(({ pairs }) => pairs).filter(({ term }) => has(term)).length,
    joined: sentences.flatMap(({ joined }) => joined).filter(has).length,
  };
}

describe("for any catalog and any query", () => {
  it("scores are finite, positive, of six decimals, in order; total counts at least the hits", () => {
    const topK = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(anyDocuments, anyQuery, topK, (documents, query, most) => {
        const ranking = rank(indexOf(documents), query, { topK: most });
        expect(faultsOf(ranking, documents.length, most)).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, topK, maybeTable, (documents, query, most, table) => {
        const ranking = rank(indexOf(documents, table), query, { topK: most });
        expect(faultsOf(ranking, documents.length, most)).toEqual([]);
      }),
      LAW_RUNS,
    );
  });

  it("a score of 1 and more is for tools that are asked for by name alone", () => {
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
        // A sign that stands in no name and separates no other words than a space does.
        const ranking = rank(indexOf(documents, table), `${query} *`, { topK: ALL });
        const spelled = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, "");
        const named = ranking.hits.filter(({ score }) => score >= 1);
        for (const { id } of named) {
          const { name = "", server = "" } = documents.find((document) => document.id === id) ?? {};
          expect([name, server + name].map(spelled)).toContain(spelled(query));
        }
      }),
      LAW_RUNS,
    );
  });

  it("the order in which servers connect changes nothing", () => {
    fc.assert(
      fc.property(anyDocuments, anyQuery, (documents, query) => {
        const backwards = rank(indexOf(documents.toReversed()), query, { topK: ALL });
        expect(backwards).toEqual(rank(indexOf(documents), query, { topK: ALL }));
      }),
    );
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
        const backwards = rank(indexOf(documents.toReversed(), table), query, { topK: ALL });
        expect(backwards).toEqual(rank(indexOf(documents, table), query, { topK: ALL }));
      }),
    );
  });

  it("asking twice gives one answer, whatever was asked between", () => {
    fc.assert(
      fc.property(
        tangledDocuments,
        fc.array(tangledQuery, { maxLength: 5 }),
        maybeTable,
        (documents, queries, table) => {
          const index = indexOf(documents, table);
          const first = queries.map((query) => rank(index, query, { topK: ALL }));
          const again = queries.toReversed().map((query) => rank(index, query, { topK: ALL }));
          expect(again.toReversed()).toEqual(first);
        },
      ),
    );
  });

  it("one tool more never turns a match into none", () => {
    const isLost = (index: RoutingIndex, grown: RoutingIndex, query: string): boolean =>
      rank(index, query, { topK: 1 }).total > 0 && rank(grown, query, { topK: 1 }).total === 0;
    fc.assert(
      fc.property(anyDocuments, anyQuery, (documents, query) => {
        expect(isLost(indexOf(documents.slice(1)), indexOf(documents), query)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
        expect(isLost(indexOf(documents.slice(1), table), indexOf(documents, table), query)).toBe(false);
      }),
      LAW_RUNS,
    );
  });
});

describe("tools that share no term with the query", () => {
  const strangeWords = fc.array(fc.stringMatching(/^[qxz]{5,12}$/), { minLength: 1, maxLength: 8 });
  const strangersOf = (words: readonly string[]) =>
    Array.from(new Set(words), (word) => plainDocument(word, words.join(" ")));

  it("change no rank, no score and no flag, neighbours, slips and all", () => {
    fc.assert(
      fc.property(
        tangledDocuments,
        tangledQuery,
        strangeWords,
        maybeTable,
        (documents, query, words, table) => {
          const grown = rank(indexOf([...strangersOf(words), ...documents], table), query, { topK: ALL });
          expect(grown).toEqual(rank(indexOf(documents, table), query, { topK: ALL }));
        },
      ),
      LAW_RUNS,
    );
  });

  it("nor with the committed table, over a catalog that makes sense", () => {
    const index = indexOf(CATALOG, committedTable());
    const queries = [
      "close issue",
      "send an emial",
      "files in a folder",
      "天気",
      "renaming documents",
      "café reservations",
      "customers of s3",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...queries), strangeWords, (query, words) => {
        const grown = indexOf([...strangersOf(words), ...CATALOG], committedTable());
        expect(rank(grown, query, { topK: ALL })).toEqual(rank(index, query, { topK: ALL }));
      }),
      { numRuns: 12 },
    );
  });
});

describe("the order of the words", () => {
  const words = fc.array(fc.constantFrom(...TANGLED_WORDS), { maxLength: 10 });
  const shuffled = words.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );

  it("matters only for words that stand side by side in a tool, or are one word there, and for what a sentence names", () => {
    let [judged, runs] = [0, 0];
    fc.assert(
      fc.property(tangledDocuments, shuffled, maybeTable, (documents, [all, mixed], table) => {
        const index = indexOf(documents, table);
        const queries = [all, mixed].map((list) => list.join(" "));
        runs += 1;
        if (queries.some((query) => togetherIn(index, query).pairs + togetherIn(index, query).joined > 0))
          return;
        const [first, second] = queries.map((query) => rank(index, query, { topK: ALL }));
        if ([first, second].some((ranking) => (ranking?.hits[0]?.score ?? 0) >= 1)) return;
        judged += 1;
        // Which words name things is told by the form of a sentence, and only `weak` asks it.
        const isFormless = queries.every((query) => thingsOf(query).size === 0);
        expect({ ...second, ...(isFormless ? {} : { weak: first?.weak }) }).toEqual(first);
      }),
      LAW_RUNS,
    );
    expect(judged).toBeGreaterThan(runs / 4);
  });

  it("changes which tools match only by words that are one word somewhere", () => {
    let [judged, runs] = [0, 0];
    fc.assert(
      fc.property(tangledDocuments, shuffled, maybeTable, (documents, [all, mixed], table) => {
        const index = indexOf(documents, table);
        const queries = [all, mixed].map((list) => list.join(" "));
        runs += 1;
        if (queries.some((query) => togetherIn(index, query).joined > 0)) return;
        judged += 1;
        const [first, second] = queries.map((query) =>
          rank(index, query, { topK: ALL })
            .hits.map(({ id }) => id)
            .sort(),
        );
        expect(second).toEqual(first);
      }),
      LAW_RUNS,
    );
    expect(judged).toBeGreaterThan(runs / 4);
  });

  it("a tool that has the words side by side comes before one that has them apart", () => {
    const index = indexOf([
      plainDocument("a", "Message the folder about an archive."),
      plainDocument("b", "Archive message in the folder about."),
    ]);
    expect(rank(index, "archive message", { topK: 1 }).hits[0]?.id).toBe("plain:b#00000000");
  });
});
