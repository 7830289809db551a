import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packRanks } from "../../scripts/ranks/pack-ranks.ts";
import { bytesOf } from "../../src/packed/numbers.ts";
import { packSections } from "../../src/packed/sections.ts";
import { RankTable, RANKS_FORM } from "../../src/tokens/rank-table.ts";

const encoder = new TextEncoder();
const tokens = Array.from({ length: 300 }, (_, rank) => ({ rank, bytes: encoder.encode(`t${rank * 7}`) }));
const packed = packRanks(tokens);
const texts = ["t7", "t", "", "t2093", "x".repeat(300)].map((text) => encoder.encode(text));

describe("ranks that are not what was packed", () => {
  it("are refused, or give some rank or none for any text: never a throw, never a number that is none", () => {
    const damages = fc.array(fc.tuple(fc.nat({ max: packed.length - 1 }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(damages, fc.integer({ min: -9, max: 0 }), (bytes, cut) => {
        const damaged = packed.slice();
        for (const [at, byte] of bytes) damaged[at] = byte;
        const opened = RankTable.open(damaged.slice(0, packed.length + cut));
        if (!opened.ok) return;
        for (const text of texts) {
          const rank = opened.value.rank(text, 0, text.length);
          expect(Number.isInteger(rank) && rank >= -1 && rank <= 0xff_ff_ff).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are refused where their buckets are no power of two, or do not end where the tokens do", () => {
    const entries = Uint8Array.of(1, 0, 0, 0, 0x61);
    const open = (starts: readonly number[]) =>
      RankTable.open(packSections(RANKS_FORM, [bytesOf(Uint32Array.from(starts)), entries])).ok;
    expect(open([0, 5])).toBe(true);
    expect(open([0, 5, 5])).toBe(true);
    expect([[], [0], [0, 0, 0, 5], [0, 4], [0, 6], [1, 5], [0, 5, 4]].map(open)).not.toContain(true);
    expect(RankTable.open(new Uint8Array()).ok).toBe(false);
  });
});

describe("a token that does not fit the format", () => {
  it.each([
    [{ rank: 1, bytes: new Uint8Array() }],
    [{ rank: 1, bytes: new Uint8Array(256) }],
    [{ rank: 0x1_00_00_00, bytes: Uint8Array.of(1) }],
    [{ rank: Number.NaN, bytes: Uint8Array.of(1) }],
  ])("is not packed: %o", (token) => {
    expect(() => packRanks([token])).toThrow(RangeError);
  });
});
