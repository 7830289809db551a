import type { GoldEntry } from "../input/queries.ts";

/**
 * Where each entry of the gold is first satisfied in a ranking, from 1; infinity where it is not. An id that the ranking
 * repeats counts at its first place, so that repeating one can only push others down.
 */
export function ranksOf(ranking: readonly string[], gold: readonly GoldEntry[]): number[] {
  const places = new Map<string, number>();
  for (const [index, id] of ranking.entries()) {
    if (!places.has(id)) places.set(id, index + 1);
  }
  return gold.map(({ anyOf }) =>
    anyOf.reduce((first, id) => Math.min(first, places.get(id) ?? Infinity), Infinity),
  );
}

/** Share of the entries satisfied in the first `k`, whatever they are worth; 0 where there are none. */
export function recallAt(ranks: readonly number[], k: number): number {
  return ranks.length === 0 ? 0 : ranks.filter((rank) => rank <= k).length / ranks.length;
}

/** 1 if any entry is satisfied in the first `k`, else 0. */
export function hitAt(ranks: readonly number[], k: number): number {
  return ranks.some((rank) => rank <= k) ? 1 : 0;
}

/** One over the place of the first tool that satisfies an entry; 0 where none does, at whatever depth. */
export function reciprocalRank(ranks: readonly number[]): number {
  return 1 / Math.min(...ranks);
}

/**
 * Discounted cumulative gain (Järvelin and Kekäläinen) of the first `k` over the best one possible. The gain is the
 * relevance itself; each entry gains once, where it is first satisfied. One tool that satisfies several entries gains for
 * each, which could beat one entry a place: 1 is the bound.
 */
export function ndcgAt(ranks: readonly number[], gold: readonly GoldEntry[], k: number): number {
  const ideal = gold
    .map(({ relevance }) => relevance)
    .sort((left, right) => right - left)
    .slice(0, k)
    .reduce((sum, relevance, index) => sum + discounted(relevance, index + 1), 0);
  if (ideal === 0) return 0;
  // Added up in one order whatever order the entries have, so that not even the last digit hangs on it.
  const gained = gold
    .map(({ relevance }, index) => ({ relevance, rank: ranks[index] ?? Infinity }))
    .filter(({ rank }) => rank <= k)
    .sort((left, right) => left.rank - right.rank || right.relevance - left.relevance)
    .reduce((sum, { relevance, rank }) => sum + discounted(relevance, rank), 0);
  return Math.min(1, gained / ideal);
}

function discounted(relevance: number, rank: number): number {
  return relevance / Math.log2(1 + rank);
}

/** Nothing where there is nothing to take it of: no figure is better than one that looks like failure. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
