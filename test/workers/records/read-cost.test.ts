import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import type { Coverage } from "../../../src/records/grant/coverage.ts";
import { loadLab, newConnection, writeAll } from "./lab.ts";
import {
  type Cost,
  coverageOf,
  dataOf,
  emptyRecords,
  found,
  type GrantOf,
  noCost,
  textOf,
  withQuery,
} from "./read-rig.ts";

const COUNT = 2_500;
const PATH = "/v1/streams/times/records";
let mail = "";
let chat = "";

const at = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();

beforeAll(async () => {
  await emptyRecords();
  await loadLab();
  [mail, chat] = [await newConnection(), await newConnection()];
  for (const connectionId of [mail, chat]) {
    await writeAll(
      connectionId,
      "times",
      Array.from({ length: COUNT }, (_, index) => {
        const id = `n${index}`;
        // Every fifth is rare, every fiftieth has no time.
        const time = index % 50 === 0 ? {} : { at: at(index) };
        return { key: id, data: { id, word: index % 5 === 0 ? "rare" : "common", number: index, ...time } };
      }),
    );
  }
}, 120_000);

async function covering(
  more: Partial<GrantOf["streams"][number]> = {},
  ids: readonly string[] = [mail],
): Promise<Coverage> {
  return coverageOf(
    ids.map((connectionId) => ({
      id: `g-${connectionId}`,
      connectionId,
      streams: [{ name: "times", ...more }],
    })),
  );
}

async function cost(path: string, coverage: Coverage): Promise<Cost & { readonly body: unknown }> {
  const counted = noCost();
  const body = await found(path, coverage, counted);
  return { ...counted, body };
}

/** How SQLite would go about the statements. */
async function plansOf({ statements }: Cost): Promise<readonly string[]> {
  const plans: string[] = [];
  for (const { sql, values } of statements) {
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...values)
      .all();
    plans.push(...results.map(({ detail }) => String(detail)));
  }
  return plans;
}

/** Rows that a page of so many may read: each in its index, by its key and its version, and with its body. */
const pageRows = (count: number): number => 7 * count + 20;

describe("what a page reads", () => {
  it.each<[string, string, Partial<GrantOf["streams"][number]>]>([
    ["the newest", "?limit=50", {}],
    ["the oldest", "?limit=50&order=asc", {}],
    ["an exact filter", "?limit=50&filter[word]=rare", {}],
    ["an exact filter the other way", "?limit=50&filter[word]=rare&order=asc", {}],
    ["a number", "?limit=50&filter[number]=1203", {}],
    [
      "a time range of the grant",
      "?limit=50",
      { since: "2026-01-01T10:00:00", until: "2026-01-01T20:00:00" },
    ],
    ["a number that the order goes by", "?limit=50&filter[at]=2026-01-01T10:01:00Z", {}],
    ["those by key, where the order is not granted", "?limit=50", { fields: ["id", "word"] }],
    ["those by key the other way", "?limit=50&order=asc", { fields: ["id", "word"] }],
    [
      "a range that the order goes by",
      "?limit=50&filter[at][gte]=2026-01-01T10:00:00Z&filter[word]=rare",
      {},
    ],
    ["named records", "?limit=50", { resources: Array.from({ length: 60 }, (_, index) => `n${index * 40}`) }],
  ])("is in proportion to its rows: %s", async (_, query, more) => {
    const read = await cost(`${PATH}${query}`, await covering(more));
    expect(dataOf(read.body).length).toBeGreaterThan(0);
    expect(read.rowsRead).toBeLessThan(pageRows(more.resources === undefined ? 50 : 70));
    expect(read.roundTrips).toBe(2);
    const plans = await plansOf(read);
    expect(plans.filter((plan) => /^SCAN (?:r|v|records|record_versions)\b/.test(plan))).toEqual([]);
    // Named records are sorted once they are found; nothing else is.
    expect(plans.some((plan) => plan.includes("TEMP B-TREE"))).toBe(more.resources !== undefined);
  });

  it("is one range of an index for a range filter on another field, which is sorted then", async () => {
    const read = await cost(`${PATH}?limit=10&filter[number][gte]=2000`, await covering());
    expect(dataOf(read.body)).toHaveLength(10);
    // Each is read once in the index and once in the order.
    expect(read.rowsRead).toBeLessThan(2 * (COUNT - 2_000) + pageRows(10));
    expect((await plansOf(read)).join("\n")).toMatch(/SEARCH r USING COVERING INDEX records_by_n\d/);
  });

  it("does not grow on the way through a stream, nor among the records that have no place in its order", async () => {
    for (const order of ["asc", "desc"]) {
      const coverage = await covering();
      let cursor: string | undefined;
      let seen = 0;
      do {
        const read = await cost(withQuery(PATH, { limit: "100", order, cursor }), coverage);
        expect(read.rowsRead).toBeLessThan(pageRows(100));
        seen += dataOf(read.body).length;
        cursor = textOf(read.body, "next_cursor");
      } while (cursor !== undefined);
      expect(seen).toBe(COUNT);
    }
  });

  it("is a page of each connection's keys and the bodies of one page, merged", async () => {
    const read = await cost(`${PATH}?limit=50`, await covering({}, [mail, chat]));
    expect(dataOf(read.body)).toHaveLength(50);
    expect(read.rowsRead).toBeLessThan(2 * pageRows(50));
  });

  it("is one row a connection for the count of a whole stream, and one range of an index for another", async () => {
    const whole = await cost(`${PATH}?limit=1&count=exact`, await covering());
    expect(memberOf(memberOf(whole.body, "meta"), "count")).toEqual({ kind: "exact", value: COUNT });
    expect(whole.rowsRead).toBeLessThan(pageRows(1));
    const filtered = await cost(`${PATH}?limit=1&count=exact&filter[word]=rare`, await covering());
    expect(memberOf(memberOf(filtered.body, "meta"), "count")).toEqual({ kind: "exact", value: COUNT / 5 });
    expect(filtered.rowsRead).toBeLessThan(COUNT / 5 + pageRows(1));
    expect((await plansOf(filtered)).join("\n")).toMatch(/SEARCH r USING COVERING INDEX records_by_t/);
  });

  it("is a few rows for one record, for the schema and for the list of streams", async () => {
    for (const path of [`${PATH}/n7`, "/v1/schema", "/v1/streams", "/v1/streams/times"]) {
      expect((await cost(path, await covering())).rowsRead).toBeLessThan(20);
    }
    const narrow = await covering({ since: "2026-01-01T10:00:00" });
    expect((await cost("/v1/schema", narrow)).rowsRead).toBeLessThan(20);
    expect((await cost("/v1/schema?view=compact", narrow)).statements).toEqual([]);
  });

  it("is in proportion to its rows for changes, from the beginning and from a bookmark", async () => {
    const coverage = await covering();
    const first = await cost(`${PATH}?changes_since=beginning&limit=50`, coverage);
    expect(dataOf(first.body)).toHaveLength(50);
    // What is looked through is bounded, whatever of it is told.
    expect(first.rowsRead).toBeLessThan(2_500);
    const since = textOf(first.body, "next_changes_since");
    await writeAll(mail, "times", [{ key: "n1", data: { id: "n1", word: "new" } }]);
    const next = await cost(withQuery(PATH, { changes_since: since }), coverage);
    expect(dataOf(next.body)).toHaveLength(1);
    expect(next.rowsRead).toBeLessThan(20);
  });
});
