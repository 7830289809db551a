import { TOKENIZER_TOKEN_MAX_BYTES } from "../../limits.ts";
import { fitsTokens, type TokenCounter } from "../../tokens/token-counter.ts";

const ELLIPSIS = "…";

/** The largest index that satisfies the predicate by binary search; -1 if none of those it looks at does. */
function lastThat(length: number, holds: (index: number) => boolean): number {
  let low = -1;
  let high = length - 1;
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The longest prefix that ends a sentence and fits. In a text of one line the pieces that the tokenizer cuts before a
 * sentence's end are the same in every longer prefix, so token counts grow from one end to the next, and a binary search
 * finds what trying the ends from the longest down would.
 */
function longestSentences(text: string, maxTokens: number, counter: TokenCounter): string | undefined {
  const ends: number[] = [];
  for (const match of text.matchAll(/[.!?](?=\s|$)/g)) {
    const end = match.index + 1;
    if (end > maxTokens * TOKENIZER_TOKEN_MAX_BYTES) break;
    ends.push(end);
  }
  const end =
    ends[lastThat(ends.length, (index) => fitsTokens(text.slice(0, ends[index]), maxTokens, counter))];
  return end === undefined ? undefined : text.slice(0, end);
}

/**
 * The prefix that a binary search over all code-point offsets ends at, and an ellipsis. Token counts do not grow with
 * every code point, so the search over the whole length is a part of the definition: offsets that are too far out to fit
 * are steps of it, but are neither stored nor counted.
 */
function hardCut(text: string, maxTokens: number, counter: TokenCounter): string {
  const budget = maxTokens - 1;
  const offsets: number[] = [];
  let codePoints = 0;
  let offset = 0;
  for (const character of text) {
    codePoints += 1;
    offset += character.length;
    if (offset <= budget * TOKENIZER_TOKEN_MAX_BYTES) offsets.push(offset);
  }
  const fits = (index: number): boolean => {
    const end = offsets[index];
    return end !== undefined && fitsTokens(text.slice(0, end), budget, counter);
  };
  // The empty prefix is the search's floor, as offset 0 is in a search over 0…length.
  let last = lastThat(codePoints, fits);
  const cutAt = (index: number): string => text.slice(0, offsets[index] ?? 0).trimEnd() + ELLIPSIS;
  // The ellipsis can cost more than a token where it joins punctuation; the budget wins.
  while (last >= 0 && !fitsTokens(cutAt(last), maxTokens, counter)) last -= 1;
  return cutAt(last);
}

/**
 * A one-line text cut to at most so many tokens (seed 000 §2.4): as it is if it fits; else the longest prefix that ends a
 * sentence; else the longest prefix within one token less, and an ellipsis. Depends on nothing but the text and the
 * tokenizer, never splits a surrogate pair, and looks at no more of a long text than could fit. A text with line breaks
 * is cut within the budget too, though perhaps not at the last sentence that fits.
 */
export function truncateToTokens(text: string, maxTokens: number, counter: TokenCounter): string {
  if (maxTokens <= 0) return "";
  if (fitsTokens(text, maxTokens, counter)) return text;
  return longestSentences(text, maxTokens, counter) ?? hardCut(text, maxTokens, counter);
}
