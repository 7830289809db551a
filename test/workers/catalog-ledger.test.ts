import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { catalogObjectPort } from "../../src/catalog/reader/catalogs-store.ts";
import { RefreshingCatalog } from "../../src/catalog/refresh/catalog-object.ts";
import { listedEntry } from "../../src/catalog/refresh/listed-entry.ts";
import { OUTBOX_DELIVERY_WAIT_MS, OUTBOX_SHIP_DELAY_MS } from "../../src/limits.ts";
import { LEDGER_OBJECT_NAME, type Delivery, type LedgerDoor } from "../../src/outbox/delivery.ts";
import { type LedgerEntry, readEntry } from "../../src/outbox/entry.ts";
import { ok } from "../../src/result.ts";
import { tool } from "../support/catalog/rig.ts";
import { recordLog } from "./recorded-log.ts";
import { stubUpstreams } from "./upstreams.ts";
import { eventually } from "./patience.ts";
import { freshStorage } from "./fresh-storage.ts";
import { vocabulary } from "./vocabulary.ts";

const upstreams = stubUpstreams();
const logged = recordLog();

afterEach(async () => {
  upstreams.reset();
  await freshStorage();
});

const stub = () => env.CATALOGS.getByName("catalog-1");
const configOf = (...names: string[]) =>
  JSON.stringify({
    mcpServers: Object.fromEntries(names.map((name) => [name, { url: `https://${name}.example.com/mcp` }])),
  });

function entriesOf(texts: readonly string[]): LedgerEntry[] {
  return texts.map((text) => {
    const entry = readEntry(text);
    if (!entry.ok) throw new Error(entry.reason);
    return entry.value;
  });
}

/** A ledger that takes what it is told, or does whatever it is told to do instead. */
class FakeLedger implements LedgerDoor {
  readonly deliveries: Delivery[] = [];
  answer: ((delivery: Delivery) => ReturnType<LedgerDoor["deliver"]>) | undefined;

  async deliver(delivery: Delivery) {
    this.deliveries.push(delivery);
    if (this.answer !== undefined) return this.answer(delivery);
    return { version: 1, taken: true, last: delivery.from + delivery.entries.length - 1 } as const;
  }

  get told() {
    return this.deliveries.map(({ from, entries }) => [from, entries.length]);
  }
}

/** The object over real SQLite with another ledger, in one life after another. */
const withLedger = (
  ledger: LedgerDoor,
  test: (object: () => RefreshingCatalog, state: DurableObjectState) => Promise<void>,
) =>
  runInDurableObject(stub(), async (_, state) => {
    const ports = {
      kv: env.CATALOG,
      ownConfigText: configOf("one"),
      neighbours: { version: () => Promise.resolve("none"), load: () => Promise.resolve(undefined) },
      vocabulary,
      list: async () => ({ tools: ok([listedEntry(tool("a"))]) }),
      ledger,
    };
    await test(() => new RefreshingCatalog(state, env, ports), state);
  });

/** Waits for what happens behind an answer; a fake clock stands still meanwhile. */
async function until(happened: () => Promise<boolean>): Promise<void> {
  while (!(await happened())) await new Promise((resolve) => setTimeout(resolve, 1));
}

const request = (...names: string[]) =>
  ({ version: 1, reason: "operator", config: configOf(...names) }) as const;

describe("a refresh told to the ledger", () => {
  it("arrives there by itself, with each server's account and what the operator's status shows", async () => {
    upstreams.tools("told", [tool("a")]);
    upstreams.fails("down", () => new Response("secret words of the server", { status: 500 }));
    const answer = await catalogObjectPort(env.CATALOGS).refresh("operator", configOf("told", "down"));
    const hash = answer.ok ? answer.value.hash : undefined;
    await eventually(async () => {
      const rows = await runInDurableObject(stub(), (_, state) =>
        state.storage.sql.exec("SELECT acknowledged FROM outbox_source").toArray(),
      );
      expect(rows).toEqual([{ acknowledged: 1 }]);
    });
    const [row] = await runInDurableObject(stub(), (_, state) =>
      state.storage.sql.exec("SELECT entry FROM outbox").toArray(),
    );
    const text = typeof row?.["entry"] === "string" ? row["entry"] : "";
    expect(text).not.toContain("secret");
    const [entry] = entriesOf([text]);
    expect(entry).toMatchObject({
      event: { event: "catalog.loaded", success: true, attributes: { tool_count: 1, trigger: "operator" } },
      upstreams: [
        { server: "told", operations: [{ record: "request" }, { record: "success" }] },
        {
          server: "down",
          operations: [
            { record: "request" },
            {
              record: "recovery_fault",
              fault: {
                class: "downstream",
                code: "http_status_500",
                detail: "the upstream server answered with HTTP status 500",
              },
            },
            { record: "error", error: "http_status_500" },
          ],
        },
      ],
      refresh: { generation: 1, hash, tools: 1, interval_s: 300, servers: [{}, { status: "failed" }] },
    });
    const read = await env.LEDGER.getByName(LEDGER_OBJECT_NAME).read({
      version: 1,
      config: entry?.refresh?.config ?? null,
    });
    expect(read).toMatchObject({ refresh: { generation: 1, hash } });
  });

  it("has nothing in a server's account that was never asked", async () => {
    const config = JSON.stringify({
      mcpServers: {
        unset: { url: "https://unset.example.com/mcp", headers: { A: "${env:NOT_SET_ANYWHERE}" } },
      },
    });
    await catalogObjectPort(env.CATALOGS).refresh("operator", config);
    const rows = await runInDurableObject(stub(), (_, state) =>
      state.storage.sql.exec("SELECT entry FROM outbox").toArray(),
    );
    const [entry] = entriesOf(rows.map(({ entry: text }) => (typeof text === "string" ? text : "")));
    expect(entry).toMatchObject({
      upstreams: [],
      refresh: { servers: [{ name: "unset", status: "failed" }] },
    });
  });

  it("says what made it run", async () => {
    const ledger = new FakeLedger();
    await withLedger(ledger, async (object, state) => {
      const life = object();
      await life.refresh({ ...request("one"), reason: "first_use" });
      await life.refresh(request("one"));
      // Until then the alarm is set for what the ledger has not answered for.
      await until(async () => ((await state.storage.getAlarm()) ?? 0) > Date.now() + 60_000);
      await life.alarm();
    });
    const entries = entriesOf(ledger.deliveries.flatMap((delivery) => delivery.entries));
    expect(entries.map(({ event }) => [event.event, event.attributes])).toMatchObject([
      ["catalog.loaded", { trigger: "first_use" }],
      ["catalog.refresh", { trigger: "operator", changed: false }],
      ["catalog.refresh", { trigger: "interval", changed: false }],
    ]);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(3);
  });

  it("by an alarm is delivered before the alarm ends", async () => {
    await runInDurableObject(stub(), (_, state) => state.storage.setAlarm(Date.now() + 60_000));
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    const rows = await runInDurableObject(stub(), (_, state) =>
      state.storage.sql.exec("SELECT acknowledged FROM outbox_source").toArray(),
    );
    expect(rows).toEqual([{ acknowledged: 1 }]);
  });
});

describe("what a failed delivery leaves", () => {
  const DAY_MS = 86_400_000;
  /** Far ahead, so that the platform's own clock sets off no alarm. */
  const START_MS = Date.now() + 365 * DAY_MS;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  /** An object with a day between refreshes, which loses its memory before each alarm and each request. */
  async function withDays(
    ledger: FakeLedger,
    test: (rig: {
      refresh: () => Promise<unknown>;
      alarmMs: () => Promise<number | null>;
      /** Waits for the alarm that is set, and gives the time since the start at which it went off. */
      ring: () => Promise<number>;
      listings: () => number;
    }) => Promise<void>,
  ): Promise<void> {
    const config = JSON.stringify({
      mcpServers: { one: { url: "https://one.example.com/mcp" } },
      gateway: { refresh_interval_s: DAY_MS / 1000 },
    });
    let listings = 0;
    await runInDurableObject(stub(), async (_, state) => {
      const life = () =>
        new RefreshingCatalog(state, env, {
          kv: env.CATALOG,
          ownConfigText: config,
          neighbours: { version: () => Promise.resolve("none"), load: () => Promise.resolve(undefined) },
          vocabulary,
          list: async () => {
            listings += 1;
            return { tools: ok([listedEntry(tool("a"))]) };
          },
          ledger,
        });
      const alarmMs = async () => {
        const at = await state.storage.getAlarm();
        return at === null ? null : at - START_MS;
      };
      await test({
        refresh: () => life().refresh({ version: 1, reason: "operator", config }),
        alarmMs,
        ring: async () => {
          const at = await alarmMs();
          if (at === null) throw new Error("no alarm is set");
          vi.setSystemTime(START_MS + at);
          await state.storage.deleteAlarm();
          await life().alarm();
          return at;
        },
        listings: () => listings,
      });
    });
  }
  const away = () => Promise.reject(new Error("the ledger is away"));

  it("is delivered by alarms of its own, seconds later and then less and less often, and no server is listed for it", () => {
    const ledger = new FakeLedger();
    ledger.answer = away;
    return withDays(ledger, async ({ refresh, alarmMs, ring, listings }) => {
      await refresh();
      await until(async () => (await alarmMs()) === OUTBOX_SHIP_DELAY_MS);
      const rung: number[] = [];
      for (let count = 0; count < 10; count += 1) rung.push(await ring());
      const waits = rung.slice(1).map((at, index) => (at - (rung[index] ?? 0)) / 1000);
      expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
      ledger.answer = undefined;
      await ring();
      expect(ledger.deliveries.at(-1)).toMatchObject({ from: 1, entries: { length: 1 } });
      expect([listings(), await alarmMs()]).toEqual([1, DAY_MS]);
      expect(await ring()).toBe(DAY_MS);
      expect([listings(), await alarmMs()]).toEqual([2, 2 * DAY_MS]);
    });
  });

  it("takes no refresh's place, however long the ledger is away", () => {
    const ledger = new FakeLedger();
    ledger.answer = away;
    return withDays(ledger, async ({ refresh, ring, listings }) => {
      await refresh();
      let count = 0;
      while ((await ring()) < DAY_MS) count += 1;
      expect(listings()).toBe(2);
      expect(count).toBeLessThan(200);
      for (;;) if ((await ring()) >= 2 * DAY_MS) break;
      expect(listings()).toBe(3);
    });
  });

  it("is not forgotten where the object dies before the ledger has answered", () => {
    const ledger = new FakeLedger();
    ledger.answer = () => new Promise(() => undefined);
    return withDays(ledger, async ({ refresh, alarmMs, ring, listings }) => {
      await refresh();
      expect(await alarmMs()).toBe(OUTBOX_DELIVERY_WAIT_MS + OUTBOX_SHIP_DELAY_MS);
      ledger.answer = undefined;
      await ring();
      expect(ledger.told).toEqual([
        [1, 1],
        [1, 1],
      ]);
      expect([listings(), await alarmMs()]).toEqual([1, DAY_MS]);
    });
  });

  it("goes with the next refresh, which its own alarm does not put off", () => {
    const ledger = new FakeLedger();
    ledger.answer = away;
    return withDays(ledger, async ({ refresh, alarmMs, ring, listings }) => {
      await refresh();
      await ring();
      vi.setSystemTime(START_MS + DAY_MS / 2);
      ledger.answer = undefined;
      await refresh();
      await until(async () => (await alarmMs()) === DAY_MS);
      expect(ledger.deliveries.at(-1)).toMatchObject({ from: 1, entries: { length: 2 } });
      expect(listings()).toBe(2);
    });
  });

  it("is nothing where the ledger answers: the alarm is the refresh's", () => {
    const ledger = new FakeLedger();
    return withDays(ledger, async ({ refresh, alarmMs }) => {
      await refresh();
      await until(async () => (await alarmMs()) === DAY_MS);
      expect([ledger.told, logged.lines]).toEqual([[[1, 1]], []]);
    });
  });
});

describe("a refresh while the ledger", () => {
  it("hangs is answered all the same, and is told after the next one", async () => {
    const ledger = new FakeLedger();
    let hangs = true;
    ledger.answer = (delivery) =>
      hangs
        ? new Promise(() => undefined)
        : Promise.resolve({ version: 1, taken: true, last: delivery.from + delivery.entries.length - 1 });
    await withLedger(ledger, async (object, state) => {
      const life = object();
      // Neither waits for a delivery that will never be answered.
      expect(await life.refresh(request("one"))).toMatchObject({ changed: true, pointer: { generation: 1 } });
      expect(await life.refresh(request("one"))).toMatchObject({ changed: false });
      expect(ledger.told).toEqual([[1, 1]]);
      hangs = false;
      // The next life begins where nothing was acknowledged.
      await object().refresh(request("one"));
      await eventually(() => {
        expect(state.storage.sql.exec("SELECT acknowledged FROM outbox_source").one()).toEqual({
          acknowledged: 3,
        });
      });
      expect(ledger.told).toEqual([
        [1, 1],
        [1, 3],
      ]);
    });
    expect(logged.lines).toEqual([]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("the ledger is away"))],
    [
      "throws at once",
      () => {
        throw new Error("the ledger is away");
      },
    ],
    [
      "refuses what it is told",
      () => Promise.resolve({ version: 1, taken: false, reason: "malformed" } as const),
    ],
  ])("%s is answered, logs it, and tells all of it after the next", async (_, answer) => {
    const ledger = new FakeLedger();
    ledger.answer = answer;
    await withLedger(ledger, async (object, state) => {
      const life = object();
      for (let run = 0; run < 3; run += 1)
        expect(await life.refresh(request("one"))).toMatchObject({
          pointer: { generation: 1 },
          servers: [{ status: "ok" }],
        });
      await eventually(() => {
        expect(logged.lines.length).toBeGreaterThan(0);
      });
      ledger.answer = undefined;
      await life.refresh(request("one"));
      await eventually(() => {
        expect(state.storage.sql.exec("SELECT acknowledged FROM outbox_source").one()).toEqual({
          acknowledged: 4,
        });
      });
    });
    expect(ledger.deliveries.every(({ from }) => from === 1)).toBe(true);
    expect(logged.lines.every((line) => line.includes("ledger"))).toBe(true);
  });

  it("had no answer before an eviction is told of it after", async () => {
    upstreams.tools("evicted", [tool("a")]);
    const object = catalogObjectPort(env.CATALOGS);
    await object.refresh("operator", configOf("evicted"));
    await abortAllDurableObjects();
    await object.refresh("operator", configOf("evicted"));
    await eventually(async () => {
      const rows = await runInDurableObject(stub(), (_, state) =>
        state.storage.sql.exec("SELECT acknowledged, dropped FROM outbox_source").toArray(),
      );
      expect(rows).toEqual([{ acknowledged: 2, dropped: 0 }]);
    });
  });
});
