import type { TokenCounter } from "../../../../src/tokens/token-counter.ts";
import type { ResultCase } from "../../../../test/fixtures/results/kit/result-case.ts";
import { caseFigures, type Reading, type ReadingFigures } from "./case-figures.ts";

export interface KindFigures extends ReadingFigures {
  readonly kind: string;
}

/** Results under the threshold pass as they came, whatever they are: one row for all of them. */
export const SMALL_KIND = "any, small";

const NOTHING: Reading = { tokens: 0, answered: 0 };
const NONE: ReadingFigures = {
  results: 0,
  bytes: 0,
  sampled: 0,
  questions: 0,
  passed: NOTHING,
  first_2000: NOTHING,
  first_20000: NOTHING,
  first_as_many: NOTHING,
  firewall: NOTHING,
  views: { ...NOTHING, looks: 0 },
};

/** The figures of a corpus, summed by kind in the order in which kinds first come; small results last. */
export async function measureKinds(
  cases: readonly ResultCase[],
  counter: TokenCounter,
): Promise<KindFigures[]> {
  const sums = new Map<string, ReadingFigures>();
  for (const each of cases.toSorted((left, right) => rank(left) - rank(right))) {
    const kind = kindOf(each);
    sums.set(kind, sumOf(sums.get(kind) ?? NONE, await caseFigures(each, counter)));
  }
  return Array.from(sums, ([kind, figures]) => ({ kind, ...figures }));
}

export function kindOf({ kind, small }: ResultCase): string {
  return small === true ? SMALL_KIND : kind;
}

/** All kinds together. */
export function sumOfAll(rows: readonly ReadingFigures[]): ReadingFigures {
  return rows.reduce(sumOf, NONE);
}

function rank({ small }: ResultCase): number {
  return small === true ? 1 : 0;
}

function sumOf(left: ReadingFigures, right: ReadingFigures): ReadingFigures {
  const both = (one: Reading, other: Reading): Reading => ({
    tokens: one.tokens + other.tokens,
    answered: one.answered + other.answered,
  });
  return {
    results: left.results + right.results,
    bytes: left.bytes + right.bytes,
    sampled: left.sampled + right.sampled,
    questions: left.questions + right.questions,
    passed: both(left.passed, right.passed),
    first_2000: both(left.first_2000, right.first_2000),
    first_20000: both(left.first_20000, right.first_20000),
    first_as_many: both(left.first_as_many, right.first_as_many),
    firewall: both(left.firewall, right.firewall),
    views: { ...both(left.views, right.views), looks: left.views.looks + right.views.looks },
  };
}
