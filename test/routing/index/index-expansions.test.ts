import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildIndex } from "../../../src/routing/index/index-build.ts";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
import { intersectNeighbours } from "../../../src/routing/neighbours/expansions.ts";
import { CATALOG } from "../catalog.ts";

const WORDS = [
  "book",
  "close",
  "email",
  "files",
  "folder",
  "issue",
  "mail",
  "open",
  "rename",
  "ticket",
  "weather",
];

/** Any table over a few words, some of which the catalog has. */
const tables = fc
  .array(fc.uniqueArray(fc.nat(WORDS.length - 1), { maxLength: 4 }), {
    minLength: WORDS.length,
    maxLength: WORDS.length,
  })
  .chain((lists) =>
    fc
      .array(fc.integer({ min: 1, max: 255 }), {
        minLength: lists.flat().length,
        maxLength: lists.flat().length,
      })
      .map((likeness) => ({
        words: WORDS,
        starts: Uint32Array.from([0, ...lists].map((_, at) => lists.slice(0, at).flat().length)),
        neighbours: Uint32Array.from(lists.flat()),
        likeness: Uint8Array.from(likeness),
        digest: new Uint8Array(32),
      })),
  );

function indexWith(documents: typeof CATALOG, table: Parameters<typeof buildIndex>[1]): RoutingIndex {
  const built = buildIndex(documents, table);
  if (!built.ok) throw new Error(built.reason.reason);
  return built.value;
}

function meanings(index: RoutingIndex, word: string) {
  return index.neighbours(word).map(({ term, likeness }) => ({ term: index.term(term), likeness }));
}

describe("words that mean the same", () => {
  it("are those that the table has among the index's own terms", () => {
    fc.assert(
      fc.property(tables, (table) => {
        const index = indexWith(CATALOG, table);
        const terms = Array.from({ length: index.termCount }, (_, at) => index.term(at));
        const { keys, starts, terms: places, likeness } = intersectNeighbours(table, terms);
        for (const [at, key] of keys.entries()) {
          const expected = Array.from({ length: (starts[at + 1] ?? 0) - (starts[at] ?? 0) }, (_, more) => ({
            term: terms[places[(starts[at] ?? 0) + more] ?? -1],
            likeness: (likeness[(starts[at] ?? 0) + more] ?? 0) / 255,
          }));
          expect(meanings(index, key)).toEqual(expected);
        }
        const unknown = [...WORDS, "", "nonesuch", "\uD800"].filter((word) => !keys.includes(word));
        for (const word of unknown) expect(index.neighbours(word)).toEqual([]);
      }),
    );
  });

  it("are for some of the tools those of all, without the terms that only the others have", () => {
    fc.assert(
      fc.property(tables, fc.subarray([...CATALOG]), (table, some) => {
        const [whole, part] = [indexWith(CATALOG, table), indexWith(some, table)];
        for (const word of ["issu", "mail", "email", "file", "folder", "open", "close", "weather", "book"]) {
          const kept = meanings(whole, word).filter(({ term }) => part.findTerm(term) >= 0);
          expect(meanings(part, word)).toEqual(kept);
        }
      }),
    );
  });

  it("are none without a table", () => {
    const index = indexWith(CATALOG, undefined);
    for (const word of WORDS) expect(index.neighbours(word)).toEqual([]);
  });
});
