import { ROUTING_SLIP_MIN_CHARS, ROUTING_SLIP_TWO_MIN_CHARS } from "../../limits.ts";
import type { RoutingIndex } from "../index/routing-index.ts";
import { editDistance } from "../text/edit-distance.ts";

/** The terms that begin with one text, decoded once an index: most of a look for slips is decoding. */
const decoded = new WeakMap<RoutingIndex, Map<string, readonly string[]>>();

function termsFrom(index: RoutingIndex, beginning: string): readonly string[] {
  const known = decoded.get(index) ?? new Map<string, readonly string[]>();
  decoded.set(index, known);
  const kept = known.get(beginning);
  if (kept !== undefined) return kept;
  const terms: string[] = [];
  for (let place = index.firstTermFrom(beginning); place < index.termCount; place += 1) {
    const term = index.term(place);
    if (!term.startsWith(beginning)) break;
    terms.push(term);
  }
  known.set(beginning, terms);
  return terms;
}

export interface Slip {
  readonly term: string;
  /** How many slips make the word the term. */
  readonly slips: number;
}

/**
 * Terms that a word may be a slip of the pen for: one letter left out, added, replaced, or two neighbours swapped; two of
 * these in a long word. The first letter is believed, but for a swap with the second. Only ASCII words: elsewhere one
 * letter more or less is another word.
 */
export function slipsOf(index: RoutingIndex, word: string): Slip[] {
  if (word.length < ROUTING_SLIP_MIN_CHARS || !/^[a-z]+$/.test(word)) return [];
  const most = word.length < ROUTING_SLIP_TWO_MIN_CHARS ? 1 : 2;
  const [first = "", second = ""] = word;
  const swapped = first === second ? [] : termsFrom(index, second + first);
  const found: Slip[] = [];
  for (const term of [...termsFrom(index, first), ...swapped]) {
    if (term.length < ROUTING_SLIP_MIN_CHARS || term === word) continue;
    const slips = editDistance(word, term, most);
    if (slips !== undefined) found.push({ term, slips });
  }
  return found;
}
