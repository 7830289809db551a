import { describe, expect, it } from "vitest";
import { evaluate, evaluateJudged } from "../../../scripts/eval/figures/evaluate.ts";
import { alignColumns, overallOf, reportJson, reportTable } from "../../../scripts/eval/figures/report.ts";
import type { Query } from "../../../scripts/eval/input/queries.ts";
import type { JudgedAnswer } from "../../../scripts/eval/methods/method.ts";

const query = (id: string, ...tools: string[]): Query => ({
  id,
  query: id,
  gold: tools.map((tool) => ({ tool, anyOf: [tool], relevance: 1 })),
});

const QUERIES = [
  query("found", "a"),
  query("half", "a", "z"),
  query("missed", "z"),
  query("none"),
  query("odd"),
];

const ANSWERS: ReadonlyMap<string, JudgedAnswer> = new Map([
  ["found", { ids: ["a"], flagged: false, ambiguous: false }],
  ["half", { ids: ["b", "a"], flagged: false, ambiguous: true }],
  ["missed", { ids: ["c"], flagged: true, ambiguous: false }],
  ["none", { ids: [], flagged: true, ambiguous: false }],
  ["odd", { ids: ["b"], flagged: false, ambiguous: false }],
]);

const search = (text: string): JudgedAnswer =>
  ANSWERS.get(text) ?? { ids: [], flagged: true, ambiguous: false };

describe("the figures of a set", () => {
  it("are means over the queries that have a right tool", () => {
    const { mrr, ...figures } = evaluate(QUERIES, search);
    expect(figures).toMatchObject({ "recall@1": 1 / 3, "recall@5": 1 / 2, "hit@5": 2 / 3 });
    expect(mrr).toBe((1 + 1 / 2) / 3);
  });

  it("tell answerable queries that are flagged from unanswerable ones that are declined", () => {
    expect(evaluateJudged(QUERIES, search)).toMatchObject({
      answerable: 3,
      flagged: 1 / 3,
      declined: 1,
      unanswerable: 2,
      ambiguous: 1 / 5,
    });
  });

  it("are no numbers where no query has a right tool", () => {
    const figures = evaluateJudged([query("none")], search);
    expect(figures).toMatchObject({ "recall@5": null, mrr: null, flagged: null, declined: 1 });
    expect(evaluateJudged([], search).ambiguous).toBeNull();
  });
});

describe("the report", () => {
  const bm25 = evaluate(QUERIES, search);
  const set = {
    name: "folder/file",
    tools: 1234,
    queries: 5,
    ranking: evaluateJudged(QUERIES, search),
    bm25,
  };

  it("as JSON has the agreed keys and four decimals", () => {
    const rounded = {
      "recall@1": 0.3333,
      "recall@3": 0.5,
      "recall@5": 0.5,
      "recall@10": 0.5,
      "hit@5": 0.6667,
      mrr: 0.5,
    };
    const parsed: unknown = JSON.parse(reportJson([set]));
    expect(parsed).toMatchObject({
      sets: [{ name: "folder/file", tools: 1234, queries: 5, ranking: rounded, bm25: rounded }],
    });
    expect(Object.keys(set.bm25)).toEqual([...Object.keys(rounded), "ndcg@5"]);
  });

  it("as text has a row for each method, columns aligned", () => {
    const lines = reportTable([set]).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^folder\/file +1234 +5 +ranking +0\.333 .* 1 of 2$/);
    expect(lines[2]).toMatch(/^ +bm25 +0\.333/);
    const end = (lines[0] ?? "").indexOf("recall@5") + "recall@5".length;
    expect(lines.slice(1).map((line) => line.slice(end - 5, end))).toEqual(["0.500", "0.500"]);
  });

  it("tells of all sets together how many answers are empty or weak, each query alike", () => {
    const other = { ...set, ranking: evaluateJudged(QUERIES.slice(0, 1), search) };
    const all = { answerable: 4, flagged: 1 / 4, unanswerable: 2, declined: 1 };
    expect(overallOf([set, other])).toEqual(all);
    expect(overallOf([])).toEqual({ answerable: 0, flagged: null, unanswerable: 0, declined: 0 });
    expect(JSON.parse(reportJson([set, other]))).toMatchObject({ all });
    expect(reportTable([set, other]).split("\n").at(-1)).toBe(
      "empty or weak: 0.250 of 4 queries that have a right tool, 1 of 2 that have none",
    );
  });

  it("aligns words to the left and numbers to the right", () => {
    expect(
      alignColumns(
        [
          ["a", "n"],
          ["long", "1"],
          ["b", "100"],
        ],
        new Set(["a"]),
      ),
    ).toBe("a       n\nlong    1\nb     100");
  });
});
