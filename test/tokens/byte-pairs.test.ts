import * as fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import cl100kRanks from "js-tiktoken/ranks/cl100k_base";
import { describe, expect, it } from "vitest";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { packRanks, publishedTokens } from "../../scripts/ranks/pack-ranks.ts";
import { bytePairCounter } from "../../src/tokens/byte-pairs.ts";
import { RankTable } from "../../src/tokens/rank-table.ts";

const SINGLE_BYTES = Array.from({ length: 256 }, (_, byte) => Buffer.of(byte));
const encoder = new TextEncoder();

function tableOf(rows: string): RankTable {
  const opened = RankTable.open(packRanks(publishedTokens(rows)));
  if (!opened.ok) throw new Error(opened.reason.reason);
  return opened.value;
}

/** Vocabularies over few letters, so that tokens overlap in every way, in one row or more with gaps between their ranks. */
const vocabularies = fc
  .tuple(
    fc.uniqueArray(fc.string({ unit: fc.constantFrom("a", "b", "é", " "), minLength: 2, maxLength: 6 }), {
      maxLength: 40,
    }),
    fc.integer({ min: 1, max: 300 }),
    fc.integer({ min: 0, max: 1000 }),
  )
  .map(([more, cut, gap]) => {
    const tokens = [...SINGLE_BYTES, ...more.map((text) => Buffer.from(text))];
    const rows = [
      { first: 0, tokens: tokens.slice(0, cut) },
      { first: cut + gap, tokens: tokens.slice(cut) },
    ].filter((row) => row.tokens.length > 0);
    const base64 = (row: readonly Buffer[]): string => row.map((token) => token.toString("base64")).join(" ");
    const bpe_ranks = rows.map((row) => `! ${row.first} ${base64(row.tokens)}`).join("\n");
    const ranks = rows.flatMap((row) => row.tokens.map((token, at) => ({ token, rank: row.first + at })));
    return { pat_str: " ?[^ ]+| +", special_tokens: {}, bpe_ranks, ranks };
  });

describe("a vocabulary's ranks", () => {
  it("are those that were written, for every token, and none for anything else", () => {
    fc.assert(
      fc.property(
        vocabularies,
        fc.string({ unit: "binary", maxLength: 8 }),
        ({ bpe_ranks, ranks }, other) => {
          const table = tableOf(bpe_ranks);
          const known = new Map(ranks.map(({ token, rank }) => [token.toString("hex"), rank]));
          for (const { token, rank } of ranks) {
            expect(table.rank(token, 0, token.length)).toBe(rank);
            const inside = Buffer.concat([Buffer.of(7), token, Buffer.of(9)]);
            expect(table.rank(inside, 1, token.length + 1)).toBe(rank);
          }
          const bytes = encoder.encode(other);
          expect(table.rank(bytes, 0, bytes.length)).toBe(
            known.get(Buffer.from(bytes).toString("hex")) ?? -1,
          );
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("byte pairs", () => {
  it("are joined as the published tokenizer joins them, by any vocabulary", () => {
    fc.assert(
      fc.property(
        vocabularies,
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é", " ", "漢"), maxLength: 40 }), {
          maxLength: 5,
        }),
        (vocabulary, texts) => {
          const count = bytePairCounter(new RegExp(vocabulary.pat_str, "gu"), tableOf(vocabulary.bpe_ranks));
          const published = new Tiktoken(vocabulary);
          for (const text of texts) expect(count(text)).toBe(published.encode(text, [], []).length);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("are joined so in cl100k, for runs of letters that no word has", () => {
    const counter = committedCounter();
    const published = new Tiktoken(cl100kRanks);
    const runs = fc.string({
      unit: fc.constantFrom("a", "e", "n", "r", "s", "t", "z", "_", "é", "漢", "😀"),
      minLength: 1,
      maxLength: 120,
    });
    fc.assert(
      fc.property(runs, (run) => {
        expect(counter.count(run)).toBe(published.encode(run, [], []).length);
      }),
      { numRuns: 50 },
    );
  });
});
