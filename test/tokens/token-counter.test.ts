import * as fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import cl100kRanks from "js-tiktoken/ranks/cl100k_base";
import { describe, expect, it } from "vitest";
import { TOKENIZER_RUN_MAX_CODE_UNITS, TOKENIZER_TOKEN_MAX_BYTES } from "../../src/limits.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { createTokenCounter, fitsTokens } from "../../src/tokens/token-counter.ts";

const counter = committedCounter();
const plain = new Tiktoken(cl100kRanks);
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);

describe("counting cl100k tokens", () => {
  it("counts as cl100k does", () => {
    expect(counter.count("")).toBe(0);
    expect(counter.count("hello world")).toBe(2);
    expect(counter.count("github:create_issue#aea9ce2a — Create an issue. side effects")).toBe(16);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        expect(counter.count(text)).toBe(plain.encode(text, [], []).length);
      }),
    );
  });

  it("takes a special token for plain text", () => {
    expect(counter.count("<|endoftext|>")).toBeGreaterThan(1);
    expect(counter.count("<|fim_prefix|> and <|endofprompt|>")).toBeGreaterThan(1);
  });

  it("counts any sequence of units without a throw, and nothing but the empty text as 0", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const tokens = counter.count(text);
        expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(tokens > 0).toBe(text !== "");
      }),
    );
    expect(counter.count("\u{D800}")).toBe(counter.count("\u{FFFD}"));
  });

  it("builds the tokenizer at the first count, and once", () => {
    const lazy = createTokenCounter(() => (slice) => slice.length);
    expect(lazy.usage.builds).toBe(0);
    expect(lazy.count("")).toBe(0);
    expect(lazy.usage.builds).toBe(0);
    expect(lazy.count("abc") + lazy.count("defg")).toBe(7);
    expect(lazy.usage).toEqual({ builds: 1, counts: 3, slices: 2, codeUnits: 7 });
  });

  it("hands the tokenizer no run over the limit, and each slice of a repeated run once", () => {
    for (const character of [" ", "\n", "a", "漢", "😀", "-"]) {
      const slices: string[] = [];
      const spy = createTokenCounter(() => (slice) => {
        slices.push(slice);
        return 1;
      });
      spy.count(character.repeat(100_000));
      expect(slices.length).toBeGreaterThan(0);
      expect(slices.length).toBeLessThanOrEqual(2);
      expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThanOrEqual(
        TOKENIZER_RUN_MAX_CODE_UNITS,
      );
    }
  });

  it("tokenizes no unit of a long text twice", () => {
    const spy = createTokenCounter(() => (slice) => slice.length);
    const text = Array.from({ length: 50_000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
    ).join("");
    expect(spy.count(text)).toBe(50_000);
    expect(spy.usage.codeUnits).toBeLessThanOrEqual(50_000);
  });

  it("counts 100,000 spaces, line ends or letters to a number near the true one", () => {
    // 256 letters of one kind are 32 tokens of 8; 256 spaces are 2 tokens of 128, and so on.
    expect(counter.count("a".repeat(20_000))).toBe(2_500);
    expect(counter.count(" ".repeat(100_000))).toBeLessThan(2_000);
    expect(counter.count("\n".repeat(100_000))).toBeGreaterThan(1_000);
  });

  it("may stop past `enough`, and then answers more than it", () => {
    const spy = createTokenCounter(() => (slice) => slice.length);
    const words = Array.from({ length: 100 }, (_, index) =>
      String.fromCodePoint(0x61 + (index % 26)).repeat(300),
    ).join(" ");
    expect(spy.count(words, 500)).toBeGreaterThan(500);
    expect(spy.usage.codeUnits).toBeLessThan(1_200);
    expect(spy.count("abc", 500)).toBe(3);
  });
});

describe("fitting a token limit", () => {
  it("refuses a text by its length only where no tokenization could fit", () => {
    const longest = Math.max(
      ...cl100kRanks.bpe_ranks.split("\n").flatMap((row) =>
        row
          .split(" ")
          .slice(2)
          .map((token) => Buffer.from(token, "base64").length),
      ),
    );
    expect(longest).toBe(TOKENIZER_TOKEN_MAX_BYTES);
  });

  it("counts nothing of a text that is too long for its limit", () => {
    const spy = createTokenCounter(() => (slice) => slice.length);
    expect(fitsTokens("a".repeat(1_000_000), 60, spy)).toBe(false);
    expect(fitsTokens("x", 0, spy)).toBe(false);
    expect(spy.usage.codeUnits).toBe(0);
  });

  it("agrees with the count", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 80 }),
        fc.integer({ min: 0, max: 40 }),
        (text, limit) => {
          expect(fitsTokens(text, limit, counter)).toBe(counter.count(text) <= limit);
        },
      ),
    );
  });
});
