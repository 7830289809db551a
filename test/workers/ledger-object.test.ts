import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { foldEntries, NO_ACCOUNTS } from "../../src/ledger/accounts.ts";
import {
  ENTRY_MAX_CHARS,
  LEDGER_REFRESHES_MAX_COUNT,
  LEDGER_SERVERS_MAX_COUNT,
  LEDGER_SILENCE_MAX_SECONDS,
} from "../../src/limits.ts";
import type { Receipt } from "../../src/outbox/delivery.ts";
import { readLedger, writeLedger } from "../../src/spine/telemetry/ledger-json.ts";
import {
  answered,
  anyEntry,
  browsed,
  entry,
  executed,
  NOON_MS,
  refreshed,
  unreachable,
} from "../ledger/entries.ts";
import { allEvents, deliver, evict, sql, stub, view } from "./ledger-client.ts";
import { recordLog } from "./recorded-log.ts";
import { freshStorage } from "./fresh-storage.ts";

const log = recordLog();

beforeEach(async () => {
  await freshStorage();
});

const taken = (last: number): Receipt => ({ version: 1, taken: true, last });
const gap = (expected: number): Receipt => ({ version: 1, taken: false, reason: "gap", expected });
const browses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => entry(browsed(NOON_MS + index)));

describe("a delivery", () => {
  it("counts for the gateway, its upstreams and its tools, keeps its events, and answers for its last number", async () => {
    const call = executed({ durationMs: 40 });
    const entries = [entry(call, [answered("github")]), entry(browsed(), [], refreshed())];
    expect(await deliver({ entries })).toEqual(taken(2));
    await evict();
    expect(await view("config-a")).toMatchObject({
      version: 1,
      gateway: { totals: { request_count: 2, success_count: 2 } },
      servers: [{ name: "github", ledger: { totals: { success_count: 1 } } }],
      tools: { hottest: [{ key: call.tool_id, request_count: 1, avg_latency_ms: 40 }] },
      refresh: { generation: 3 },
      events: {
        kept: 2,
        oldestMs: NOON_MS,
        newestMs: NOON_MS,
        counts: { "browse.completed": 1, "execute.completed": 1 },
      },
      ledger: { sources: 1, dropped: 0, unreadable: 0, refused: 0, restarted: 0, lost_at_ms: null },
    });
    expect((await view("config-b")).refresh).toBeNull();
    expect(await allEvents(10)).toEqual([JSON.stringify(call), JSON.stringify(browsed())]);
    expect(log.lines).toEqual([]);
  });

  it("counts once however often it comes, and of one that overlaps only what is new", async () => {
    const entries = browses(5);
    expect(await deliver({ entries: entries.slice(0, 3) })).toEqual(taken(3));
    expect(await deliver({ entries: entries.slice(0, 3) })).toEqual(taken(3));
    await evict();
    expect(await deliver({ from: 2, entries: entries.slice(1) })).toEqual(taken(5));
    expect(await deliver({ entries: entries.slice(0, 2) })).toEqual(taken(5));
    expect((await view()).gateway.totals.request_count).toBe(5);
    expect(await allEvents(2)).toHaveLength(5);
  });

  it("counts nothing after a gap and names the number that is missing", async () => {
    expect(await deliver({ from: 2, entries: browses(1) })).toEqual(gap(1));
    await deliver({ entries: browses(2) });
    expect(await deliver({ from: 4, entries: browses(1), dropped: 3 })).toEqual(gap(3));
    expect(await view()).toMatchObject({ events: { kept: 2 }, ledger: { dropped: 0 } });
  });

  it("goes on from what the source was answered for, where the ledger has lost it", async () => {
    expect(await deliver({ from: 8, acknowledged: 7, entries: browses(2) })).toEqual(taken(9));
    expect(await deliver({ from: 6, acknowledged: 9, entries: browses(4) })).toEqual(taken(9));
    expect(await deliver({ from: 11, acknowledged: 9, entries: browses(1) })).toEqual(gap(10));
    expect((await view()).events.kept).toBe(2);
  });

  it("tells sources apart, a second life of one outbox too", async () => {
    for (const source of ["p/e-1", "p/e-2", "__proto__"]) await deliver({ source, entries: browses(1) });
    expect(await view()).toMatchObject({ events: { kept: 3 }, ledger: { sources: 3 } });
  });

  it.each([
    ["no entries", { entries: [] }],
    ["a number below 1", { from: 0, entries: browses(1) }],
    ["numbers beyond what can be counted", { from: Number.MAX_SAFE_INTEGER, entries: browses(2) }],
    ["too many entries", { entries: browses(257) }],
    ["no source", { source: "", entries: browses(1) }],
    ["an entry that is too long", { entries: ["x".repeat(ENTRY_MAX_CHARS + 1)] }],
  ])("is refused with %s", async (_, change) => {
    expect(await deliver(change)).toEqual({ version: 1, taken: false, reason: "malformed" });
    expect(await view()).toMatchObject({ heard_at_ms: null, ledger: { sources: 0 } });
    expect(log.lines).toHaveLength(1);
  });

  it("counts what it cannot read, says so once without a word of it, and goes on behind it", async () => {
    const entries = [entry(browsed()), "a secret", '{"version":9}', entry(browsed())];
    expect(await deliver({ entries })).toEqual(taken(4));
    expect(await deliver({ entries })).toEqual(taken(4));
    expect(await view()).toMatchObject({ events: { kept: 2 }, ledger: { unreadable: 2 } });
    expect(log.lines).toEqual(["2 told entries are unreadable: malformed, not_json"]);
  });

  it("counts what its source dropped, once", async () => {
    await deliver({ entries: browses(1), dropped: 4 });
    await deliver({ entries: browses(1), dropped: 4 });
    expect((await view()).ledger).toMatchObject({ dropped: 4 });
    await deliver({ from: 2, entries: browses(1), dropped: 9 });
    // An older delivery that comes again knows less.
    await deliver({ entries: browses(1), dropped: 4 });
    await deliver({ from: 3, entries: browses(1), dropped: 9 });
    const { ledger, now_ms: nowMs } = await view();
    expect(ledger.dropped).toBe(9);
    expect(nowMs - (ledger.lost_at_ms ?? 0)).toBeLessThan(60_000);
  });

  it("is written whole or not at all", async () => {
    await deliver({ entries: browses(1) });
    const before = await view();
    await sql(
      "CREATE TRIGGER broken BEFORE INSERT ON sources BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END",
    );
    const entries = [entry(executed(), [answered("github")], refreshed()), entry(browsed())];
    await expect(deliver({ from: 2, entries, dropped: 1 })).rejects.toThrow("the disk is gone");
    const { events, gateway, servers, tools, refresh, ledger } = await view("config-a");
    expect({ events, gateway, servers, tools, refresh, ledger }).toEqual({
      events: before.events,
      gateway: before.gateway,
      servers: before.servers,
      tools: before.tools,
      refresh: before.refresh,
      ledger: before.ledger,
    });
    await sql("DROP TRIGGER broken");
    expect(await deliver({ from: 2, entries, dropped: 1 })).toEqual(taken(3));
    expect((await view()).events.kept).toBe(3);
  });
});

describe("any history of deliveries", () => {
  /** A source's entries, and the pieces in which they are sent: from anywhere, as often as one likes. */
  const anySource = fc.array(anyEntry, { minLength: 1, maxLength: 8 }).chain((entries) =>
    fc.record({
      entries: fc.constant(entries),
      pieces: fc.array(
        fc.record({
          from: fc.nat(entries.length - 1),
          size: fc.integer({ min: 1, max: entries.length }),
          dies: fc.boolean(),
        }),
        { maxLength: 6 },
      ),
    }),
  );

  it("counts every entry once, whatever is repeated, cut, refused and evicted, and in whatever order", async () => {
    const property = fc.asyncProperty(
      fc.array(anySource, { minLength: 1, maxLength: 3 }),
      async (sources) => {
        await freshStorage();
        const applied: string[][] = sources.map(() => []);
        const turns = sources.flatMap(({ entries, pieces }, index) =>
          [...pieces, { from: 0, size: entries.length, dies: true }].map(({ from, size, dies }, turn) => ({
            from,
            size,
            dies,
            index,
            entries,
            turn,
          })),
        );
        const receipts: Receipt[] = [];
        const expected: Receipt[] = [];
        for (const { index, entries, from, size, dies } of turns.sort(
          (left, right) => left.turn - right.turn,
        )) {
          const known = applied[index]?.length ?? 0;
          const piece = entries.slice(from, from + size);
          receipts.push(await deliver({ source: `s-${index}`, from: from + 1, entries: piece }));
          const last = from > known ? known : Math.max(known, from + piece.length);
          expected.push(from > known ? gap(known + 1) : taken(last));
          applied[index] = entries.slice(0, last);
          if (dies) await evict();
        }
        expect(receipts).toEqual(expected);
        const all = sources.flatMap(({ entries }) => entries);
        const { accounts, events } = foldEntries(NO_ACCOUNTS, all);
        const shown = await view();
        expect(shown.gateway.totals).toEqual(writeLedger(accounts.gateway).totals);
        for (const { name, ledger } of shown.servers) {
          const { totals } = writeLedger(accounts.servers.get(name) ?? NO_ACCOUNTS.gateway);
          expect(ledger.totals).toEqual(totals);
          expect(readLedger(ledger).ok).toBe(true);
        }
        expect(new Set(shown.servers.map(({ name }) => name))).toEqual(new Set(accounts.servers.keys()));
        expect(shown.tools.hottest).toHaveLength(accounts.hot.rows.size);
        expect((await allEvents(7)).sort()).toEqual(events.map(({ line }) => line).sort());
      },
    );
    await fc.assert(property, { numRuns: 12 });
  });
});

describe("what a delivery writes", () => {
  const changes = async (): Promise<number> => {
    const [row] = await sql("SELECT total_changes() AS changes");
    return Number(row?.["changes"]);
  };

  it("is a row an event, and one for each account, tool and counter that it changed", async () => {
    const tools = ["a:x@1#00000000", "a:y@1#00000000", "b:z@1#00000000"];
    const all = tools.map((tool) =>
      entry(executed({ tool }), [answered(tool.slice(0, 1)), unreachable("c")]),
    );
    await deliver({ entries: all });
    const before = await changes();
    // Two calls of one tool at one server: two events, the gateway, the server, the tool, the counter, the source.
    const call = entry(executed({ tool: "a:x@1#00000000" }), [answered("a")]);
    await deliver({ from: 4, entries: [call, call] });
    expect((await changes()) - before).toBe(7);
    await deliver({ from: 4, entries: [call, call] });
    expect((await changes()) - before).toBe(7);
    // A browse: the event, the gateway, the counter, the source.
    await deliver({ from: 6, entries: [entry(browsed())] });
    expect((await changes()) - before).toBe(11);
  });
});

describe("stored accounts that cannot be read", () => {
  it.each([
    ["the gateway's, of another version", `'{"format_version":2}'`, "kind = 'gateway'"],
    ["a server's, no JSON", "'{'", "kind = 'server' AND name = '\"github\"'"],
    [
      "a server's, counts that do not add up",
      `replace(ledger, '"request_count":1', '"request_count":0')`,
      "name = '\"github\"'",
    ],
  ])("begin anew, once, and leave the others: %s", async (_, value, where) => {
    const entries = [entry(executed(), [answered("github"), answered("other")])];
    await deliver({ entries });
    await sql(`UPDATE accounts SET ledger = ${value} WHERE ${where}`);
    await evict();
    expect(await deliver({ from: 2, entries: browses(1) })).toEqual(taken(2));
    await evict();
    const shown = await view();
    expect(shown.ledger.restarted).toBe(1);
    expect(shown.now_ms - (shown.ledger.lost_at_ms ?? 0)).toBeLessThan(60_000);
    expect(log.lines).toEqual(["1 account(s) of the ledger could not be read and begin anew"]);
    const isGateway = where.includes("gateway");
    expect(shown.gateway.totals.request_count).toBe(isGateway ? 1 : 2);
    expect(shown.servers.map(({ name }) => name)).toEqual(isGateway ? ["github", "other"] : ["other"]);
    expect(shown.events.kept).toBe(2);
  });

  it("does so with the tools'", async () => {
    await deliver({ entries: [entry(executed())] });
    await sql("UPDATE hot_tools SET errors = requests + 1");
    await evict();
    await deliver({ from: 2, entries: [entry(executed({ durationMs: 9 }))] });
    await evict();
    expect(await view()).toMatchObject({
      ledger: { restarted: 1, lost_at_ms: expect.any(Number) as unknown },
      tools: { hottest: [{ request_count: 1, avg_latency_ms: 9 }] },
      gateway: { totals: { request_count: 2 } },
    });
  });

  it("shows no refresh where its record cannot be read, and the next one", async () => {
    await deliver({ entries: [entry(browsed(), [], refreshed())] });
    await sql("UPDATE refreshes SET record = '{}'");
    expect((await view("config-a")).refresh).toBeNull();
    await deliver({ from: 2, entries: [entry(browsed(), [], refreshed({ generation: 4 }))] });
    expect((await view("config-a")).refresh).toMatchObject({ generation: 4 });
  });
});

describe("what does not end by itself", () => {
  const long = Date.now() - LEDGER_SILENCE_MAX_SECONDS * 1000 - 60_000;

  it("forgets a source that was silent for long, and counts nothing twice when it speaks again", async () => {
    await deliver({ source: "old", entries: browses(2), dropped: 5 });
    await sql(`UPDATE sources SET heard_at_ms = ${long}`);
    await evict();
    await deliver({ source: "new", entries: browses(1) });
    expect((await view()).ledger).toMatchObject({ sources: 1, dropped: 5 });
    const again = { source: "old", acknowledged: 2, dropped: 5 };
    expect(await deliver({ ...again, entries: browses(2) })).toEqual(taken(2));
    expect(await deliver({ ...again, from: 3, entries: browses(1) })).toEqual(taken(3));
    expect(await view()).toMatchObject({ events: { kept: 4 }, ledger: { sources: 2, dropped: 5 } });
  });

  it("forgets a server of which nobody spoke for as long, in memory too", async () => {
    await deliver({ entries: [entry(browsed(), [answered("old"), answered("\ud800"), answered("kept")])] });
    await sql(`UPDATE accounts SET counted_at_ms = ${long} WHERE name <> '"kept"'`);
    await evict();
    await deliver({ from: 2, entries: browses(1) });
    expect((await view()).servers.map(({ name }) => name)).toEqual(["kept"]);
    await evict();
    expect((await view()).servers.map(({ name }) => name)).toEqual(["kept"]);
    expect((await view()).gateway.totals.request_count).toBe(2);
  });

  it("keeps of too many servers those of which was spoken last", async () => {
    const names = Array.from({ length: LEDGER_SERVERS_MAX_COUNT + 8 }, (_, index) => `server-${index}`);
    const half = LEDGER_SERVERS_MAX_COUNT / 2;
    const told = (part: readonly string[]) => part.map((name) => entry(browsed(), [answered(name)]));
    await deliver({ entries: told(names.slice(0, half)) });
    await sql(`UPDATE accounts SET counted_at_ms = 1 WHERE kind = 'server'`);
    await deliver({ from: half + 1, entries: told(names.slice(half, 2 * half)) });
    await deliver({ from: 2 * half + 1, entries: told(names.slice(2 * half)) });
    const shown = (await view()).servers.map(({ name }) => name);
    expect(shown).toHaveLength(LEDGER_SERVERS_MAX_COUNT);
    for (const name of names.slice(half)) expect(shown).toContain(name);
    await evict();
    expect(new Set((await view()).servers.map(({ name }) => name))).toEqual(new Set(shown));
  });

  it("keeps the refreshes of as many configurations as there may be, those that were told of last", async () => {
    const configs = Array.from({ length: LEDGER_REFRESHES_MAX_COUNT + 2 }, (_, index) => `config-${index}`);
    await deliver({
      entries: configs.map((config, index) =>
        entry(browsed(), [], refreshed({ config, refreshed_at_ms: NOON_MS + index })),
      ),
    });
    const shown = await Promise.all(configs.map(async (config) => (await view(config)).refresh?.generation));
    expect(shown).toEqual([undefined, undefined, ...configs.slice(2).map(() => 3)]);
  });

  it("takes a refresh that was told last for the newest, however far a clock was set back", async () => {
    const configs = Array.from({ length: LEDGER_REFRESHES_MAX_COUNT }, (_, index) => `config-${index}`);
    const told = (config: string, at: number, generation: number) =>
      entry(browsed(), [], refreshed({ config, generation, refreshed_at_ms: NOON_MS + at }));
    await deliver({ entries: configs.map((config, index) => told(config, index, 3)) });
    // Of a configuration that is known, and of one for which another has to go.
    const back = [told("config-0", -3_600_000, 9), told("late", -7_200_000, 9)];
    await deliver({ from: configs.length + 1, entries: back });
    const shown = await Promise.all(
      [...configs, "late"].map(async (config) => (await view(config)).refresh?.generation),
    );
    expect(shown).toEqual([9, undefined, ...configs.slice(2).map(() => 3), 9]);
    expect((await view("late")).refresh?.refreshed_at_ms).toBe(NOON_MS - 7_200_000);
  });
});

describe("questions that are none", () => {
  it.each([[{ version: 2, config: null }], [{ version: 1, config: "x".repeat(129) }], [{}], [null]])(
    "reads nothing: %j",
    async (request) => {
      const read: unknown = Reflect.get(stub(), "read");
      if (typeof read !== "function") throw new Error("no method");
      expect(await Reflect.apply(read, stub(), [request])).toEqual({ version: 1, refused: "malformed" });
    },
  );
});
