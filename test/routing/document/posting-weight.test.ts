import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameShareOf, occurrencesOf, packWeight } from "../../../src/routing/document/posting-weight.ts";

const UNIT = 1 / 500;
const MOST = 8_191 * UNIT;
const occurrences = fc.oneof(
  fc.double({ min: 0, max: MOST, noNaN: true }),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
  fc.constantFrom(0, Number.MIN_VALUE, UNIT / 2, UNIT, MOST, MOST + UNIT, 1e300, Infinity),
);
const nameWords = fc.nat(70);

describe("a posting's weight", () => {
  it("fits sixteen bits and is never nothing", () => {
    fc.assert(
      fc.property(occurrences, nameWords, (count, words) => {
        const weight = packWeight(count, words);
        expect(Number.isInteger(weight)).toBe(true);
        expect(weight).toBeGreaterThan(0);
        expect(weight).toBeLessThanOrEqual(0xff_ff);
        expect(occurrencesOf(weight)).toBeGreaterThan(0);
      }),
    );
    expect(packWeight(Infinity, 70)).toBe(0xff_ff);
  });

  it("comes back to half a unit, between one unit and the most", () => {
    fc.assert(
      fc.property(occurrences, nameWords, (count, words) => {
        const kept = occurrencesOf(packWeight(count, words));
        const meant = Math.min(MOST, Math.max(UNIT, count));
        expect(Math.abs(kept - meant)).toBeLessThanOrEqual(UNIT / 2 + 1e-9);
      }),
    );
  });

  it("more occurrences are never less", () => {
    fc.assert(
      fc.property(occurrences, occurrences, nameWords, nameWords, (one, other, words, others) => {
        const [low, high] = one <= other ? [one, other] : [other, one];
        expect(occurrencesOf(packWeight(low, words))).toBeLessThanOrEqual(
          occurrencesOf(packWeight(high, others)),
        );
      }),
    );
  });

  it("says what share of the name the word is, whatever its occurrences", () => {
    fc.assert(
      fc.property(occurrences, nameWords, (count, words) => {
        const share = nameShareOf(packWeight(count, words));
        expect(share).toBe(words === 0 ? 0 : 1 / Math.min(7, words));
      }),
    );
  });
});
