import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { expected } from "./aggregate-model.ts";
import { ask, bodyOf, feedOf, store, streamOf } from "./aggregate-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

const stream = streamOf({ at: "time" }, { cursorField: "at", consentTimeField: "at" });

beforeAll(async () => {
  await freshDatabase();
});

describe("groups by time", () => {
  it("take data of every year from 0000 to 9999 in a few statements", async () => {
    const feed = feedOf(stream, { feedId: 200_000, connectorKey: "ages" });
    const records = Array.from({ length: 10_000 }, (_, year) => ({
      key: `k${year}`,
      data: `{"at":"${String(year).padStart(4, "0")}-07-01T00:30:00Z"}`,
    }));
    await store(feed, records);
    const query = {
      metric: "count",
      group_by_time: "at",
      granularity: "month",
      time_zone: "Europe/Berlin",
      limit: "100",
    };
    const asked = await ask([feed], query);
    if (!asked.answer.ok) throw new Error(asked.answer.reason.message);
    const { groups } = asked.answer.value;
    expect(groups).toHaveLength(100);
    expect(groups).toEqual(
      expected([{ feed, records }], query).groups?.map(([key, count]) => ({ key, count })),
    );
    expect(asked.statements.length).toBeLessThan(100);
    for (const { sql } of asked.statements) expect(sql.length).toBeLessThan(20_000);
    const late = { ...query, "filter[at][gte]": "9990-01-01" };
    const body = await bodyOf([feed], late);
    expect(body["groups"]).toEqual(
      expected([{ feed, records }], late).groups?.map(([key, count]) => ({ key, count })),
    );
  });

  it("have buckets for the hours by which a zone leaves the calendar", async () => {
    const feed = feedOf(stream, { feedId: 200_001, connectorKey: "edges" });
    await store(feed, [
      { key: "first", data: '{"at":"0000-01-01T00:00:00Z"}' },
      { key: "last", data: '{"at":"9999-12-31T23:59:59.99999Z"}' },
    ]);
    const keys = async (granularity: string, time_zone: string) => {
      const { groups } = await bodyOf([feed], {
        metric: "count",
        group_by_time: "at",
        granularity,
        time_zone,
      });
      return Array.isArray(groups) ? groups.map((group) => memberOf(group, "key")) : [];
    };
    expect(await keys("year", "Etc/GMT-14")).toEqual(["0000-01-01", "10000-01-01"]);
    expect(await keys("quarter", "Etc/GMT+12")).toEqual(["-0001-10-01", "9999-10-01"]);
    expect(await keys("month", "Etc/GMT+12")).toEqual(["-0001-12-01", "9999-12-01"]);
    expect(await keys("month", "Etc/GMT-14")).toEqual(["0000-01-01", "10000-01-01"]);
    expect(await keys("week", "Etc/GMT+12")).toEqual(["-0001-12-27", "9999-12-27"]);
    expect(await keys("minute", "Etc/GMT-14")).toEqual(["0000-01-01T14:00", "10000-01-01T13:59"]);
  });

  it("count a record of another year that comes between the look for years and the count", async () => {
    const feed = feedOf(stream, { feedId: 200_002, connectorKey: "race" });
    await store(feed, [{ key: "a", data: '{"at":"2020-01-01T00:00:00Z"}' }]);
    const asked = await ask(
      [feed],
      { metric: "count", group_by_time: "at", granularity: "hour", time_zone: "Asia/Kathmandu" },
      new Map(),
      async (round) => {
        if (round !== 1) return;
        const { meta } = await env.DB.prepare(
          "INSERT INTO records (feed_id, record_key, version, emitted_at, d1) VALUES (200002, 'b', 9, '', '1980-01-01T00:00:00')",
        ).run();
        expect(meta.changes).toBeGreaterThan(0);
      },
    );
    expect(asked.answer).toMatchObject({
      value: {
        groups: [
          { key: "1980-01-01T05:00", count: 1 },
          { key: "2020-01-01T05:00", count: 1 },
        ],
      },
    });
  });
});
