import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_QUERY_MAX_TERMS } from "../../src/limits.ts";
import type { RoutingIndex } from "../../src/routing/index-build.ts";
import { readQuery } from "../../src/routing/query.ts";
import { rank } from "../../src/routing/rank.ts";
import { CATALOG } from "./catalog.ts";
import { anyDocuments, anyQuery, indexOf, plainDocument } from "./support.ts";

const ALL = 100;

/** An index whose postings count how often they are read. */
function counted(index: RoutingIndex): { readonly index: RoutingIndex; readonly reads: () => number } {
  let reads = 0;
  const documents = new Proxy(index.documents, {
    get: (target, key) => {
      reads += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  return { index: { ...index, documents }, reads: () => reads };
}

/** How many tools have a term, from the index's own lists. */
function postingsOf(index: RoutingIndex, term: string): number {
  const at = index.terms.indexOf(term);
  return at < 0 ? 0 : (index.starts[at + 1] ?? 0) - (index.starts[at] ?? 0);
}

describe("for any catalog and any query", () => {
  it("scores are finite, positive, of six decimals, in order; total counts at least the hits", () => {
    fc.assert(
      fc.property(anyDocuments, anyQuery, fc.integer({ min: 0, max: 20 }), (documents, query, topK) => {
        const { hits, total, ambiguous, weak } = rank(indexOf(documents), query, { topK });
        expect(hits.length).toBe(Math.min(topK, total));
        expect(total).toBeLessThanOrEqual(documents.length);
        for (const [at, { score }] of hits.entries()) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThan(3);
          expect(score).toBe(Number(score.toFixed(6)));
          expect(score).toBeLessThanOrEqual(hits[at - 1]?.score ?? 3);
        }
        expect(ambiguous && total < 2).toBe(false);
        expect(weak && total === 0).toBe(false);
      }),
    );
  });

  it("the order in which servers connect changes nothing", () => {
    fc.assert(
      fc.property(anyDocuments, anyQuery, (documents, query) => {
        const backwards = rank(indexOf(documents.toReversed()), query, { topK: ALL });
        expect(backwards).toEqual(rank(indexOf(documents), query, { topK: ALL }));
      }),
    );
  });

  it("every tool comes first when asked for by its name or its id", () => {
    const checked = (documents: Parameters<typeof indexOf>[0]): void => {
      const index = indexOf(documents);
      for (const { id, name } of documents) {
        for (const asked of [name.trim(), id.trim()]) {
          if (asked === "") continue;
          const first = rank(index, asked, { topK: 1 }).hits[0];
          const found = documents.find((document) => document.id === first?.id);
          // Another tool may be called the same, to the letter.
          const called = [found?.name, found?.id, found?.id.replace(/^[^:]*:|[@#].*$/gu, "")];
          const bare = found?.id.replace(/[@#].*$/u, "");
          expect([...called, bare].map((text) => text?.trim())).toContain(asked);
        }
      }
    };
    checked(CATALOG);
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,40}$/);
    const word = fc.constantFrom(
      "get",
      "set",
      "Get",
      "item",
      "items",
      "ITEM",
      "a",
      "list_items",
      "listItems",
    );
    const names = fc.uniqueArray(
      fc.oneof(
        name,
        word,
        fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join("_")),
      ),
      {
        minLength: 1,
        maxLength: 25,
      },
    );
    fc.assert(
      fc.property(names, fc.array(word), (all, prose) => {
        checked(all.map((one) => plainDocument(one, prose.join(" "))));
      }),
    );
  });

  it("tools that share no word with the query change no rank and no score", () => {
    const index = indexOf(CATALOG);
    fc.assert(
      fc.property(
        fc.constantFrom(
          "close issue",
          "send an email",
          "files in a folder",
          "天気",
          "create",
          "café",
          "customers of s3",
        ),
        fc.array(fc.stringMatching(/^[qxz]{5,12}$/), { minLength: 1, maxLength: 8 }),
        (query, words) => {
          const strangers = Array.from(new Set(words), (word) => plainDocument(word, words.join(" ")));
          const grown = rank(indexOf([...strangers, ...CATALOG]), query, { topK: ALL });
          expect(grown).toEqual(rank(index, query, { topK: ALL }));
        },
      ),
    );
  });

  it("one tool more never turns a match into none", () => {
    fc.assert(
      fc.property(anyDocuments, anyQuery, (documents, query) => {
        const [added, ...before] = documents;
        if (added === undefined) return;
        const matched = rank(indexOf(before), query, { topK: 1 }).total;
        expect(rank(indexOf(documents), query, { topK: 1 }).total).toBeGreaterThanOrEqual(matched);
      }),
    );
  });

  it("allow leaves what an index of the allowed tools alone would answer, and is asked once a match", () => {
    fc.assert(
      fc.property(
        anyDocuments,
        anyQuery,
        fc.func(fc.boolean()),
        fc.integer({ min: 0, max: 12 }),
        (documents, words, allow, topK) => {
          // Words of the catalog, hidden ones included, are what a spy would ask for.
          for (const query of [words, documents.map(({ name }) => name).join(" "), documents[0]?.id ?? ""]) {
            const index = indexOf(documents);
            const asked: string[] = [];
            const seen = rank(index, query, {
              topK,
              allow: (id) => {
                asked.push(id);
                return allow(id);
              },
            });
            expect(seen).toEqual(rank(indexOf(documents.filter(({ id }) => allow(id))), query, { topK }));
            const everything = rank(index, query, { topK: ALL });
            expect(asked.sort()).toEqual(everything.hits.map(({ id }) => id).sort());
          }
        },
      ),
    );
  });

  it("a hidden tool's words are worth to a query what words found nowhere are", () => {
    const shown = plainDocument("open_door", "Opens a door.");
    const index = indexOf([shown, plainDocument("detonate_charge", "Detonates.")]);
    const ask = (query: string) => rank(index, query, { topK: 5, allow: (id) => id === shown.id });
    expect(ask("door detonate")).toEqual(ask("door nonesuch"));
    expect(ask("detonate_charge")).toEqual({ hits: [], total: 0, ambiguous: false, weak: false });
  });

  it("reads exactly the postings of the query's words", () => {
    fc.assert(
      fc.property(anyDocuments, anyQuery, (documents, query) => {
        const { index, reads } = counted(indexOf(documents));
        rank(index, query, { topK: 5 });
        const expected = readQuery(query)
          .flat()
          .reduce((sum, { term }) => sum + postingsOf(index, term), 0);
        expect(reads()).toBe(expected);
        rank(index, query, { topK: 5, allow: () => true });
        expect(reads()).toBe(3 * expected);
      }),
    );
  });

  it("a megabyte of question looks up no more words than the bound", () => {
    const query = Array.from({ length: 200_000 }, (_, at) => `w${at.toString(36)}`).join(" ");
    expect(readQuery(query)).toHaveLength(ROUTING_QUERY_MAX_TERMS);
    const { index, reads } = counted(indexOf(CATALOG));
    rank(index, `issue ${query}`, { topK: 5 });
    expect(reads()).toBeLessThanOrEqual(ROUTING_QUERY_MAX_TERMS * CATALOG.length);
  });

  it("function words do not crowd out what follows them", () => {
    expect(
      readQuery(`${"the of and to ".repeat(200)} invoice`)
        .flat()
        .map(({ term }) => term),
    ).toEqual(["invoic"]);
  });
});
