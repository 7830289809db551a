import {
  TOKENIZER_TOKEN_MAX_BYTES,
  TOKENIZER_MEMO_MAX_COUNT,
  TOKENIZER_RUN_MAX_CODE_UNITS,
} from "../limits.ts";
import { splitRuns } from "./split-runs.ts";

/** Counts cl100k tokens: exact for GPT-4's vocabulary, an estimate for every other model. */
export interface TokenCounter {
  /**
   * The number of tokens of a text; 0 only for the empty one. With `enough` it may stop as soon as it is past that
   * number, and then answers some number above `enough`. Never throws: a lone surrogate counts as U+FFFD.
   */
  count(text: string, enough?: number): number;
}

/** What a counter has done so far, for tests that hold the work and not the seconds. */
export interface TokenUsage {
  /** How often the tokenizer was built: 0 until the first count, 1 from then on. */
  readonly builds: number;
  readonly counts: number;
  /** How many slices were tokenized; those that were remembered are not in it. */
  readonly slices: number;
  /** How many UTF-16 units those slices had. */
  readonly codeUnits: number;
}

/** How many tokens one slice has. */
export type Tokenize = (slice: string) => number;

/**
 * Keeps the last answers for short slices. The prefixes that truncation probes share all slices but their last, and the
 * runs that cost the most repeat themselves, so most of a hostile text's work is done once.
 */
function remembering(tokenize: Tokenize): Tokenize {
  const known = new Map<string, number>();
  return (slice) => {
    const before = known.get(slice);
    if (before !== undefined) return before;
    const tokens = tokenize(slice);
    if (slice.length <= TOKENIZER_RUN_MAX_CODE_UNITS) {
      if (known.size >= TOKENIZER_MEMO_MAX_COUNT) known.clear();
      known.set(slice, tokens);
    }
    return tokens;
  };
}

/**
 * A counter that builds its tokenizer when it first counts. Hand one counter around and let it go with the refresh that
 * made it: what it counts by is large. Runs longer than `TOKENIZER_RUN_MAX_CODE_UNITS` are counted in slices, which keeps the cost
 * linear in the text and changes the count of such runs by a few tokens at most.
 */
export function createTokenCounter(build: () => Tokenize): TokenCounter & { readonly usage: TokenUsage } {
  const usage = { builds: 0, counts: 0, slices: 0, codeUnits: 0 };
  const start = (): Tokenize => {
    usage.builds += 1;
    const tokenize = build();
    return remembering((slice) => {
      usage.slices += 1;
      usage.codeUnits += slice.length;
      return tokenize(slice);
    });
  };
  let tokenize: Tokenize | undefined;
  return {
    usage,
    count(text, enough = Number.POSITIVE_INFINITY) {
      usage.counts += 1;
      let tokens = 0;
      for (const slice of splitRuns(text)) {
        tokenize ??= start();
        tokens += tokenize(slice);
        if (tokens > enough) break;
      }
      return tokens;
    },
  };
}

/**
 * Whether a text has at most so many tokens. A text too long for that by any tokenization is refused by its length, since
 * a token covers at most `TOKENIZER_TOKEN_MAX_BYTES` bytes and a UTF-16 unit takes at least one; so the work is bounded by the limit.
 */
export function fitsTokens(text: string, maxTokens: number, counter: TokenCounter): boolean {
  return text.length <= maxTokens * TOKENIZER_TOKEN_MAX_BYTES && counter.count(text, maxTokens) <= maxTokens;
}
