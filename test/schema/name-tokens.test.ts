import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { letterTokens, nameTokens } from "../../src/schema/name-tokens.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { hostileName } from "../support/hostile-names.ts";

const counter = committedCounter();
const LETTERS = Array.from("abcdefghijklmnopqrstuvwxyz");

describe("letterTokens", () => {
  it("knows of each pair of letters whether it is one token", () => {
    for (const first of LETTERS) {
      for (const second of LETTERS) {
        const pair = first + second;
        expect([pair, letterTokens(pair)]).toEqual([pair, counter.count(pair)]);
      }
    }
  });

  it("counts two tokens for three letters where all pairs are tokens, and one a letter where none is", () => {
    expect(letterTokens("banana".repeat(10))).toBe(40);
    expect(letterTokens("qz".repeat(32))).toBe(64);
    expect(letterTokens("")).toBe(0);
    expect(letterTokens("a")).toBe(1);
  });
});

describe("nameTokens", () => {
  it("is never below the real count of a name, a path, or a list of names", () => {
    fc.assert(
      fc.property(fc.array(hostileName, { minLength: 1, maxLength: 20 }), (names) => {
        const texts = [...names, `/${names.join("/")}`, names.join(" /"), `["${names.join('","')}"]`];
        for (const text of texts) expect(counter.count(text)).toBeLessThanOrEqual(nameTokens(text));
      }),
      { numRuns: 500 },
    );
  });
});
