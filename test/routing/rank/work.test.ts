import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ROUTING_QUERY_MAX_CHARS,
  ROUTING_QUERY_MAX_TERMS,
  ROUTING_RUN_WORD_MAX_CHARS,
  ROUTING_RUNS_MAX_CHARS,
  ROUTING_SLIP_WORDS_MAX_COUNT,
  ROUTING_TERM_MAX_CHARS,
} from "../../../src/limits.ts";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import { resolveQuery } from "../../../src/routing/rank/resolve.ts";
import { CATALOG } from "../catalog.ts";
import {
  anyDocuments,
  anyQuery,
  committedTable,
  indexOf,
  maybeTable,
  plainDocument,
  tangledDocuments,
  tangledQuery,
} from "../support.ts";
import { documentsWhere } from "../../support/documents-where.ts";

const NO_COUNTS = { postings: 0, terms: 0, neighbours: 0, beginnings: 0, decoded: 0 };

/** An index that counts what a ranking does with it. */
class CountedIndex {
  readonly counts = { ...NO_COUNTS };
  readonly index: RoutingIndex;

  constructor(index: RoutingIndex) {
    const { counts } = this;
    this.index = {
      ...index,
      documents: new Proxy(index.documents, {
        get: (target, key) => {
          counts.postings += 1;
          return Reflect.get(target, key) as unknown;
        },
      }),
      findTerm: (term) => {
        counts.terms += 1;
        return index.findTerm(term);
      },
      neighbours: (word) => {
        counts.neighbours += 1;
        return index.neighbours(word);
      },
      firstTermFrom: (text) => {
        counts.beginnings += 1;
        return index.firstTermFrom(text);
      },
      term: (place) => {
        counts.decoded += 1;
        return index.term(place);
      },
    };
  }

  /** What one query costs. */
  costs(query: string, allow?: Uint8Array): CountedIndex["counts"] {
    Object.assign(this.counts, NO_COUNTS);
    rank(this.index, query, { topK: 5, ...(allow === undefined ? {} : { allow }) });
    return { ...this.counts };
  }
}

/** Postings of all that a query is read as, and the steps in which one document is looked up among those of its words. */
function stepsMeant(
  index: RoutingIndex,
  query: string,
): { readonly meant: number; readonly searched: number } {
  let [meant, searched] = [0, 0];
  for (const { words, pairs } of resolveQuery(index, readQuery(query), undefined)) {
    const variants = words.flatMap((word) => word.variants);
    for (const { postings } of [...variants, ...pairs]) meant += postings.to - postings.from;
    for (const { postings } of variants) searched += 2 + Math.floor(Math.log2(postings.to - postings.from));
  }
  return { meant, searched };
}

/** A word with and without accents, in any of its cuts into two, and beside another. */
const TERMS_A_WORD = 2 + 2 * ROUTING_TERM_MAX_CHARS + 1;
/** Two words joined, stemmed and not, between any two characters of the question that are words. */
const MOST_JOINED = ROUTING_QUERY_MAX_CHARS;
/** What a word may be a slip for: two forms a letter of the alphabet, and two more, at each of its places. */
const MOST_SLIPS = ROUTING_SLIP_WORDS_MAX_COUNT * 54 * (ROUTING_TERM_MAX_CHARS + 1);
const MOST_TERMS = ROUTING_QUERY_MAX_TERMS * TERMS_A_WORD + MOST_JOINED + MOST_SLIPS;
const MOST_NEIGHBOURS = 2 * ROUTING_QUERY_MAX_TERMS + ROUTING_RUNS_MAX_CHARS * ROUTING_RUN_WORD_MAX_CHARS;

const MEGABYTE = 1 << 20;
const letters = (at: number): string =>
  at.toString(26).replace(/[0-9]/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");
const HOSTILE: readonly (readonly [string, string])[] = [
  ["one word without end", "q".repeat(MEGABYTE)],
  ["one word of the catalog over and over", "issue ".repeat(10_000)],
  ["words that nobody has", Array.from({ length: 200_000 }, (_, at) => `w${letters(at)}`).join(" ")],
  [
    "long words that nobody has",
    Array.from({ length: 20_000 }, (_, at) => `${letters(at)}${"issue".repeat(9)}`).join(" "),
  ],
  ["words that are slips", Array.from({ length: 20_000 }, (_, at) => `issu${letters(at)}`).join(" ")],
  ["pairs without end", Array.from({ length: 20_000 }, (_, at) => `create issue a${letters(at)}`).join(" ")],
  ["a script without spaces", "東京都電車".repeat(MEGABYTE / 5)],
  ["many runs of a script without spaces", "東京 電車の料金 料理 ".repeat(50_000)],
  [
    "other characters each time",
    Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e_00 + at)).join(""),
  ],
  ["sentences without end", "Create an issue. ".repeat(60_000)],
  ["sentences of two letters", "a x! ".repeat(200_000)],
  ["ends of sentences that are none", `${"!".repeat(ROUTING_QUERY_MAX_CHARS - 1)}x`],
  ["case changes", "aB".repeat(MEGABYTE / 2)],
  ["digits and letters", "a1".repeat(MEGABYTE / 2)],
  ["marks", `a${"\u0301".repeat(MEGABYTE)}`],
  ["characters that stand for many", "\uFDFA".repeat(MEGABYTE / 4)],
  ["signs", "!?_-".repeat(MEGABYTE / 4)],
  ["lone surrogates", "\uD800x".repeat(MEGABYTE / 2)],
  ["emoji", "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}".repeat(10_000)],
  ["right to left", "\u202Eمرحبا שלום ".repeat(10_000)],
  ["NUL", "\0".repeat(MEGABYTE)],
];

describe("the work of a ranking", () => {
  it("is one step a posting of what the query is read as, three at most for a caller with a view of its own, and a search for the first", () => {
    const steps = (index: RoutingIndex, query: string): void => {
      const counted = new CountedIndex(index);
      const { meant, searched } = stepsMeant(index, query);
      const { postings } = counted.costs(query);
      expect(postings).toBeGreaterThanOrEqual(meant);
      expect(postings).toBeLessThanOrEqual(meant + searched);
      const all = documentsWhere(index, () => true);
      expect(counted.costs(query, all).postings).toBeLessThanOrEqual(3 * meant + searched);
    };
    fc.assert(fc.property(anyDocuments, anyQuery, (documents, query) => steps(indexOf(documents), query)));
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
        steps(indexOf(documents, table), query);
      }),
    );
  });

  it.each(HOSTILE)("is bounded for %s, and a megabyte is no more than its beginning", (_, query) => {
    for (const index of [indexOf(CATALOG), indexOf(CATALOG, committedTable())]) {
      const counted = new CountedIndex(index);
      const costs = counted.costs(query);
      expect(costs.terms).toBeLessThanOrEqual(MOST_TERMS);
      expect(costs.neighbours).toBeLessThanOrEqual(MOST_NEIGHBOURS);
      expect(costs.beginnings).toBeLessThanOrEqual(MOST_SLIPS);
      expect(costs.decoded).toBeLessThanOrEqual(MOST_SLIPS);
      expect(counted.costs(query.slice(0, ROUTING_QUERY_MAX_CHARS))).toEqual(costs);
    }
  });

  it("looks no known word up among slips", () => {
    const counted = new CountedIndex(indexOf(CATALOG));
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("issue", "files", "weather", "customer", "message"), { maxLength: 9 }),
        (words) => {
          const { beginnings, decoded } = counted.costs(words.join(" "));
          expect([beginnings, decoded]).toEqual([0, 0]);
        },
      ),
    );
    expect(counted.costs("custommers").beginnings).toBeGreaterThan(0);
  });

  it("for a slip hangs on the word alone, however many terms a server brings that are like it", () => {
    const crowd = (count: number): string =>
      Array.from({ length: count }, (_, at) => `abcd${letters(at)}efghkk`).join(" ");
    const costs = [100, 900].map((count) => {
      const documents = [plainDocument("a", crowd(count)), plainDocument("b", crowd(count).slice(0, 90))];
      return new CountedIndex(indexOf(documents)).costs("abcdxyzefghkk bacdqefghkk");
    });
    for (const { terms, decoded, beginnings } of costs) {
      expect(terms + decoded + beginnings).toBeLessThan(3 * 2 * 54 * 14);
    }
  });

  it("reads a neighbour's postings at most once a word, in a catalog where everyone has every word", () => {
    const names = Array.from({ length: 300 }, (_, at) => plainDocument(`find_list_bring_${letters(at)}`));
    const index = indexOf(names, committedTable());
    const counted = new CountedIndex(index);
    const query = "find list bring give show get look search seek locate";
    const { meant, searched } = stepsMeant(index, query);
    expect(counted.costs(query).postings).toBeLessThanOrEqual(meant + searched);
    expect(meant).toBeLessThanOrEqual(10 * 3 * names.length + 2 * names.length);
  });
});
