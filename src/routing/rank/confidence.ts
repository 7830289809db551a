import type { TopHit } from "./top-hits.ts";

/**
 * The second hit is this near to the first, relative to the first. On queries with known answers the first hit is right
 * one time in four inside this gap, and seven times in ten outside it.
 */
const AMBIGUOUS_GAP = 0.07;

/**
 * What the words of the best sentence give, times the share of it that they are, in nats of rarity. Either alone misleads:
 * many words of little weight add up, and a small catalog has few words to share. Below this, the hit may be chance;
 * `docs/retrieval.md` has what other thresholds would flag.
 */
const WEAK_EVIDENCE = 0.5;

export function isAmbiguous([first, second]: readonly TopHit[]): boolean {
  if (first === undefined || second === undefined) return false;
  return first.score - second.score < AMBIGUOUS_GAP * first.score;
}

/** Whether the first hit has little of what was asked. A tool that is asked for by name is not weak. */
export function isWeak(
  first: TopHit | undefined,
  evidence: Float64Array,
  exact: ReadonlyMap<number, unknown>,
): boolean {
  if (first === undefined || exact.has(first.document)) return false;
  return (evidence[first.document] ?? 0) < WEAK_EVIDENCE;
}
