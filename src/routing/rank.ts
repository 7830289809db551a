import { findExact } from "./exact-name.ts";
import { RARITY_SCALE, SATURATION } from "./fields.ts";
import type { RoutingIndex } from "./index-build.ts";
import { readQuery, type QueryWord, type Variant } from "./query.ts";
import { lowerBound } from "./sorted-search.ts";
import { TopHits, type TopHit } from "./top-hits.ts";

export interface RankOptions {
  /** How many hits are wanted at most; a page, not a catalog. */
  readonly topK: number;
  /** Which tools exist for the caller: the others might as well not be in the index. Asked once for each match. */
  readonly allow?: (id: string) => boolean;
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
 * The second hit is this near to the first, relative to the first. On queries with known answers the first hit is right
 * one time in three inside this gap, and seven times in ten outside it.
 */
const AMBIGUOUS_GAP = 0.05;

/**
 * The best hit has less than a tenth of what was asked. On queries with known answers that is so for one in fifty to
 * one in twenty-five of those answered well; put to a catalog made for other queries, half are weak or empty.
 */
const WEAK_SHARE = 0.1;

/** Words of a full sentence without its function words; a longer query is a story, and no tool has all of its words. */
const SENTENCE_WORDS = 8;

interface Scored {
  /** By document; 0 where no word was found. */
  readonly scores: Float64Array;
  /** Documents with a score, each once. */
  readonly matched: number[];
  /** The score of a document that had every word without end. */
  readonly ceiling: number;
  readonly words: number;
}

/** Whether a document exists for the caller; undefined where all do. */
type Allowed = ((document: number) => boolean) | undefined;

/** `allow` by document, asked once for each. */
function allowedBy(index: RoutingIndex, allow: RankOptions["allow"]): Allowed {
  if (allow === undefined) return undefined;
  const [yes, no] = [1, 2];
  const known = new Uint8Array(index.ids.length);
  return (document) => {
    if (known[document] === 0) known[document] = allow(index.ids[document] ?? "") ? yes : no;
    return known[document] === yes;
  };
}

interface PostingRange {
  readonly from: number;
  readonly to: number;
}

function postingsOf(index: RoutingIndex, term: string): PostingRange {
  const at = lowerBound(index.terms, term);
  if (index.terms[at] !== term) return { from: 0, to: 0 };
  return { from: index.starts[at] ?? 0, to: index.starts[at + 1] ?? 0 };
}

/** In how many tools a term is found. */
function frequency(index: RoutingIndex, { from, to }: PostingRange, allowed: Allowed): number {
  if (allowed === undefined) return to - from;
  let found = 0;
  for (let posting = from; posting < to; posting += 1) {
    if (allowed(index.documents[posting] ?? 0)) found += 1;
  }
  return found;
}

/** What a word is worth that is found in so many tools; a word found in none is worth most, and nobody gets it. */
function rarity(tools: number): number {
  return Math.log(1 + RARITY_SCALE / (tools + 0.5));
}

/** Calls `found` with each document that has the term, and what the term gives it. */
function scoreTerm(
  index: RoutingIndex,
  range: PostingRange,
  worth: number,
  allowed: Allowed,
  found: (document: number, score: number) => void,
): void {
  for (let posting = range.from; posting < range.to; posting += 1) {
    const document = index.documents[posting] ?? 0;
    if (allowed?.(document) === false) continue;
    const occurrences = (index.weights[posting] ?? 0) / 1000;
    found(document, (worth * occurrences) / (SATURATION + occurrences));
  }
}

/** Calls `found` once for each document that has any variant of the word, with the best. Returns the word's worth. */
function scoreWord(
  index: RoutingIndex,
  word: QueryWord,
  allowed: Allowed,
  found: (document: number, score: number) => void,
): number {
  const variants = word.map((variant: Variant) => {
    const range = postingsOf(index, variant.term);
    return { range, worth: variant.likeness * rarity(frequency(index, range, allowed)) };
  });
  const [only] = variants;
  if (only !== undefined && variants.length === 1) {
    scoreTerm(index, only.range, only.worth, allowed, found);
    return only.worth;
  }
  const best = new Map<number, number>();
  for (const { range, worth } of variants) {
    scoreTerm(index, range, worth, allowed, (document, score) => {
      if (score > (best.get(document) ?? 0)) best.set(document, score);
    });
  }
  for (const [document, score] of best) found(document, score);
  return Math.max(0, ...variants.map(({ worth }) => worth));
}

function scoreQuery(index: RoutingIndex, query: string, allowed: Allowed): Scored {
  const scores = new Float64Array(index.ids.length);
  const matched: number[] = [];
  const words = readQuery(query);
  let ceiling = 0;
  for (const word of words) {
    ceiling += scoreWord(index, word, allowed, (document, score) => {
      const before = scores[document] ?? 0;
      if (before === 0) matched.push(document);
      scores[document] = before + score;
    });
  }
  return { scores, matched, ceiling, words: words.length };
}

function isAmbiguous([first, second]: readonly TopHit[]): boolean {
  if (first === undefined || second === undefined) return false;
  return first.score - second.score < AMBIGUOUS_GAP * first.score;
}

function isWeak([first]: readonly TopHit[], words: number): boolean {
  if (first === undefined) return false;
  const share = (first.score / SCORE_STEPS) * Math.max(1, words / SENTENCE_WORDS);
  return share < WEAK_SHARE;
}

/**
 * Ranks a catalog's tools for a query by BM25F (Robertson, Zaragoza), with `RARITY_SCALE` for the catalog's size and
 * constant pivots for mean lengths, so that a tool's score hangs only on itself and on how many tools share its words.
 *
 * A score is the share of the query that the tool has, in (0, 1): what its words give, of what a tool with all of them
 * would get. Words found nowhere count as missed. A tool that the query names (upstream name, id, id without hash or
 * version, name in the id) has 2 more, or 1 more if letters differ in case, and so comes first.
 *
 * With `allow` the answer is that of an index which holds the allowed tools alone, to the last digit: a word's rarity is
 * counted over them, or scores would tell which words hidden tools have. Nothing matched: no hits and neither flag.
 *
 * The work is one look-up a query word and one step a posting of those words, two with `allow`.
 */
export function rank(index: RoutingIndex, query: string, options: RankOptions): Ranking {
  const allowed = allowedBy(index, options.allow);
  const { scores, matched, ceiling, words } = scoreQuery(index, query, allowed);
  const exact = findExact(index, query);
  for (const document of exact.keys()) {
    if (scores[document] === 0 && allowed?.(document) !== false) matched.push(document);
  }
  const topK = Math.max(0, Math.floor(options.topK));
  const top = new TopHits(Math.max(2, topK));
  for (const document of matched) {
    const share = ceiling > 0 ? (scores[document] ?? 0) / ceiling : 0;
    const score = Math.round((share + (exact.get(document) ?? 0)) * SCORE_STEPS);
    top.add({ document, score: Math.max(1, score) });
  }
  return {
    hits: top.best
      .slice(0, topK)
      .map(({ document, score }) => ({ id: index.ids[document] ?? "", score: score / SCORE_STEPS })),
    total: matched.length,
    ambiguous: isAmbiguous(top.best),
    weak: isWeak(top.best, words),
  };
}
