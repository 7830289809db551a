import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { rank, type Ranking } from "../../../src/routing/rank/rank.ts";
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

function expectWellFormed({ hits, total, ambiguous, weak }: Ranking, tools: number, topK: number): void {
  expect(hits.length).toBe(Math.min(topK, total));
  expect(total).toBeLessThanOrEqual(tools);
  expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
  for (const [at, { id, score }] of hits.entries()) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThan(3);
    expect(score).toBe(Number(score.toFixed(6)));
    const before = hits[at - 1];
    expect(score).toBeLessThanOrEqual(before?.score ?? 3);
    // Ids of these documents hold no surrogates where plain comparison would differ.
    if (before?.score === score && !/\p{C}|[\uE000-\uFFFF]/u.test(before.id + id))
      expect(before.id < id).toBe(true);
  }
  expect(ambiguous && total < 2).toBe(false);
  expect(weak && total === 0).toBe(false);
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
        expectWellFormed(rank(indexOf(documents), query, { topK: most }), documents.length, most);
      }),
    );
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, topK, maybeTable, (documents, query, most, table) => {
        const ranking = rank(indexOf(documents, table), query, { topK: most });
        expectWellFormed(ranking, documents.length, most);
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
        for (const { id, score } of ranking.hits) {
          const name = documents.find((document) => document.id === id)?.name ?? "";
          if (spelled(name) !== spelled(query)) expect(score).toBeLessThan(1);
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
          expect(again.reverse()).toEqual(first);
        },
      ),
    );
  });

  it("one tool more never turns a match into none", () => {
    const grows = (index: RoutingIndex, grown: RoutingIndex, query: string): void => {
      if (rank(index, query, { topK: 1 }).total > 0)
        expect(rank(grown, query, { topK: 1 }).total).toBeGreaterThan(0);
    };
    fc.assert(
      fc.property(anyDocuments, anyQuery, (documents, query) => {
        grows(indexOf(documents.slice(1)), indexOf(documents), query);
      }),
    );
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
        grows(indexOf(documents.slice(1), table), indexOf(documents, table), query);
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

  it("matters only for words that stand side by side in a tool, or are one word there", () => {
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
        expect(second).toEqual(first);
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
