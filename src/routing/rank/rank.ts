import { findExact } from "../index/exact-name.ts";
import type { RoutingIndex } from "../index/routing-index.ts";
import { isAmbiguous, isWeak } from "./confidence.ts";
import { evidenceFor } from "./evidence.ts";
import { readQuery } from "./query.ts";
import { resolveQuery } from "./resolve.ts";
import { scoreDocuments } from "./score.ts";
import { TopHits } from "./top-hits.ts";

export interface RankOptions {
  /** How many hits are wanted at most; a page, not a catalog. */
  readonly topK: number;
  /** By document, 1 where the tool exists for the caller: the others might as well not be in the index. Without it all do. */
  readonly allow?: Uint8Array;
}

export interface Hit {
  readonly id: string;
  /** Above 0, below 3, six decimals. See `rank`. */
  readonly score: number;
}

export interface Ranking {
  /** By descending score, then by id in code point order. */
  readonly hits: readonly Hit[];
  /** Matches before `topK`. */
  readonly total: number;
  /** The first two score nearly the same: the order between them says little. */
  readonly ambiguous: boolean;
  /** There are matches, but the best has little of what was asked. */
  readonly weak: boolean;
}

/** Scores are whole millionths, so that equal scores are equal bytes and a last bit decides no order. */
const SCORE_STEPS = 1_000_000;

/**
 * Ranks a catalog's tools for a query by BM25F (Robertson, Zaragoza), with `RARITY_SCALE` for the catalog's size and
 * constant pivots for mean lengths, so that a tool's score hangs only on itself and on how many tools share its words. A
 * word of the query is found in a tool also by words that mean nearly the same, and an unknown one by what it may be a slip
 * of the pen for (`resolve.ts`).
 *
 * A score is the share of the query that the tool has, in (0, 1) (`score.ts`). A tool that the query names (upstream name,
 * id, id without hash or version, name in the id) has 2 more, 1.5 if the id has another hash or version, 1 if it is written in
 * another style, and so comes first.
 *
 * With `allow` the answer is that of an index which holds the allowed tools alone, to the last digit: a word's rarity is
 * counted over them, or scores would tell which words hidden tools have. Nothing matched: no hits and neither flag.
 *
 * The work is a look-up for each word and its neighbours, one step a posting of those, two with `allow`, and a binary search for
 * the first hit in each list.
 */
export function rank(index: RoutingIndex, query: string, options: RankOptions): Ranking {
  const { allow } = options;
  const sentences = resolveQuery(index, readQuery(query), allow);
  const { shares, matched } = scoreDocuments(index, sentences, allow);
  const exact = findExact(index, query);
  const named = [...exact.keys()].filter((document) => shares[document] === 0 && allow?.[document] !== 0);
  const topK = Math.max(0, Math.floor(options.topK));
  const top = new TopHits(Math.max(2, topK));
  for (const document of [...matched, ...named]) {
    const score = Math.round(((shares[document] ?? 0) + (exact.get(document) ?? 0)) * SCORE_STEPS);
    top.add({ document, score: Math.max(1, score) });
  }
  const [first] = top.best;
  return {
    hits: top.best
      .slice(0, topK)
      .map(({ document, score }) => ({ id: index.id(document), score: score / SCORE_STEPS })),
    total: matched.length + named.length,
    ambiguous: isAmbiguous(top.best),
    weak:
      first !== undefined &&
      isWeak(first.score / SCORE_STEPS, () => evidenceFor(index, sentences, first.document)),
  };
}
