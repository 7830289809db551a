import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import { describe, expect, it } from "vitest";
import { CL100K_FILE } from "../../../scripts/committed-ranks.ts";
import { packRanks, publishedTokens } from "../../../scripts/ranks/pack-ranks.ts";
import { TOKENIZER_VOCABULARY_MAX_BYTES } from "../../../src/limits.ts";
import { CL100K_PIECES, CL100K_SHA256 } from "../../../src/tokens/cl100k.ts";
import { RankTable } from "../../../src/tokens/rank-table.ts";

const bytes = new Uint8Array(readFileSync(CL100K_FILE));
const tokens = publishedTokens(cl100k.bpe_ranks);

describe("the committed ranks of cl100k", () => {
  it("are the published ones, each token at its rank, and nothing else: run `npm run ranks` after an update", () => {
    const ranks = RankTable.open(bytes);
    if (!ranks.ok) throw new Error(ranks.reason.reason);
    expect(tokens).toHaveLength(100_256);
    const wrong = tokens.filter(
      (token) => ranks.value.rank(token.bytes, 0, token.bytes.length) !== token.rank,
    );
    expect(wrong).toEqual([]);
    expect(Buffer.compare(bytes, packRanks(tokens.toReversed()))).toBe(0);
  });

  it("are the very file that the Worker counts by, and fit what it reads", () => {
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(CL100K_SHA256);
    expect(bytes.length).toBeLessThanOrEqual(TOKENIZER_VOCABULARY_MAX_BYTES);
  });

  it("go with the published cuts between pieces", () => {
    expect(CL100K_PIECES.source).toBe(new RegExp(cl100k.pat_str, "u").source);
    expect(CL100K_PIECES.flags).toBe("gu");
  });

  it("leave out the special tokens, which are plain text in what servers say", () => {
    const ranks = new Set(tokens.map(({ rank }) => rank));
    expect(Object.values(cl100k.special_tokens).filter((rank) => ranks.has(rank))).toEqual([]);
  });
});
