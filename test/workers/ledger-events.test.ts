import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { ledgerPort } from "../../src/ledger/ledgers-store.ts";
import { EVENTS_KEPT_MAX_COUNT } from "../../src/limits.ts";
import { browsed, entry, executed, NOON_MS } from "../ledger/entries.ts";
import { allEvents, deliver, sql, view } from "./ledger-client.ts";
import { freshStorage } from "./fresh-storage.ts";

beforeEach(async () => {
  await freshStorage();
});

const browses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => entry(browsed(NOON_MS + index)));

describe("the window of events", () => {
  it("gives every event once and in order, whatever the page's size and the question", async () => {
    const events = Array.from({ length: 23 }, (_, index) =>
      index % 3 === 0 ? browsed(NOON_MS - index) : executed({ atMs: NOON_MS + index, durationMs: index }),
    );
    await deliver({ entries: events.map((event) => entry(event)) });
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.option(fc.integer({ min: NOON_MS - 25, max: NOON_MS + 25 })),
      fc.option(fc.subarray(["browse.completed", "execute.completed", "view.failed"], { minLength: 1 })),
      async (limit, sinceMs, names) => {
        const wanted = events.filter(
          ({ event, timestamp }) =>
            timestamp >= (sinceMs ?? 0) && (names === null || names.some((name) => name === event)),
        );
        const filter = { ...(sinceMs === null ? {} : { sinceMs }), ...(names === null ? {} : { names }) };
        expect(await allEvents(limit, filter)).toEqual(wanted.map((event) => JSON.stringify(event)));
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });

  it("goes on for a poller behind the newest event, also where nothing matched", async () => {
    await deliver({ entries: browses(3) });
    const ask = async (after: number, names: readonly string[] | null = null) => {
      const page = await ledgerPort(env.LEDGER).events({ after, sinceMs: null, names, limit: 2 });
      return page.ok ? [page.value.lines.length, page.value.cursor, page.value.more] : page;
    };
    expect(await ask(0)).toEqual([2, 2, true]);
    expect(await ask(2)).toEqual([1, 3, false]);
    expect(await ask(3)).toEqual([0, 3, false]);
    expect(await ask(0, ["view.failed"])).toEqual([0, 3, false]);
  });

  it("begins with the oldest it has for a cursor that it has not given yet: that is of a ledger before it", async () => {
    const page = async (after: number) =>
      ledgerPort(env.LEDGER).events({ after, sinceMs: null, names: null, limit: 2 });
    // Of a ledger that has nothing yet, it gives one from which nothing is left out.
    expect(await page(999)).toMatchObject({ value: { lines: [], cursor: 0, missed: 0 } });
    await deliver({ entries: browses(3) });
    expect(await page(4)).toEqual(await page(0));
    expect(await page(Number.MAX_SAFE_INTEGER)).toMatchObject({
      value: { cursor: 2, more: true, missed: 0 },
    });
    await sql("UPDATE events SET number = number + 50");
    expect(await page(54)).toMatchObject({ value: { cursor: 52, more: true, missed: 50 } });
  });

  it("counts for any cursor the events behind it that are gone, so that with those it gives none is unaccounted for", async () => {
    await deliver({ entries: browses(9) });
    await sql("DELETE FROM events WHERE number <= 4");
    for (let after = 0; after <= 9; after += 1) {
      const page = await ledgerPort(env.LEDGER).events({ after, sinceMs: null, names: null, limit: 1000 });
      if (!page.ok) throw new Error(page.reason.detail);
      const { lines, missed = 0 } = page.value;
      expect([after + missed + lines.length, missed]).toEqual([9, Math.max(0, 4 - after)]);
      // Whatever is asked for: nobody knows of what kind they were.
      const filter = { after, sinceMs: NOON_MS + 99, names: ["view.failed"], limit: 1 };
      expect(await ledgerPort(env.LEDGER).events(filter)).toMatchObject({ value: { lines: [], missed } });
    }
  });

  it("keeps the newest and lets the oldest go, whose numbers are never given again", async () => {
    await deliver({ entries: browses(1) });
    await sql(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS_KEPT_MAX_COUNT})
         INSERT INTO events (number, at_ms, name, line) SELECT i, i, 'browse.completed', '{}' FROM n`,
    );
    await deliver({ from: 2, entries: browses(3) });
    const { events } = await view();
    expect(events).toMatchObject({ kept: EVENTS_KEPT_MAX_COUNT, oldestMs: 4, newestMs: NOON_MS + 2 });
    const [row] = await sql("SELECT count(*) AS rows, max(number) AS newest FROM events");
    expect(row).toEqual({ rows: EVENTS_KEPT_MAX_COUNT, newest: EVENTS_KEPT_MAX_COUNT + 3 });
  });

  it.each([
    [{ limit: 0 }],
    [{ limit: 100_000 }],
    [{ after: -1 }],
    [{ names: Array.from({ length: 99 }, () => "x") }],
  ])("gives no events: %j", async (change) => {
    const request = { after: 0, sinceMs: null, names: null, limit: 1, ...change };
    expect((await ledgerPort(env.LEDGER).events(request)).ok).toBe(false);
  });
});
