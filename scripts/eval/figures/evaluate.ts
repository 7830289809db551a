import type { Query } from "../input/queries.ts";
import type { Answer, JudgedAnswer } from "../methods/method.ts";
import { hitAt, mean, ndcgAt, ranksOf, recallAt, reciprocalRank } from "./metrics.ts";

/** Means over the queries that have a right tool, 0 to 1; null where no query has one. */
export interface Figures {
  readonly "recall@1": number | null;
  readonly "recall@3": number | null;
  readonly "recall@5": number | null;
  readonly "recall@10": number | null;
  readonly "hit@5": number | null;
  /** To the full depth of the ranking. */
  readonly mrr: number | null;
  readonly "ndcg@5": number | null;
}

export interface JudgedFigures extends Figures {
  /** How many of the queries have a right tool. */
  readonly answerable: number;
  /** Share of the queries with a right tool whose answer is empty or weak. */
  readonly flagged: number | null;
  /** How many of the queries without a right tool have an answer that is empty or weak. */
  readonly declined: number;
  readonly unanswerable: number;
  /** Share of all queries. */
  readonly ambiguous: number | null;
}

/** The figures of one method; `search` is asked once for each query. */
export function evaluate(queries: readonly Query[], search: (query: string) => Answer): Figures {
  return figuresOf(queries.map((query) => ({ query, answer: search(query.query) })));
}

/** The figures of a method that also says how good its answers are. */
export function evaluateJudged(
  queries: readonly Query[],
  search: (query: string) => JudgedAnswer,
): JudgedFigures {
  const answered = queries.map((query) => ({ query, answer: search(query.query) }));
  const withGold = answered.filter(({ query }) => query.gold.length > 0);
  const without = answered.filter(({ query }) => query.gold.length === 0);
  return {
    ...figuresOf(answered),
    answerable: withGold.length,
    flagged: mean(withGold.map(({ answer }) => Number(answer.flagged))),
    declined: without.filter(({ answer }) => answer.flagged).length,
    unanswerable: without.length,
    ambiguous: mean(answered.map(({ answer }) => Number(answer.ambiguous))),
  };
}

interface Answered {
  readonly query: Query;
  readonly answer: Answer;
}

function figuresOf(answered: readonly Answered[]): Figures {
  const judged = answered
    .filter(({ query }) => query.gold.length > 0)
    .map(({ query: { gold }, answer }) => ({ gold, ranks: ranksOf(answer.ids, gold) }));
  const recall = (k: number): number | null => mean(judged.map(({ ranks }) => recallAt(ranks, k)));
  return {
    "recall@1": recall(1),
    "recall@3": recall(3),
    "recall@5": recall(5),
    "recall@10": recall(10),
    "hit@5": mean(judged.map(({ ranks }) => hitAt(ranks, 5))),
    mrr: mean(judged.map(({ ranks }) => reciprocalRank(ranks))),
    "ndcg@5": mean(judged.map(({ ranks, gold }) => ndcgAt(ranks, gold, 5))),
  };
}
