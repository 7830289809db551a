import type { TokenCounter } from "../../../../src/tokens/token-counter.ts";

/** Texts past this are counted in samples: letters without a space cost the tokenizer seconds by the megabyte. */
export const COUNTED_WHOLE_MAX_CHARS = 262_144;
const SAMPLE_COUNT = 32;
const SAMPLE_CHARS = COUNTED_WHOLE_MAX_CHARS / SAMPLE_COUNT;

/** cl100k tokens; of a long text, those of samples spread evenly over it, by their share of it. */
export function countTokens(text: string, counter: TokenCounter): number {
  if (text.length <= COUNTED_WHOLE_MAX_CHARS) return counter.count(text);
  const step = (text.length - SAMPLE_CHARS) / (SAMPLE_COUNT - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLE_COUNT; sample += 1) {
    const from = Math.round(sample * step);
    tokens += counter.count(text.slice(from, from + SAMPLE_CHARS));
  }
  return Math.round((tokens * text.length) / COUNTED_WHOLE_MAX_CHARS);
}
