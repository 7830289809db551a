import { beforeAll, describe, expect, it } from "vitest";
import type { CoveredFeed } from "../../../src/records/grant/coverage.ts";
import { ask, feedOf, planOf, store, streamOf, type Query } from "./aggregate-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

const COUNT = 4_000;
const stream = streamOf(
  { id: "text", who: "text", size: "integer", at: "time", seen: "boolean" },
  { cursorField: "at", consentTimeField: "at" },
);
const feed = feedOf(stream);

beforeAll(async () => {
  await freshDatabase();
  const records = Array.from({ length: COUNT }, (_, index) => ({
    key: `k${index}`,
    data: JSON.stringify({
      id: `k${index}`,
      who: index % 10 === 0 ? null : `w${index % 7}`,
      size: index,
      at: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString(),
      seen: index % 2 === 0,
    }),
  }));
  await store(feed, records);
  // Another's feed, of which no row may be read.
  await store({ ...feed, feedId: 2 }, records);
});

/** What was read, and by which indexes `records` was. */
async function read(query: Query, changes: Partial<CoveredFeed> = {}) {
  const { answer, statements, rowsRead } = await ask([{ ...feed, ...changes }], query);
  expect(answer).toMatchObject({ ok: true });
  const plans = (await Promise.all(statements.map(planOf))).flat();
  return { rowsRead, plan: plans.filter((line) => /^(?:SEARCH|SCAN) r\b/.test(line)) };
}

const BY_CURSOR = "SEARCH r USING COVERING INDEX records_by_cursor (feed_id=?)";
const by = (slot: string) => `SEARCH r USING COVERING INDEX records_by_${slot} (feed_id=? AND ${slot}>?)`;

describe("an aggregate over a whole feed", () => {
  it.each<[Query, string[], number]>([
    [{ metric: "count" }, [BY_CURSOR], 1],
    [{ metric: "sum", field: "size" }, [BY_CURSOR, by("n1")], 2],
    [{ metric: "count_distinct", field: "who" }, [BY_CURSOR, by("t2")], 2],
    [{ metric: "count", group_by: "who" }, [BY_CURSOR, by("t2")], 2],
    // An end of the index is looked up.
    [{ metric: "min", field: "at" }, [BY_CURSOR, by("d1")], 1],
    [{ metric: "max", field: "size" }, [BY_CURSOR, by("n1")], 1],
  ])("%o reads each index that it needs once", async (query, plan, scans) => {
    const asked = await read(query);
    expect(asked.plan).toEqual(plan);
    expect(asked.rowsRead).toBeLessThan(scans * COUNT + 100);
  });
});

describe("groups by time", () => {
  const RANGE = "SEARCH r USING COVERING INDEX records_by_d1 (feed_id=? AND d1>? AND d1<?)";

  it("count a range of the time's index for each bucket, and look up which years there are", async () => {
    for (const time_zone of ["UTC", "Europe/Berlin"]) {
      for (const granularity of ["day", "month", "year"]) {
        const asked = await read({ metric: "count", group_by_time: "at", granularity, time_zone });
        expect(new Set(asked.plan)).toEqual(new Set([BY_CURSOR, by("d1"), RANGE]));
        // Two scans, and what is read of ranges and years: 165 days are given, looked through and sorted.
        expect(asked.rowsRead).toBeLessThan(2 * COUNT + 1_500);
      }
    }
  });

  it("scan that index once where buckets are small", async () => {
    const asked = await read({
      metric: "count",
      group_by_time: "at",
      granularity: "hour",
      time_zone: "Europe/Berlin",
    });
    expect(new Set(asked.plan)).toEqual(new Set([BY_CURSOR, by("d1"), RANGE]));
    // Every record is in an hour of its own: the groups are sorted, kept and summed.
    expect(asked.rowsRead).toBeLessThan(7 * COUNT);
  });

  it("read what an exact filter leaves once, whatever the zone's changes", async () => {
    const query = { metric: "count", group_by_time: "at", granularity: "day", "filter[who]": "w3" };
    const utc = await read(query);
    const moved = await read({ ...query, time_zone: "Europe/Berlin" });
    expect(utc.rowsRead).toBeLessThan((6 * COUNT) / 7);
    expect(moved.rowsRead).toBeLessThan((6 * COUNT) / 7);
  });
});

describe("what is granted or filtered", () => {
  const day = { since: "2026-02-01T00:00:00", until: "2026-02-02T00:00:00" };

  it("is counted by its range alone where the order's time is the time of consent", async () => {
    const asked = await read({ metric: "count" }, day);
    expect(asked.plan).toEqual([
      "SEARCH r USING COVERING INDEX records_by_cursor (feed_id=? AND cursor_value>? AND cursor_value<?)",
    ]);
    expect(asked.rowsRead).toBeLessThan(30);
  });

  it("is judged in the index that is scanned", async () => {
    const asked = await read({ metric: "sum", field: "size" }, day);
    expect(asked.plan[1]).toBe(by("n1"));
    expect(asked.rowsRead).toBeLessThan(COUNT + 100);
  });

  it("is looked up by key where records are named", async () => {
    for (const query of [
      { metric: "count" },
      { metric: "sum", field: "size" },
      { metric: "min", field: "at" },
      { metric: "count_distinct", field: "who" },
      { metric: "count", group_by: "who" },
      { metric: "count", group_by_time: "at", granularity: "day" },
    ]) {
      const asked = await read(query, { resources: ["k1", "k2", "nope"] });
      expect(new Set(asked.plan)).toEqual(
        new Set(["SEARCH r USING PRIMARY KEY (feed_id=? AND record_key=?)"]),
      );
      expect(asked.rowsRead).toBeLessThan(100);
    }
  });

  it("reads what an exact filter leaves, or a range", async () => {
    const exact = await read({ metric: "sum", field: "size", "filter[who]": "w3" });
    expect(exact.plan).toEqual([
      "SEARCH r USING COVERING INDEX records_by_t2 (feed_id=? AND t2=?)",
      "SEARCH r USING INDEX records_by_t2 (feed_id=? AND t2=?)",
    ]);
    expect(exact.rowsRead).toBeLessThan((3 * COUNT) / 7);
    const range = await read({ metric: "sum", field: "size", "filter[size][gte]": "3900" });
    expect(range.plan).toEqual([by("n1"), by("n1")]);
    expect(range.rowsRead).toBeLessThan(300);
    const own = await read({ metric: "count", group_by: "who", "filter[who]": "w3" });
    expect(own.rowsRead).toBeLessThan((3 * COUNT) / 7);
  });
});
