import { describe, expect, it } from "vitest";
import type { BenchEntry } from "../../../../scripts/bench/primitives/bench-entry.ts";
import { largeResources } from "../../../../scripts/bench/primitives/large-resources.ts";
import { nativeListTokens } from "../../../../scripts/bench/primitives/native-lists.ts";
import { measureKind, measurePrimitives } from "../../../../scripts/bench/primitives/primitives.ts";
import { measureProxyList } from "../../../../scripts/bench/primitives/proxy-list.ts";
import { readAsked } from "../../../../scripts/bench/primitives/read-set.ts";
import { measureReading } from "../../../../scripts/bench/primitives/reading.ts";
import { LISTED_ENTRY_MAX_TOKENS } from "../../../../src/limits.ts";
import { committedCounter } from "../../../../scripts/committed-ranks.ts";
import { type ResultCase, textResult } from "../../../fixtures/results/kit/result-case.ts";

const counter = committedCounter();
const THINGS = ["harbour", "lighthouse", "ferry", "crane", "pilot", "anchor", "beacon"];
const resources: readonly BenchEntry[] = THINGS.map((thing, at) => ({
  server: at % 2 === 0 ? "port" : "Sea Side",
  definition: { uri: `docs://${thing}`, name: thing, description: `Everything about the ${thing}.` },
}));
const prompts: readonly BenchEntry[] = THINGS.map((thing) => ({
  server: "port",
  definition: {
    name: `describe-${thing}`,
    description: `Describes a ${thing}.`,
    arguments: [{ name: "style" }],
  },
}));

function asked(entries: readonly BenchEntry[], right: (thing: string) => readonly string[]) {
  const rows = THINGS.map((thing, at) => ({
    id: `q${at}`,
    query: `where is the ${thing}`,
    how: "plain",
    right: right(thing),
  }));
  return readAsked(
    rows.map((value) => ({ file: "q.jsonl", line: 1, value })),
    entries,
  );
}

describe("the figures of a kind", () => {
  it("find every resource that is asked for by its name, over the whole gateway", async () => {
    const figures = await measureKind(
      "resource",
      resources,
      asked(resources, (thing) => [`docs://${thing}`]),
    );
    expect(figures).toMatchObject({ kind: "resource", entries: 7, servers: 2 });
    expect(figures.recall).toMatchObject({
      queries: 7,
      loomgate: { "recall@5": 1, "hit@5": 1, mrr: 1 },
      bm25: { "recall@5": 1, "hit@5": 1, mrr: 1 },
      by_how: [{ how: "plain", queries: 7, loomgate: 1, bm25: 1 }],
      unanswerable: 0,
    });
    expect(figures.tokens.native).toBe(nativeListTokens("resource", resources, counter));
    // Two tools with their schemas; and a line for what was found, not for everything.
    expect(figures.tokens.pair).toBeGreaterThan(50);
    expect(figures.tokens.pair).toBeLessThan(400);
    expect(figures.tokens.browse_5.median).toBeGreaterThan(10);
    expect(figures.tokens.browse_5.max).toBeLessThan(figures.tokens.native);
  });

  it("count what is not found, and what has no answer", async () => {
    const wrong = asked(prompts, (thing) => (thing === "crane" ? [] : ["describe-crane"]));
    const { recall, tokens } = await measureKind("prompt", prompts, wrong);
    expect(recall.unanswerable).toBe(1);
    // Each query's own prompt stands before the one that is called right here.
    expect(recall.loomgate.mrr).toBeLessThan(1);
    expect(recall.by_how.map(({ queries }) => queries)).toEqual([6]);
    expect(tokens.pair).toBeGreaterThan(50);
  });
});

describe("a run over the sets that were written", () => {
  it("has both kinds, finds more than plain BM25 does, and costs less than MCP's own lists", async () => {
    const told: string[] = [];
    const tools = [{ server: "port", definition: { name: "moor", inputSchema: { type: "object" } } }];
    const { kinds, reading, proxy_list } = await measurePrimitives(
      { sizes: [80], words: [], cases: [], tools },
      (line) => told.push(line),
    );
    expect(kinds.map(({ kind, entries, grown }) => [kind, entries, grown])).toEqual([
      ["resource", 213, false],
      ["prompt", 80, false],
    ]);
    expect(told.slice(0, 2)).toEqual(["primitives: 213 resources", "primitives: 80 prompts"]);
    for (const { recall, tokens } of kinds) {
      expect(recall.loomgate["recall@5"]).toBeGreaterThan(recall.bm25["recall@5"] ?? 1);
      expect(recall.by_how.map(({ how }) => how)).toEqual(["other words", "plain", "slip", "other language"]);
      expect(tokens.native).toBeGreaterThan(5 * (tokens.pair + tokens.browse_5.max));
    }
    expect([reading, proxy_list.tools]).toEqual([[], 1]);
  });

  it("ends where the catalog does not take every entry", async () => {
    const [same] = prompts;
    const twice = [same, same].flatMap((entry) => entry ?? []);
    await expect(measureKind("prompt", twice, [])).rejects.toThrow(/of 2 prompts the catalog has 1/);
  });
});

describe("the reading of large resources", () => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `INFO 2026-03-03 the crane lifts container ${at}`);
  const log: ResultCase = { name: "a log", kind: "log", result: () => textResult(lines.join("\n")) };
  const note: ResultCase = {
    ...log,
    name: "note",
    small: true,
    result: () => textResult("The crane lifts."),
  };
  const two: ResultCase = {
    ...log,
    name: "two",
    result: () => ({ content: [log, log].flatMap((each) => each.result()["content"]) }),
  };

  it("takes each large text of the corpus as a resource, and nothing else", () => {
    expect(largeResources([log, note, two])).toEqual([
      { kind: "log", uri: "corpus://a%20log", mimeType: "text/plain", text: lines.join("\n") },
    ]);
  });

  it("sums what is whole and what a model reads instead, by kind", async () => {
    const [figures, ...others] = await measureReading(
      [...largeResources([log]), ...largeResources([{ ...log, name: "again" }])],
      counter,
    );
    expect(others).toEqual([]);
    expect(figures).toMatchObject({ kind: "log", resources: 2, whole: 2 * counter.count(lines.join("\n")) });
    expect(figures?.shown).toBeGreaterThan(2 * 20);
    expect(figures?.shown).toBeLessThan((figures?.whole ?? 0) / 50);
  });
});

describe("the proxy's list", () => {
  it("is counted by the tool and as a whole", async () => {
    const tools = THINGS.map((thing) => ({
      server: "port",
      definition: {
        name: `move_${thing}`,
        description: `Moves the ${thing}. `.repeat(40),
        inputSchema: {
          type: "object",
          properties: { to: { type: "string", description: "Where to. ".repeat(20) } },
        },
      },
    }));
    const figures = await measureProxyList(tools);
    expect(figures).toMatchObject({ tools: 7, beyond: 0 });
    expect(figures.max).toBeLessThanOrEqual(LISTED_ENTRY_MAX_TOKENS);
    expect(figures.mean).toBeGreaterThan(LISTED_ENTRY_MAX_TOKENS / 2);
    expect(figures.mean).toBeLessThanOrEqual(figures.max);
    // The two tools of its own stand before the others.
    expect(figures.list).toBeGreaterThan(7 * figures.mean);
    expect(figures.full_list).toBeGreaterThan(figures.list);
  });
});
