import * as fc from "fast-check";
import type { GoldEntry } from "../../../scripts/eval/input/queries.ts";

/** Few ids, so that rankings and gold meet. */
const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "__proto__");

/** Distinct ids, as every method gives them. */
export const anyRanking = fc.uniqueArray(id);

const anyEntry: fc.Arbitrary<GoldEntry> = fc.record({
  tool: fc.string(),
  anyOf: fc.uniqueArray(id, { maxLength: 3 }),
  relevance: fc.oneof(fc.constantFrom(0, 1, 2), fc.double({ min: 0, max: 10, noNaN: true })),
});

export const anyGold = fc.array(anyEntry, { maxLength: 6 });

export const anyDepth = fc.integer({ min: 1, max: 12 });
