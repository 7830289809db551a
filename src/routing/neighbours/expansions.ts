import { compareCodePoints } from "../../code-points.ts";
import { stem } from "../text/stem.ts";
import type { NeighbourTable } from "./table.ts";

/**
 * What the words of a query may also mean in one catalog, as parallel arrays. Key `k` has the entries
 * `starts[k]` to `starts[k + 1]`, the likest first.
 */
export interface Expansions {
  /** Stemmed words in code point order, looked up as `tokenise` gives them; words of unspaced scripts whole. */
  readonly keys: readonly string[];
  readonly starts: Uint32Array;
  /** Indices into the vocabulary. */
  readonly terms: Uint32Array;
  /** 1–255 for a likeness up to 1. */
  readonly likeness: Uint8Array;
}

/** One entry as a whole number below 2^53: key, then 255 - likeness, then term, so that numbers sort as entries do. */
const TERM_SPAN = 2 ** 27;
const LIKENESS_SPAN = 256;
const KEY_SPAN = TERM_SPAN * LIKENESS_SPAN;

/**
 * The neighbour table as far as it concerns one catalog: for every stemmed word the terms of the sorted vocabulary that
 * are stems of its neighbours. Words with one stem share their neighbours, each at its highest likeness; no word expands
 * to itself. Nothing is cut off here, so what a word expands to within a part of a vocabulary is the same whether the
 * part or the whole is intersected: visibility cannot leak through an expansion.
 */
export function intersectNeighbours(table: NeighbourTable, vocabulary: readonly string[]): Expansions {
  const stems = table.words.map((word) => stem(word));
  const keys = [...new Set(stems)].sort(compareCodePoints);
  const keyOf = positionsOf(stems, keys);
  const termOf = positionsOf(stems, vocabulary);
  const entries = new Float64Array(table.neighbours.length);
  let count = 0;
  for (const [word, key] of keyOf.entries()) {
    const end = table.starts[word + 1] ?? 0;
    for (let at = table.starts[word] ?? 0; at < end; at += 1) {
      const other = table.neighbours[at] ?? 0;
      const term = termOf[other] ?? -1;
      if (term === -1 || keyOf[other] === key) continue;
      const unlikeness = LIKENESS_SPAN - 1 - (table.likeness[at] ?? 0);
      entries[count] = key * KEY_SPAN + unlikeness * TERM_SPAN + term;
      count += 1;
    }
  }
  return unpack(entries.subarray(0, count).sort(), keys, vocabulary.length);
}

/** Where each stem stands in a list, -1 where it does not. */
function positionsOf(stems: readonly string[], list: readonly string[]): Int32Array {
  const positions = new Map<string, number>();
  for (const [index, text] of list.entries()) positions.set(text, index);
  return Int32Array.from(stems, (text) => positions.get(text) ?? -1);
}

/** The sorted entries as arrays: of a key's entries for one term the first is the likest, and the only one kept. */
function unpack(entries: Float64Array, keys: readonly string[], vocabulary: number): Expansions {
  const used: string[] = [];
  const starts: number[] = [];
  const terms = new Uint32Array(entries.length);
  const likeness = new Uint8Array(entries.length);
  const lastKey = new Int32Array(vocabulary).fill(-1);
  let current = -1;
  let count = 0;
  for (const entry of entries) {
    const key = Math.floor(entry / KEY_SPAN);
    const term = entry % TERM_SPAN;
    if (key !== current) {
      used.push(keys[key] ?? "");
      starts.push(count);
      current = key;
    }
    if (lastKey[term] === key) continue;
    lastKey[term] = key;
    terms[count] = term;
    likeness[count] = LIKENESS_SPAN - 1 - (Math.floor(entry / TERM_SPAN) % LIKENESS_SPAN);
    count += 1;
  }
  starts.push(count);
  return {
    keys: used,
    starts: Uint32Array.from(starts),
    terms: terms.slice(0, count),
    likeness: likeness.slice(0, count),
  };
}
