import { describe, expect, it } from "vitest";
import type { Corpus } from "../../../scripts/eval/corpus.ts";
import { explainedJson, explainedText, explainQuery } from "../../../scripts/eval/explain/report.ts";
import { readCatalog } from "../../../scripts/eval/input/catalog.ts";
import { Baseline } from "../../../scripts/eval/methods/bm25.ts";
import { indexOf, searchIndex, toDocument } from "../../../scripts/eval/methods/ranking.ts";

function corpusOf(...values: readonly object[]): Corpus {
  const tools = readCatalog(values.map((value, index) => ({ file: "f", line: index + 1, value })));
  const documents = tools.map(toDocument);
  return {
    ids: new Set(tools.map(({ id }) => id)),
    documents,
    index: indexOf(documents),
    baseline: new Baseline(tools),
  };
}

const CORPUS = corpusOf(
  {
    id: "files::read_file",
    server: "files",
    name: "read_file",
    description: "Reads a document.",
    inputSchema: { properties: { path: { description: "Path of the document" } } },
  },
  { id: "files::__proto__", server: "files", name: "__proto__", description: "Constructor of documents." },
  { id: "mail::send", server: "mail", name: "send", description: "Sends a letter." },
);

const QUERY = {
  id: "q",
  query: "read the document, constructor",
  gold: [
    { tool: "read_file", anyOf: ["files::read_file"], relevance: 2 },
    { tool: "gone", anyOf: ["gone"], relevance: 1 },
  ],
};

describe("an explanation", () => {
  const explained = explainQuery("folder/file", QUERY, CORPUS);

  it("says where the needed tools stand in both rankings", () => {
    const at = searchIndex(CORPUS.index, QUERY.query).ids.indexOf("files::read_file") + 1;
    expect(explained.gold.map(({ rank }) => rank)).toEqual([at, null]);
    expect(explained.gold.map(({ bm25_rank: rank }) => rank === null)).toEqual([false, true]);
  });

  it("has the query's words with their importance and what stands for them", () => {
    const read = explained.words.find(({ word }) => word === "read");
    expect(read?.importance).toBe(1);
    expect(read?.variants[0]).toMatchObject({ term: "read", likeness: 1, tools: 1 });
    expect(explained.words.map(({ word }) => word)).not.toContain("the");
  });

  it("has the first hits in the order and with the scores of the ranking", () => {
    const { ids } = searchIndex(CORPUS.index, QUERY.query);
    expect(explained.hits.map(({ id }) => id)).toEqual(ids.slice(0, 10));
  });

  it("lays a hit's terms to the fields that they stand in, with their weights", () => {
    const hit = explained.hits.find(({ id }) => id === "files::read_file");
    const read = hit?.terms.find(({ term }) => term === "read");
    expect(Object.keys(read?.fields ?? {}).sort()).toEqual(["lead", "name"]);
    expect(read?.gain).toBeGreaterThan(0);
    const weights = Object.values(read?.fields ?? {});
    expect(weights.every((weight) => weight > 0)).toBe(true);
    expect(hit?.terms.map(({ term }) => term)).not.toContain("constructor");
  });

  it("has what the first hit is judged by, with the things that it lacks", () => {
    const query = "read the document on the shelf";
    const { evidence } = explainQuery("a/b", { id: "e", query, gold: [] }, CORPUS);
    expect(evidence?.nats).toBeGreaterThan(0);
    expect(evidence?.share).toBeGreaterThan(0);
    expect(evidence?.missed).toEqual({ shelf: 1 });
    expect(explainedText([explainQuery("a/b", { id: "e", query, gold: [] }, CORPUS)])).toMatch(
      /the first has evidence of \d+\.\d\d nats, 0\.\d\d of what is asked, and lacks: shelf 1\.00\n/,
    );
  });

  it("reads as text and as JSON", () => {
    const text = explainedText([explained]);
    expect(text).toContain("folder/file q");
    expect(text).toMatch(/\d\. \d\.\d{4} files::read_file {2}<- needed/);
    expect(JSON.parse(explainedJson([explained]))).toEqual({ explained: [explained] });
  });

  it("of a query that matches nothing has no hits", () => {
    const nothing = explainQuery("a/b", { id: "n", query: "zzz", gold: [] }, CORPUS);
    expect(nothing).toMatchObject({ flagged: true, evidence: null, hits: [], gold: [] });
    expect(explainedText([nothing])).toContain("empty or weak");
  });
});
