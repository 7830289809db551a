import { compareCodePoints, cutAtCodePoint } from "../../code-points.ts";
import type { Lists } from "../../packed/lists.ts";
import type { MergedLists, NewKey } from "../../packed/merge-lists.ts";
import { arrayFor, bytesOf } from "../../packed/numbers.ts";
import { SliceWriter } from "../../packed/slice-writer.ts";
import { compareBytes, encodeText } from "../../packed/text.ts";
import { stem, STEM_KEEPS_CHARS } from "../text/stem.ts";
import type { NeighbourTable } from "./table.ts";

/** Expansions as they stand in a packed index: terms of each word, the likest first, and the likeness of each. */
export interface PackedExpansions {
  readonly meanings: Lists;
  readonly likeness: Uint8Array;
  /** The sections of texts and of starts in `meanings`, as they are packed. */
  readonly texts: Uint8Array;
  readonly starts: Uint8Array;
}

/** A term that a word may also mean. */
interface Meaning {
  readonly term: number;
  /** 1–255. */
  readonly likeness: number;
}

interface WordMeanings {
  readonly word: string;
  /** As they stand in a packed list. */
  readonly meanings: readonly Meaning[];
}

function isBefore(left: Meaning, right: Meaning): boolean {
  return left.likeness > right.likeness || (left.likeness === right.likeness && left.term < right.term);
}

/** The first word that is not before a text. */
function lowerBound(words: readonly string[], text: string): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareCodePoints(words[middle] ?? "", text) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** By word, the place of the term that its stem is; -1 where it is none of these. Words that begin otherwise are not looked at. */
function termsOf(words: readonly string[], terms: readonly NewKey[]): Int32Array {
  const places = new Map(terms.map(({ key, place }) => [key, place]));
  const found = new Int32Array(words.length).fill(-1);
  for (const head of new Set(terms.map(({ key }) => cutAtCodePoint(key, STEM_KEEPS_CHARS)))) {
    for (let at = lowerBound(words, head); words[at]?.startsWith(head) === true; at += 1) {
      found[at] = places.get(stem(words[at] ?? "")) ?? -1;
    }
  }
  return found;
}

/** What the table says of some terms alone: the words that may mean them, in code point order. See `intersectNeighbours`. */
export function meaningsOf(table: NeighbourTable, terms: readonly NewKey[]): readonly WordMeanings[] {
  const { words, starts, neighbours, likeness } = table;
  const termOf = termsOf(words, terms);
  const found = new Map<string, Map<number, number>>();
  let word = 0;
  // Some 200,000 numbers, of which few are looked at further: no iterator, no call.
  for (let at = 0; at < neighbours.length; at += 1) {
    const other = neighbours[at] ?? 0;
    const term = termOf[other] ?? -1;
    if (term < 0) continue;
    while ((starts[word + 1] ?? Number.POSITIVE_INFINITY) <= at) word += 1;
    const key = stem(words[word] ?? "");
    if (stem(words[other] ?? "") === key) continue;
    let meanings = found.get(key);
    if (meanings === undefined) found.set(key, (meanings = new Map<number, number>()));
    meanings.set(term, Math.max(meanings.get(term) ?? 0, likeness[at] ?? 0));
  }
  return Array.from(found, ([key, meanings]) => ({
    word: key,
    meanings: Array.from(meanings, ([term, likeness]) => ({ term, likeness })).sort((left, right) =>
      isBefore(left, right) ? -1 : 1,
    ),
  })).sort((left, right) => compareCodePoints(left.word, right.word));
}

/**
 * The expansions of a catalog whose terms are others than before, packed: those before, without the terms that are gone, and
 * with the meanings of new ones. The bytes are those of a table's whole intersection with the terms, without reading any of
 * the old ones.
 */
export function reviseExpansions(
  before: PackedExpansions,
  { moved, count }: MergedLists["keys"],
  fresh: readonly WordMeanings[],
): readonly Uint8Array[] {
  const { meanings, likeness, texts, starts } = before;
  const terms = movedTerms(meanings.numbers, moved, count);
  if (fresh.length === 0 && terms !== undefined) return [texts, starts, bytesOf(terms), likeness];
  return mergedExpansions(before, { moved, count }, fresh);
}

/** The terms where they stand now; undefined if one of them is gone. */
function movedTerms(numbers: Lists["numbers"], moved: Int32Array, count: number) {
  const terms = arrayFor(count, numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    const term = moved[numbers[at] ?? 0] ?? -1;
    if (term < 0) return undefined;
    terms[at] = term;
  }
  return terms;
}

function mergedExpansions(
  { meanings: { keys, starts, numbers }, likeness }: PackedExpansions,
  { moved, count }: Pick<MergedLists["keys"], "moved" | "count">,
  fresh: readonly WordMeanings[],
): Uint8Array[] {
  const most = fresh.reduce((sum, { meanings }) => sum + meanings.length, numbers.length);
  const terms = arrayFor(count, most);
  const likenesses = new Uint8Array(most);
  const words = new SliceWriter();
  const ends: number[] = [0];
  let end = 0;
  const put = (meaning: Meaning): void => {
    terms[end] = meaning.term;
    likenesses[end] = meaning.likeness;
    end += 1;
  };
  let [old, young] = [0, 0];
  let freshWord = encodeText(fresh[0]?.word ?? "");
  while (old < keys.count || young < fresh.length) {
    const next = fresh[young];
    const oldWord = keys.bytes(old);
    const order = next === undefined ? -1 : old >= keys.count ? 1 : compareBytes(oldWord, freshWord);
    const added = order >= 0 ? (next?.meanings ?? []) : [];
    let entry = 0;
    if (order <= 0) {
      const last = starts[old + 1] ?? 0;
      for (let at = starts[old] ?? 0; at < last; at += 1) {
        const term = moved[numbers[at] ?? 0] ?? -1;
        if (term < 0) continue;
        const kept = { term, likeness: likeness[at] ?? 0 };
        for (let other = added[entry]; other !== undefined && isBefore(other, kept); other = added[entry]) {
          put(other);
          entry += 1;
        }
        put(kept);
      }
      old += 1;
    }
    for (const meaning of added.slice(entry)) put(meaning);
    if (end > (ends.at(-1) ?? 0)) {
      words.bytes(order <= 0 ? oldWord : freshWord);
      ends.push(end);
    }
    if (order >= 0) {
      young += 1;
      freshWord = encodeText(fresh[young]?.word ?? "");
    }
  }
  return [
    words.pack(),
    bytesOf(Uint32Array.from(ends)),
    bytesOf(terms.slice(0, end)),
    likenesses.slice(0, end),
  ];
}
