import type { RankTable } from "./rank-table.ts";

const encoder = new TextEncoder();
const NO_TOKEN = 0x7f_ff_ff_ff;

/**
 * How many tokens the bytes of a piece are. Byte pair encoding: of all neighbours that are a token together, those of the
 * lowest rank are joined first, the leftmost of equals, until none are.
 */
function pairedTokens(table: RankTable, piece: Uint8Array): number {
  // Parts begin at `starts`; `ranks` says what each is together with the next.
  const starts = Array.from({ length: piece.length + 1 }, (_, at) => at);
  const rankAt = (part: number): number => {
    const to = starts[part + 2];
    if (to === undefined) return NO_TOKEN;
    const rank = table.rank(piece, starts[part] ?? 0, to);
    return rank < 0 ? NO_TOKEN : rank;
  };
  const ranks = Array.from({ length: piece.length }, (_, part) => rankAt(part));
  for (;;) {
    let [lowest, best] = [NO_TOKEN, -1];
    for (const [part, rank] of ranks.entries()) if (rank < lowest) [lowest, best] = [rank, part];
    if (best < 0) return ranks.length;
    starts.splice(best + 1, 1);
    ranks.splice(best + 1, 1);
    ranks[best] = rankAt(best);
    if (best > 0) ranks[best - 1] = rankAt(best - 1);
  }
}

/**
 * Counts the tokens of a text by a vocabulary: how it cuts text into pieces, and which bytes are tokens; special tokens are
 * plain text. Work is quadratic in the longest run without a cut, and linear in all else.
 */
export function bytePairCounter(pieces: RegExp, table: RankTable): (text: string) => number {
  return (text) => {
    let tokens = 0;
    for (const [piece] of text.matchAll(pieces)) {
      const bytes = encoder.encode(piece);
      tokens += table.rank(bytes, 0, bytes.length) >= 0 ? 1 : pairedTokens(table, bytes);
    }
    return tokens;
  };
}
