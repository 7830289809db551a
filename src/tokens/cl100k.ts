import { bytePairCounter } from "./byte-pairs.ts";
import type { RankTable } from "./rank-table.ts";
import { createTokenCounter, type TokenCounter, type TokenUsage } from "./token-counter.ts";

/** How cl100k cuts text into pieces, as it is published. */
export const CL100K_PIECES =
  /('s|'S|'t|'T|'re|'rE|'Re|'RE|'ve|'vE|'Ve|'VE|'m|'M|'ll|'lL|'Ll|'LL|'d|'D)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/**
 * SHA-256 of `assets/cl100k.bin`, its packed ranks; `npm run ranks` tells it. What was counted is kept as long as a
 * definition stays the same, so by another file nothing may be counted even once.
 */
export const CL100K_SHA256 = "a1abb72c41d1b23c108c19fe8f6e4884ec76408db2e723a6aaed07129da3789e";

/** A counter of cl100k tokens, by the ranks of that file. */
export function cl100kCounter(ranks: RankTable): TokenCounter & { readonly usage: TokenUsage } {
  return createTokenCounter(() => bytePairCounter(CL100K_PIECES, ranks));
}
