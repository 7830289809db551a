import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { truncateToTokens } from "../../../src/catalog/cards/truncate.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";
import { createTokenCounter, type TokenCounter } from "../../../src/tokens/token-counter.ts";

const counter = committedCounter();

/** The definition word for word: every sentence end from the longest down, then a search over all offsets, unbounded. */
function byDefinition(text: string, maxTokens: number): string {
  if (maxTokens <= 0) return "";
  if (counter.count(text) <= maxTokens) return text;
  const ends = Array.from(text.matchAll(/[.!?](?=\s|$)/g), (match) => match.index + 1);
  for (const end of ends.toReversed()) {
    const prefix = text.slice(0, end).trimEnd();
    if (counter.count(prefix) <= maxTokens) return prefix;
  }
  const characters = Array.from(text);
  let low = 0;
  let high = characters.length;
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2);
    if (counter.count(characters.slice(0, middle).join("")) <= maxTokens - 1) low = middle;
    else high = middle - 1;
  }
  return `${characters.slice(0, low).join("").trimEnd()}…`;
}

const fragments = fc.constantFrom(
  ...Array.from("ab.!?…—-=*#(){}\"'\\/ <>|:;,_é漢語。😀👍"),
  ..."Create,  an, issue,. ,! ,...,?!,123,\u200D,\u{D800},\u{DC00},<|endoftext|>".split(","),
);
const oneLine = fc.array(fragments, { maxLength: 80 }).map((parts) => parts.join(""));
const budgets = fc.integer({ min: -2, max: 30 });

describe("truncating to a token budget", () => {
  it.each([
    ["First sentence here. Second one is longer and longer. Third", 6, "First sentence here."],
    ["nosentence at all in this text really none", 4, "nosentence at…"],
    ["v1.2 release. done", 3, "v1…"],
    ["A. B! C? D", 4, "A. B!"],
    ["word ".repeat(200).trimEnd(), 20, `${"word ".repeat(19).trimEnd()}…`],
    ["short", 60, "short"],
  ])("gives the golden value of %j at %i", (text, maxTokens, expected) => {
    expect(truncateToTokens(text, maxTokens, counter)).toBe(expected);
  });

  it("is the definition, though it tries fewer prefixes", () => {
    fc.assert(
      fc.property(oneLine, budgets, (text, maxTokens) => {
        expect(truncateToTokens(text, maxTokens, counter)).toBe(byDefinition(text, maxTokens));
      }),
      { numRuns: 500 },
    );
  });

  it("is the definition on texts far over the bound on what can fit", () => {
    for (const unit of ["A short one. ", "no end here ", "漢字", "--------", "a", "x! ", "😀"]) {
      const text = unit.repeat(Math.ceil(1_200 / unit.length)).trimEnd();
      expect(truncateToTokens(text, 8, counter)).toBe(byDefinition(text, 8));
    }
  });

  it("stays within the budget, and cutting again changes nothing", () => {
    const anything = fc.oneof(
      oneLine,
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(".\n", "a", "!\r\n\n", " ")).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(anything, budgets, (text, maxTokens) => {
        const cut = truncateToTokens(text, maxTokens, counter);
        expect(counter.count(cut)).toBeLessThanOrEqual(Math.max(maxTokens, 0));
        expect(truncateToTokens(cut, maxTokens, counter)).toBe(cut);
      }),
      { numRuns: 500 },
    );
  });

  it("never splits a surrogate pair", () => {
    for (let maxTokens = 1; maxTokens < 30; maxTokens += 1) {
      const cut = truncateToTokens("😀👍🏽".repeat(40), maxTokens, counter);
      expect(cut).not.toMatch(/\p{Surrogate}/u);
      expect(cut).toMatch(/…$/);
    }
  });

  it("gives up more of the text where the ellipsis would break the budget", () => {
    // A tokenizer to which an ellipsis behind a dash is three tokens.
    const odd: TokenCounter = { count: (text) => text.length + (text.endsWith("-…") ? 2 : 0) };
    expect(truncateToTokens("ab---cdef", 6, odd)).toBe("ab-…");
    expect(truncateToTokens("-----", 2, odd)).toBe("…");
  });

  it("counts a fixed amount of a megabyte", () => {
    for (const unit of ["a", "漢", "A. ", "words and words ", "-", "😀", " ", "."]) {
      const spy = createTokenCounter(() => (slice) => Math.ceil(slice.length / 4));
      truncateToTokens(unit.repeat(1_000_000 / unit.length), 60, spy);
      expect(spy.usage.counts).toBeLessThanOrEqual(40);
      expect(spy.usage.codeUnits).toBeLessThanOrEqual(4 * 60 * 128);
    }
  });
});
