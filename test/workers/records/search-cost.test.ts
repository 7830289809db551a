import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { streamOf } from "../../support/records-stream.ts";
import { type Asker, type Cost, cursorOf, emptyRecords, found, keysOf, openFeed, put } from "./search-rig.ts";

const NOTES = streamOf({ lexical: ["title", "body"] });

const notes = (count: number, prefix: string, word: string) =>
  Array.from({ length: count }, (_, index) => ({
    key: `${prefix}${index}`,
    data: {
      title: `title ${index}`,
      body: `${word} number ${index}`,
      at: `2026-01-01T00:00:${String(index % 60).padStart(2, "0")}Z`,
    },
  }));

beforeEach(emptyRecords);

const costOf = async (asker: Asker, query: readonly (readonly [string, string])[]): Promise<Cost> => {
  const cost: Cost = { rowsRead: 0, roundTrips: 0, statements: [] };
  await found(asker, query, cost);
  return cost;
};

describe("a search costs", () => {
  it("what its own scope has of the words, however many rows others have of them", async () => {
    const own = await openFeed(NOTES, "own");
    const other = await openFeed(NOTES, "other");
    await put(own, ...notes(20, "hit", "invoice"), ...notes(200, "miss", "filler"));
    const asked = [["q", "invoice"]] as const;
    const keys = { ...own, resources: Array.from({ length: 10 }, (_, index) => `hit${index}`) };
    const askers = [{ feeds: [own] }, { feeds: [keys] }];
    const before: number[] = [];
    for (const asker of askers) before.push((await costOf(asker, asked)).rowsRead);
    await put(other, ...notes(400, "o", "invoice"));
    const after: number[] = [];
    for (const asker of askers) after.push((await costOf(asker, asked)).rowsRead);
    expect(after).toEqual(before);
    // Twice each place and its document, the parameters, and the page's records: nothing of the 200 that have no such word.
    expect(after[0]).toBeLessThan(400);
  });

  it("two round trips for a first page, one for the next, and none for a question without a field", async () => {
    const feed = await openFeed(NOTES, "own");
    await put(feed, ...notes(5, "n", "invoice"));
    const first: Cost = { rowsRead: 0, roundTrips: 0, statements: [] };
    const body = await found(
      { feeds: [feed] },
      [
        ["q", "invoice"],
        ["limit", "2"],
      ],
      first,
    );
    expect(first.roundTrips).toBe(2);
    const next = await costOf({ feeds: [feed] }, [
      ["q", "invoice"],
      ["limit", "2"],
      ["cursor", cursorOf(body) ?? ""],
    ]);
    expect(next.roundTrips).toBe(1);
    const none = await costOf({ feeds: [{ ...feed, fields: new Set(["at"]) }] }, [["q", "invoice"]]);
    expect(none.roundTrips).toBe(0);
  });

  it("no pass over a table, whatever the grant and the filter", async () => {
    const feed = await openFeed(NOTES, "own");
    await put(feed, ...notes(5, "n", "invoice"));
    const timed = { ...feed, since: "2026-01-01T00:00:00" };
    const named = { ...feed, resources: ["n1", "n2"] };
    const plain = [["q", "invoice number"]] as const;
    const filtered = [...plain, ["streams[]", "notes"], ["filter[other]", "x"]] as const;
    const steps: string[] = [];
    for (const asked of [plain, filtered]) {
      for (const own of [feed, timed, named]) {
        const { statements } = await costOf({ feeds: [own], places: 2 }, asked);
        expect(statements).toHaveLength(5);
        for (const { sql, values } of statements) {
          const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
            .bind(...values)
            .all<{ detail: string }>();
          steps.push(...results.map(({ detail }) => detail));
        }
      }
    }
    // What is gone through from end to end are the parameters and what the statement itself made of them.
    const made = /^SCAN (?:j|k|json_each|scope|s|word|w|covered_key|part|found|hit|h|c)(?: |$)/;
    const scans = [...new Set(steps)].filter(
      (step) => step.startsWith("SCAN") && step !== "SCAN CONSTANT ROW" && !made.test(step),
    );
    // FTS5's vocabulary says by 256 that it is asked for one term.
    expect(scans).toEqual([expect.stringMatching(/^SCAN a VIRTUAL TABLE INDEX (?:25[6-9]|26\d):$/)]);
  });

  it("only the records of a range of time that are in it", async () => {
    const feed = await openFeed(NOTES, "own");
    await put(feed, ...notes(60, "n", "invoice"));
    const few = { ...feed, since: "2026-01-01T00:00:58" };
    const asked = [["q", "invoice"]] as const;
    const { rowsRead: before } = await costOf({ feeds: [few] }, asked);
    expect(keysOf(await found({ feeds: [few] }, asked))).toEqual(["n58", "n59"]);
    // Sixty more before the range: their places are passed, their statistics and records are not.
    await put(feed, ...notes(58, "more", "invoice"));
    const { rowsRead: after } = await costOf({ feeds: [few] }, asked);
    expect(after - before).toBeLessThanOrEqual(2 * 2 * 58);
  });
});
