import type { Evidence } from "./evidence.ts";
import type { TopHit } from "./top-hits.ts";

/**
 * The second hit is this near to the first, relative to the first. On queries with known answers the first hit is right
 * one time in four inside this gap, and seven times in ten outside it.
 */
const AMBIGUOUS_GAP = 0.07;

export function isAmbiguous([first, second]: readonly TopHit[]): boolean {
  if (first === undefined || second === undefined) return false;
  return first.score - second.score < AMBIGUOUS_GAP * first.score;
}

/** A score from which a hit is close, whatever else is asked; a tool that is asked for by name has 1 and more. */
const CLOSE_SCORE = 0.4;
/** Less evidence than this is chance: a word or two by the way in a tool's description. */
const CHANCE_NATS = 0.05;
/** From this share of what is asked a hit is none by chance, however many tools share its words and make them worth little. */
const NO_CHANCE_SHARE = 0.2;
/** More than three things named that the hit knows nothing of: it is about something else, ... */
const MISSED_THINGS = 3.5;
/** ... unless it has this much of the rest. */
const OTHER_SUBJECT_NATS = 0.9;

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/**
 * Whether the first hit has little of what was asked. The numbers were found by taking the right tools' servers out of
 * catalogs, asking one catalog for what another has, and on queries without a right tool; `docs/retrieval.md` has what others
 * would flag.
 */
export function isWeak(score: number, evidence: () => Evidence): boolean {
  if (score >= CLOSE_SCORE) return false;
  const { nats, share, missed } = evidence();
  if (nats < CHANCE_NATS && share < NO_CHANCE_SHARE) return true;
  return nats < OTHER_SUBJECT_NATS && sum(missed.values()) >= MISSED_THINGS;
}
