import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_VARIANTS_MAX_COUNT } from "../../../src/limits.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { rank, type Ranking } from "../../../src/routing/rank/rank.ts";
import { resolveQuery } from "../../../src/routing/rank/resolve.ts";
import { type Rows, tableOf } from "../neighbours/tables.ts";
import { committedTable, indexOf, plainDocument } from "../support.ts";
import { CATALOG } from "../catalog.ts";

const ROWS: Rows = {
  car: [
    ["automobile", 0.95],
    ["vehicle", 0.8],
    ["truck", 0.6],
  ],
  film: [["movie", 0.9]],
  movie: [["film", 0.9]],
  予報: [["forecast", 0.9]],
  天気予報: [["weather", 0.95]],
  天気: [["weather", 0.9]],
};

/** Ids asked by name, one letter each. */
function ask(tools: Readonly<Record<string, string>>, query: string, rows: Rows = ROWS): Ranking {
  const documents = Object.entries(tools).map(([name, description]) =>
    plainDocument(`t${name}t`, description, `plain:${name}`),
  );
  return rank(indexOf(documents, tableOf(rows)), query, { topK: 20 });
}

const order = ({ hits }: Ranking): string => hits.map(({ id }) => id.slice("plain:".length)).join("");
const scoreOf = ({ hits }: Ranking, name: string): number =>
  hits.find(({ id }) => id === `plain:${name}`)?.score ?? 0;

describe("a word that means nearly the same", () => {
  it("finds a tool, below an equal one that has the word itself", () => {
    const words = fc.constantFrom("rent", "wash", "sell", "park");
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 4 }),
        fc.constantFrom("automobile", "vehicle", "truck"),
        (more, like) => {
          const text = (word: string): string => [word, ...more].join(" ");
          const ranking = ask({ a: text(like), b: text("car") }, `${more.join(" ")} car`);
          expect(order(ranking)).toBe("ba");
        },
      ),
    );
  });

  it("counts by how like it is", () => {
    expect(order(ask({ a: "truck", b: "vehicle", c: "automobile", d: "car", e: "boat" }, "car"))).toBe(
      "dcba",
    );
  });

  it("is not found without a table", () => {
    expect(ask({ a: "automobile" }, "car", {}).total).toBe(0);
    expect(ask({ a: "automobile" }, "car").total).toBe(1);
  });

  it("goes the way of the table, and one step of it", () => {
    expect(ask({ a: "car" }, "automobile").total).toBe(0);
    const chain: Rows = { first: [["middle", 0.9]], middle: [["last", 0.9]] };
    expect(ask({ a: "last" }, "first", chain).total).toBe(0);
  });

  it("counts once, however many of them a tool has", () => {
    const one = ask({ a: "automobile rent pay", z: "vehicle", y: "truck" }, "car");
    const all = ask({ a: "automobile vehicle truck" }, "car");
    const few = ask({ a: "automobile vehicle truck", z: "vehicle", y: "truck" }, "car");
    expect(scoreOf(few, "a")).toBe(scoreOf(one, "a"));
    expect(scoreOf(all, "a")).toBe(scoreOf(one, "a"));
    const own = ask({ a: "car rent pay", z: "automobile" }, "car");
    expect(scoreOf(ask({ a: "car automobile pay", z: "automobile" }, "car"), "a")).toBe(scoreOf(own, "a"));
  });

  it("counts for less in a sentence of many words, where the words themselves do not", () => {
    const filler = Array.from(
      { length: 60 },
      (_, at) => `fill${"abcdefghij"[at % 10]}${"klmnopqrst"[Math.floor(at / 10)]}x`,
    );
    const share = (length: number): number => {
      const ranking = ask({ a: "automobile", b: "car" }, `car ${filler.slice(0, length).join(" ")}`);
      return scoreOf(ranking, "a") / scoreOf(ranking, "b");
    };
    const shares = [0, 5, 11, 12, 20, 40].map(share);
    // The share of a sentence that is answered counts beside the word.
    expect(Math.max(...shares)).toBeLessThan(1);
    expect(shares.slice(2)).toEqual(shares.slice(2).toSorted((left, right) => right - left));
    expect(new Set(shares.slice(2)).size).toBe(4);
  });

  it("inside a run of a script without spaces is looked up as the longest word", () => {
    const longest: Rows = {
      天気予報図: [["weather", 0.9]],
      天気予: [["forecast", 0.9]],
      予報図: [["map", 0.9]],
    };
    expect(order(ask({ a: "weather", b: "forecast", c: "map" }, "明日の天気予報図は", longest))).toBe("a");
    expect(order(ask({ b: "forecast", c: "map" }, "明日の天気予報図は", longest))).toBe("b");
  });

  it("of two characters counts once, though it is a word of the run and of the question", () => {
    const tools = { a: "weather rent", b: "rent" };
    expect(ask(tools, "天気は").hits).toEqual(ask(tools, "天気").hits);
    const index = indexOf([plainDocument("weather rent")], tableOf(ROWS));
    const [sentence] = resolveQuery(index, readQuery("天気は 天気 天気予報 rent"), undefined);
    const words = sentence?.words.map(({ word }) => word);
    expect(words).toEqual([...new Set(words)]);
    expect(words).toEqual(expect.arrayContaining(["天気", "天気予報", "rent"]));
  });

  it("is one of so many: a word does not bring in a whole catalog", () => {
    const others = Array.from({ length: 3 * ROUTING_VARIANTS_MAX_COUNT }, (_, at) => `kin${"x".repeat(at)}`);
    const tools = Object.fromEntries(others.map((word) => [word, word]));
    const rows = { car: others.map((word, at) => [word, 0.9 - at / 200] as const) };
    expect(ask(tools, "car", rows).total).toBe(ROUTING_VARIANTS_MAX_COUNT);
  });

  it("in two runs counts as once", () => {
    const tools = { a: "weather rent", b: "rent" };
    expect(ask(tools, "天気 天気は rent").hits).toEqual(ask(tools, "天気は 天気 rent").hits);
    const missing = ask(tools, "天気 rent nowhere");
    expect(scoreOf(ask(tools, "天気 天気 rent nowhere"), "a")).toBe(scoreOf(missing, "a"));
  });

  it("never keeps the tools away that have the words themselves", () => {
    const queries = ["close an issue", "send an email", "delete a file", "refund a customer"];
    for (const query of queries) {
      const without = rank(indexOf(CATALOG), query, { topK: 99 });
      const withTable = rank(indexOf(CATALOG, committedTable()), query, { topK: 99 });
      expect(withTable.hits[0]?.id).toBe(without.hits[0]?.id);
      const ids = withTable.hits.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(without.hits.map(({ id }) => id)));
    }
  });
});
