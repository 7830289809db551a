import { nounKey } from "./words.ts";

/** Prefixes shorter than this join strangers. */
const PREFIX_CHARS = 3;

/** Whether one text becomes the other by at most `edits` insertions, deletions or replacements. At most 3^edits walks. */
function isNear(left: string, right: string, edits: number): boolean {
  if (Math.abs(left.length - right.length) > edits) return false;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  if (at === left.length && at === right.length) return true;
  if (edits === 0) return false;
  const [restLeft, restRight] = [left.slice(at), right.slice(at)];
  return (
    isNear(restLeft.slice(1), restRight.slice(1), edits - 1) ||
    isNear(restLeft.slice(1), restRight, edits - 1) ||
    isNear(restLeft, restRight.slice(1), edits - 1)
  );
}

/**
 * How likely one segment was meant by another, 0 for not at all: plurals are closest, then prefixes (`pulls` for
 * `pull_requests`), then slips of one or two characters in longer words.
 */
export function closeness(asked: string, segment: string): number {
  if (asked[0] === segment[0] && nounKey(asked) === nounKey(segment)) return 3;
  const singular = asked.replace(/s$/, "");
  const [short, long] = singular.length < segment.length ? [singular, segment] : [segment, singular];
  if (short.length >= PREFIX_CHARS && long.startsWith(short)) return 2;
  if (short.length < 4) return 0;
  return isNear(asked, segment, short.length < 7 ? 1 : 2) ? 1 : 0;
}
