import { RARITY_SCALE } from "../document/fields.ts";
import type { RoutingIndex } from "../index/routing-index.ts";

/** By document, 1 where it exists for the caller; undefined where all do. */
export type Allowed = Uint8Array | undefined;

/** The postings of one term, and in how many of the caller's tools it is found. */
export interface Postings {
  readonly place: number;
  readonly from: number;
  readonly to: number;
  readonly tools: number;
}

/** The postings of the term at a place; undefined where none of the caller's tools has it. */
export function postingsAt(index: RoutingIndex, place: number, allowed: Allowed): Postings | undefined {
  const [from, to] = [index.starts[place] ?? 0, index.starts[place + 1] ?? 0];
  let tools = to - from;
  if (allowed !== undefined) {
    tools = 0;
    for (let posting = from; posting < to; posting += 1) {
      tools += allowed[index.documents[posting] ?? 0] ?? 0;
    }
  }
  return tools === 0 ? undefined : { place, from, to, tools };
}

export function postingsOf(index: RoutingIndex, term: string, allowed: Allowed): Postings | undefined {
  const place = index.findTerm(term);
  return place < 0 ? undefined : postingsAt(index, place, allowed);
}

/** Where a document stands among postings; -1 where it does not. */
export function postingIn(index: RoutingIndex, { from, to }: Postings, document: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((index.documents[middle] ?? 0) < document) low = middle + 1;
    else high = middle;
  }
  return low < to && index.documents[low] === document ? low : -1;
}

/** What a word is worth that is found in so many tools; a word found in none is worth most, and nobody gets it. */
export function rarity(tools: number): number {
  return Math.log(1 + RARITY_SCALE / (tools + 0.5));
}
