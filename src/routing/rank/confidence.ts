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

/** A score from which a hit is close, however many tools share its words and make them worth little. */
const CLOSE_SCORE = 0.4;

/** Whether the first hit has little of what was asked: `score` is its share, `evidence` as `scoreDocuments` gives it. */
export function isWeak(first: { readonly score: number; readonly evidence: number }): boolean {
  return first.score < CLOSE_SCORE && first.evidence < WEAK_EVIDENCE;
}
