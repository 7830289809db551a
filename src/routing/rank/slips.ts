import { ROUTING_SLIP_MIN_CHARS, ROUTING_SLIP_TWO_MIN_CHARS } from "../../limits.ts";
import type { RoutingIndex } from "../index/routing-index.ts";
import { editDistance } from "../text/edit-distance.ts";
import { stem } from "../text/stem.ts";

/** A term, and which letters are in it (`lettersOf`). */
interface Spelling {
  readonly term: string;
  readonly letters: number;
}

/** The terms that begin with one text, decoded once an index: most of a look for slips is decoding. */
const decoded = new WeakMap<RoutingIndex, Map<string, readonly Spelling[]>>();

/** A bit for each letter that is in a text; other characters share the bits. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}

function termsFrom(index: RoutingIndex, beginning: string): readonly Spelling[] {
  const known = decoded.get(index) ?? new Map<string, readonly Spelling[]>();
  decoded.set(index, known);
  const kept = known.get(beginning);
  if (kept !== undefined) return kept;
  const terms: Spelling[] = [];
  for (let place = index.firstTermFrom(beginning); place < index.termCount; place += 1) {
    const term = index.term(place);
    if (!term.startsWith(beginning)) break;
    terms.push({ term, letters: lettersOf(term) });
  }
  known.set(beginning, terms);
  return terms;
}

export interface Slip {
  readonly term: string;
  /** How many slips make the word the term. */
  readonly slips: number;
}

/** What a stem cuts off: a term stands for these forms too. */
const ENDINGS = ["e", "s", "es"];

function formsOf(term: string): readonly string[] {
  return ENDINGS.map((ending) => term + ending).filter((form) => stem(form) === term);
}

const IN_ENDINGS = lettersOf(ENDINGS.join(""));

/** The fewest slips that make a word the term or a form of it; compared stemmed and as written, since a slip can hide an ending. */
function slipsBetween(word: string, written: string, term: string, most: number): number | undefined {
  const stemmed = editDistance(word, term, most);
  if (stemmed === 1 || Math.abs(term.length - written.length) > most + 2) return stemmed;
  const counts = [stemmed, ...[term, ...formsOf(term)].map((form) => editDistance(written, form, most))];
  const known = counts.filter((count): count is number => count !== undefined);
  return known.length === 0 ? undefined : Math.max(1, Math.min(...known));
}

/**
 * Terms that a word may be a slip of the pen for: one letter left out, added, replaced, or two neighbours swapped; two of
 * these in a long word. The first letter is believed, but for a swap with the second. Only ASCII words: elsewhere one
 * letter more or less is another word. `written` is the word before it was stemmed.
 */
export function slipsOf(index: RoutingIndex, word: string, written: string): Slip[] {
  if (written.length < ROUTING_SLIP_MIN_CHARS || !/^[a-z]+$/.test(written)) return [];
  const most = written.length < ROUTING_SLIP_TWO_MIN_CHARS ? 1 : 2;
  const [first = "", second = ""] = written;
  const swapped = first === second ? [] : termsFrom(index, second + first);
  const [ofWord, ofWritten] = [lettersOf(word), lettersOf(written)];
  const found: Slip[] = [];
  for (const { term, letters } of [...termsFrom(index, first), ...swapped]) {
    // A slip takes one letter away and brings another at most: far cheaper to see than the distance, and most are far off.
    const isFar =
      bitCount(letters ^ ofWord) > 2 * most && bitCount((letters ^ ofWritten) & ~IN_ENDINGS) > 2 * most;
    if (isFar || term.length < ROUTING_SLIP_MIN_CHARS || term === word) continue;
    const slips = slipsBetween(word, written, term, most);
    if (slips !== undefined) found.push({ term, slips });
  }
  return found;
}
