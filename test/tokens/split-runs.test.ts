import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOKENIZER_RUN_MAX_CODE_UNITS } from "../../src/limits.ts";
import { splitRuns } from "../../src/tokens/split-runs.ts";

const LIMIT = TOKENIZER_RUN_MAX_CODE_UNITS;
const LONE_SURROGATE = /\p{Surrogate}/u;

const longestRun = (slice: string): number =>
  Math.max(0, ...Array.from(slice.matchAll(/\s+|\S+/g), ([run]) => run.length));

/** Texts with runs on both sides of the limit, out of letters, wide characters, spaces of every kind and broken pairs. */
const runs = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        "a",
        "漢",
        "😀",
        "-",
        " ",
        "\n",
        "\u{2028}",
        "\u{A0}",
        "\u{FEFF}",
        "\u{D800}",
        "\u{DC00}",
      ),
      fc.integer({ min: 1, max: LIMIT + 20 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.map(([character, times]) => character.repeat(times)).join(""));

describe("splitting long runs", () => {
  it("leaves a text without long runs whole, however long it is", () => {
    const text = "some words and more ".repeat(500);
    expect([...splitRuns(text)]).toEqual([text]);
    expect([...splitRuns("a".repeat(LIMIT))]).toHaveLength(1);
    expect([...splitRuns("")]).toEqual([]);
  });

  it("cuts a run of letters, of spaces and of line ends at the limit", () => {
    for (const character of ["a", " ", "\n", "漢"]) {
      const slices = [...splitRuns(character.repeat(2 * LIMIT + 1))];
      expect(slices.map((slice) => slice.length)).toEqual([LIMIT, LIMIT, 1]);
    }
  });

  it("moves a cut that would fall inside a surrogate pair", () => {
    const slices = [...splitRuns(`x${"😀".repeat(LIMIT)}`)];
    expect(slices.length).toBeGreaterThan(1);
    expect(slices.every((slice) => !LONE_SURROGATE.test(slice))).toBe(true);
  });

  it("joins back to the text, and no slice holds a run over the limit", () => {
    fc.assert(
      fc.property(runs, (text) => {
        const slices = [...splitRuns(text)];
        expect(slices.join("")).toBe(text);
        for (const slice of slices) {
          expect(slice).not.toBe("");
          expect(longestRun(slice)).toBeLessThanOrEqual(LIMIT);
        }
      }),
    );
  });

  it("cuts a prefix where it cuts the text", () => {
    const cuts = (text: string): number[] => {
      let end = 0;
      return [...splitRuns(text)].map((slice) => (end += slice.length)).slice(0, -1);
    };
    fc.assert(
      fc.property(runs, fc.nat(), (text, at) => {
        const prefix = Array.from(text)
          .slice(0, at % (text.length + 1))
          .join("");
        expect(cuts(prefix)).toEqual(cuts(text).filter((cut) => cut < prefix.length));
      }),
    );
  });
});
