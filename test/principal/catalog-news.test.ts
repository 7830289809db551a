import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newsOf, type ToldGeneration } from "../../src/principal/catalog-news.ts";

/** Looks at catalogs, one after another, and what each was told. */
function looks(
  steps: readonly {
    readonly catalog: string;
    readonly generation: number;
    readonly attempt: string | null;
  }[],
) {
  let known: ToldGeneration | null = null;
  return steps.map(({ catalog, generation, attempt }) => {
    const news = newsOf(known, { catalog, generation }, attempt);
    known = news.told ?? known;
    return news.changedFrom;
  });
}

const catalog = fc.constantFrom("c", "d");
const step = fc.record({ catalog, generation: fc.integer({ min: 1, max: 6 }), attempt: fc.constant(null) });

describe("a session's news of the catalog", () => {
  it("names, at each look that is answered from a newer generation, the newest one before it", () => {
    fc.assert(
      fc.property(fc.array(step.map((one) => ({ ...one, catalog: "c" }))), (steps) => {
        let newest: number | null = null;
        const expected = steps.map(({ generation }) => {
          const before: number | null = newest;
          newest = Math.max(newest ?? 0, generation);
          return before !== null && generation > before ? before : null;
        });
        expect(looks(steps)).toEqual(expected);
      }),
    );
  });

  it("is never of another configuration's catalog, and never of a later generation", () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        for (const [index, from] of looks(steps).entries()) {
          if (from === null) continue;
          const [before, now] = [steps[index - 1], steps[index]];
          expect(before?.catalog).toBe(now?.catalog);
          expect(from).toBeLessThan(now?.generation ?? 0);
        }
      }),
    );
  });

  it("is the same for a repeated look, as often as it comes before the next one", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.nat(3), (steps, times) => {
        const named = steps.map((one, index) => ({ ...one, attempt: `a${index}` }));
        const repeated = named.flatMap((one) => Array.from({ length: times + 1 }, () => one));
        // A look at an older generation is none that is remembered: it is told nothing, the first time and again.
        expect(looks(repeated)).toEqual(
          looks(named).flatMap((from) => Array.from({ length: times + 1 }, () => from)),
        );
      }),
    );
  });
});
