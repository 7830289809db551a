import type { TokenCounter } from "../../../../src/tokens/token-counter.ts";

/** A text's first UTF-16 units, one fewer where that would be half of a pair. */
export function firstChars(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? chars - 1 : chars);
}

/** The longest beginning of a text that a search by halves finds to have at most so many tokens. */
export function firstTokens(text: string, maxTokens: number, counter: TokenCounter): string {
  const fits = (chars: number): boolean => counter.count(firstChars(text, chars), maxTokens) <= maxTokens;
  let fitting = 0;
  let beyond = Math.max(1, maxTokens);
  while (beyond < text.length && fits(beyond)) {
    fitting = beyond;
    beyond *= 2;
  }
  if (beyond >= text.length) {
    if (fits(text.length)) return text;
    beyond = text.length;
  }
  while (beyond - fitting > 1) {
    const middle = (fitting + beyond) >> 1;
    if (fits(middle)) fitting = middle;
    else beyond = middle;
  }
  return firstChars(text, fitting);
}
