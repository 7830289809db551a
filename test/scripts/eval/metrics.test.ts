import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hitAt,
  mean,
  ndcgAt,
  ranksOf,
  recallAt,
  reciprocalRank,
} from "../../../scripts/eval/figures/metrics.ts";
import type { GoldEntry } from "../../../scripts/eval/input/queries.ts";
import { anyDepth, anyGold, anyRanking } from "./arbitraries.ts";

const entry = (relevance: number, ...anyOf: string[]): GoldEntry => ({
  tool: anyOf.join(),
  anyOf,
  relevance,
});

/** Every figure of one answer, by name. */
function figures(ranking: readonly string[], gold: readonly GoldEntry[], k: number): Record<string, number> {
  const ranks = ranksOf(ranking, gold);
  return {
    recall: recallAt(ranks, k),
    hit: hitAt(ranks, k),
    mrr: reciprocalRank(ranks),
    ndcg: ndcgAt(ranks, gold, k),
  };
}

describe("the figures of one answer", () => {
  it("are what the definitions say", () => {
    const gold = [entry(2, "a"), entry(1, "b", "c"), entry(1, "z")];
    const ranking = ["x", "c", "a", "b"];
    expect(ranksOf(ranking, gold)).toEqual([3, 2, Infinity]);
    expect(figures(ranking, gold, 2)).toEqual({
      recall: 1 / 3,
      hit: 1,
      mrr: 1 / 2,
      ndcg: 1 / Math.log2(3) / (2 + 1 / Math.log2(3)),
    });
    expect(figures(ranking, gold, 5)["ndcg"]).toBeCloseTo(
      (1 / Math.log2(3) + 2 / Math.log2(4)) / (2 + 1 / Math.log2(3) + 1 / Math.log2(4)),
      12,
    );
  });

  it("are 1 for the right tools alone, in order of their relevance", () => {
    const gold = [entry(1, "b"), entry(3, "a")];
    expect(figures(["a", "b"], gold, 5)).toEqual({ recall: 1, hit: 1, mrr: 1, ndcg: 1 });
  });

  it("count an entry of no relevance as one to be found that gains nothing", () => {
    const gold = [entry(2, "a"), entry(0, "b")];
    expect(figures(["a"], gold, 5)).toEqual({ recall: 1 / 2, hit: 1, mrr: 1, ndcg: 1 });
  });

  it("are 0 for an empty answer, and for a query without gold", () => {
    const nothing = { recall: 0, hit: 0, mrr: 0, ndcg: 0 };
    expect(figures([], [entry(1, "a")], 5)).toEqual(nothing);
    expect(figures(["a"], [], 5)).toEqual(nothing);
  });

  it("stay between 0 and 1", () => {
    fc.assert(
      fc.property(anyRanking, anyGold, anyDepth, (ranking, gold, k) => {
        for (const value of Object.values(figures(ranking, gold, k))) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("recall and hit never fall as k grows", () => {
    fc.assert(
      fc.property(anyRanking, anyGold, anyDepth, (ranking, gold, k) => {
        const ranks = ranksOf(ranking, gold);
        expect(recallAt(ranks, k + 1)).toBeGreaterThanOrEqual(recallAt(ranks, k));
        expect(hitAt(ranks, k + 1)).toBeGreaterThanOrEqual(hitAt(ranks, k));
      }),
    );
  });

  it("do not hang on the order of the gold, nor of an entry's ids", () => {
    fc.assert(
      fc.property(anyRanking, anyGold, anyDepth, (ranking, gold, k) => {
        const turned = gold
          .map(({ anyOf, ...rest }) => ({ ...rest, anyOf: anyOf.toReversed() }))
          .toReversed();
        expect(figures(ranking, turned, k)).toEqual(figures(ranking, gold, k));
      }),
    );
  });

  it("never rise when the ranking repeats an id", () => {
    fc.assert(
      fc.property(anyRanking, anyGold, anyDepth, fc.nat(), fc.nat(), (ranking, gold, k, from, to) => {
        fc.pre(ranking.length > 0);
        const source = from % ranking.length;
        const place = source + 1 + (to % (ranking.length - source));
        const repeated = [...ranking.slice(0, place), ranking[source] ?? "", ...ranking.slice(place)];
        const before = figures(ranking, gold, k);
        for (const [name, value] of Object.entries(figures(repeated, gold, k))) {
          expect(value).toBeLessThanOrEqual(before[name] ?? 0);
        }
      }),
    );
  });

  it("never fall when a right tool moves one place up past a wrong one", () => {
    fc.assert(
      fc.property(anyRanking, anyGold, anyDepth, (ranking, gold, k) => {
        const right = new Set<string>(gold.flatMap(({ anyOf }) => anyOf));
        const at = ranking.findIndex(
          (id, index) => index > 0 && right.has(id) && !right.has(ranking[index - 1] ?? ""),
        );
        fc.pre(at > 0);
        const better: string[] = [...ranking];
        better.splice(at - 1, 2, ranking[at] ?? "", ranking[at - 1] ?? "");
        const before = figures(ranking, gold, k);
        for (const [name, value] of Object.entries(figures(better, gold, k))) {
          expect(value).toBeGreaterThanOrEqual(before[name] ?? 0);
        }
      }),
    );
  });
});

describe("a mean", () => {
  it("of nothing is no number", () => {
    expect(mean([])).toBeNull();
    expect(mean([0, 1, 1, 0])).toBe(0.5);
  });
});
