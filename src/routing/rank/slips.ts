import { ROUTING_SLIP_MIN_CHARS } from "../../limits.ts";
import type { RoutingIndex } from "../index/routing-index.ts";
import { stem } from "../text/stem.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** How much of a word's end a stem and one slip may take (`stoppings`): up to there a term begins as the word does. */
const STEMMED_MAX_CHARS = 6;

/** What two swapped neighbours may have been, the first two included. */
function* swaps(word: string): Generator<string> {
  for (let at = 0; at + 1 < word.length; at += 1) {
    yield word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
  }
}

/**
 * What else one slip behind the first letter may have made the word of. Whatever the index holds, these are some fifty a
 * letter; `begins` tells where no term goes on, so that most are never made.
 */
function* edits(word: string, begins: (beginning: string) => boolean): Generator<string> {
  const certain = word.length - STEMMED_MAX_CHARS;
  for (let at = 1; at <= word.length; at += 1) {
    const before = word.slice(0, at);
    if (at <= certain && !begins(before)) return;
    if (at < word.length) yield before + word.slice(at + 1);
    for (const letter of LETTERS) {
      if (at < certain && !begins(before + letter)) continue;
      if (at < word.length) yield before + letter + word.slice(at + 1);
      yield before + letter + word.slice(at);
    }
  }
}

/**
 * Terms that a word may be a slip of the pen for: one letter left out, added, replaced, or two neighbours swapped; in a short
 * word a swap alone (`fiel`, `lsit`; but `play` is no slip for `place`). The first letter is believed, but for a swap with
 * the second. Only ASCII words: elsewhere one letter more or less is another word. `written` is the word before it was
 * stemmed, as a slip can hide an ending.
 *
 * What the word may have been is looked up, and the terms are never walked: the work hangs on the word alone, however many
 * terms a hostile server brings, and tells nothing of hidden ones.
 */
export function slipsOf(index: RoutingIndex, word: string, written: string): string[] {
  if (written.length < ROUTING_SLIP_MIN_CHARS || !/^[a-z]+$/.test(written)) return [];
  const begins = (beginning: string): boolean =>
    index.term(index.firstTermFrom(beginning)).startsWith(beginning);
  const found = new Set<string>();
  const look = (meant: string): void => {
    const term = stem(meant);
    if (term !== word && index.findTerm(term) >= 0) found.add(term);
  };
  for (const meant of swaps(written)) look(meant);
  if (written.length > ROUTING_SLIP_MIN_CHARS) for (const meant of edits(written, begins)) look(meant);
  return [...found].sort();
}
