import { bytesOf } from "../../src/packed/numbers.ts";
import { packSections } from "../../src/packed/sections.ts";
import { bucketHash, RANK_HEAD_BYTES, RANKS_FORM } from "../../src/tokens/rank-table.ts";

/** Few enough that a search ends after a step or two, and no more room than the tokens' own. */
const TOKENS_PER_BUCKET = 4;
const LENGTH_MAX_BYTES = 255;
const RANK_MAX = 0xff_ff_ff;

interface Token {
  readonly rank: number;
  readonly bytes: Uint8Array;
}

/** The tokens of a published vocabulary: rows of `! <rank of the first> <token in base64> …`, parted by line ends. */
export function publishedTokens(rows: string): Token[] {
  return rows.split("\n").flatMap((row) => {
    const [, first = "", ...tokens] = row.split(" ");
    return tokens.map((token, at) => ({
      rank: Number.parseInt(first, 10) + at,
      bytes: new Uint8Array(Buffer.from(token, "base64")),
    }));
  });
}

/** The bytes that `RankTable` opens. The same tokens give the same bytes, in whatever order they come. */
export function packRanks(tokens: readonly Token[]): Uint8Array {
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, tokens.length / TOKENS_PER_BUCKET)));
  const buckets = Array.from({ length: count }, (): Token[] => []);
  for (const token of [...tokens].sort((left, right) => left.rank - right.rank)) {
    const { rank, bytes } = token;
    if (bytes.length === 0 || bytes.length > LENGTH_MAX_BYTES || !(rank >= 0 && rank <= RANK_MAX)) {
      throw new RangeError(`the token of rank ${rank} does not fit the format`);
    }
    buckets[bucketHash(bytes, 0, bytes.length) & (count - 1)]?.push(token);
  }
  const starts = new Uint32Array(count + 1);
  const size = tokens.reduce((sum, { bytes }) => sum + RANK_HEAD_BYTES + bytes.length, 0);
  const entries = new Uint8Array(size);
  let end = 0;
  for (const [bucket, own] of buckets.entries()) {
    for (const { rank, bytes } of own) {
      entries.set([bytes.length, rank & 0xff, (rank >> 8) & 0xff, rank >> 16], end);
      entries.set(bytes, end + RANK_HEAD_BYTES);
      end += RANK_HEAD_BYTES + bytes.length;
    }
    starts[bucket + 1] = end;
  }
  return packSections(RANKS_FORM, [bytesOf(starts), entries]);
}
