import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  DELIVERY_ENTRIES_MAX_COUNT,
  ENTRY_MAX_CHARS,
  OUTBOX_DELIVERIES_PER_RUN_COUNT,
  OUTBOX_DELIVERY_WAIT_MS,
  OUTBOX_REMEMBERED_MS,
  OUTBOX_SHIP_DELAY_MAX_MS,
  OUTBOX_SHIP_DELAY_MS,
} from "../../src/limits.ts";
import type { LedgerDoor } from "../../src/outbox/delivery.ts";
import { browsed, executed, textOf } from "../outbox/entry-kit.ts";
import { FOUL, LedgerModel, type Weather } from "../outbox/ledger-model.ts";
import { completed, write } from "./journal-client.ts";
import { farAheadClock } from "./far-ahead.ts";
import { alarmOf, outboxOf, withDoor } from "./ledger-seam.ts";
import { evictedPrincipal, sql, stubOf, withTablesOf } from "./principal-client.ts";
import { recordLog } from "./recorded-log.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { startMs: START_MS, at, since } = farAheadClock();
const logged = recordLog();
let ledger = new LedgerModel();

beforeEach(() => {
  ledger = new LedgerModel();
});

const told = (...keys: string[]) => ({ told: keys.map((key) => textOf(browsed(key))) });
const session = (key: string, expiresInMs = DAY_MS) => ({
  session: { key, expiresAtMs: START_MS + expiresInMs, intent: "open" as const },
});

/** The alarm of an object that has lost its memory. */
async function alarm(door: LedgerDoor = ledger): Promise<boolean> {
  await abortAllDurableObjects();
  await withDoor("ada", door);
  return runDurableObjectAlarm(stubOf("ada"));
}

/** One life of the object, from here to the next call of `evictedPrincipal`. */
async function oneLife() {
  await withDoor("ada", ledger);
  const stub = stubOf("ada");
  return {
    settle: async (...keys: string[]) => stub.settle({ version: 1, ...told(...keys) }),
    admit: async (key: string, expiresInMs = DAY_MS) =>
      stub.admit({ version: 1, tokenId: "token", ...session(key, expiresInMs) }),
    alarm: async () => runDurableObjectAlarm(stub),
  };
}

describe("what a call tells", () => {
  it("is kept with the rest of its report, shipped seconds later, remembered a while and then gone with the object", async () => {
    const ada = evictedPrincipal("ada");
    expect(await ada.settle(told("a", "b"))).toMatchObject({ accepted: true });
    expect(since(await alarmOf("ada"))).toBe(OUTBOX_SHIP_DELAY_MS);
    at(1000);
    await ada.settle(told("c"));
    expect(since(await alarmOf("ada"))).toBe(OUTBOX_SHIP_DELAY_MS);
    at(OUTBOX_SHIP_DELAY_MS);
    await alarm();
    expect(ledger.counted).toEqual(["a", "b", "c"]);
    expect((await outboxOf("ada")).length).toBe(3);
    expect(since(await alarmOf("ada"))).toBe(OUTBOX_SHIP_DELAY_MS + HOUR_MS);
    at(OUTBOX_SHIP_DELAY_MS + HOUR_MS);
    await alarm();
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
    expect(await alarmOf("ada")).toBeNull();
    expect(ledger.deliveries.length).toBe(1);
  });

  it("comes from another source when the object begins anew", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle(told("a"));
    await alarm();
    at(2 * HOUR_MS);
    await alarm();
    await ada.settle(told("b"));
    await alarm();
    expect(ledger.counted).toEqual(["a", "b"]);
    expect(ledger.deliveries.map(({ from, acknowledged }) => [from, acknowledged])).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(new Set(ledger.deliveries.map(({ source }) => source)).size).toBe(2);
  });

  it("counts once, however often it is reported, before and after it was shipped", async () => {
    const ada = evictedPrincipal("ada");
    for (const passedMs of [0, 1000, 6000]) {
      at(passedMs);
      await ada.settle(told("a"));
    }
    await alarm();
    at(OUTBOX_REMEMBERED_MS - 1);
    await alarm();
    await ada.settle(told("a", "b"));
    await alarm();
    expect(ledger.counted).toEqual(["a", "b"]);
  });

  it("changes nothing else of the report where it cannot be read, and is no line of the log", async () => {
    const ada = evictedPrincipal("ada");
    const unreadable = ["", "{}", `{"secret":"hunter2"}`, "x".repeat(ENTRY_MAX_CHARS + 1)];
    const opened = [{ key: "u1", sessionId: "s1", protocolVersion: "" }];
    const settlement = await ada.settle({ told: unreadable, opened });
    expect(settlement).toMatchObject({ accepted: true });
    expect(await ada.admit({ upstreams: ["u1"] })).toMatchObject({ upstreamSessions: opened });
    expect(logged.lines.length).toBe(unreadable.length);
    expect(logged.lines.join()).not.toContain("hunter2");
    expect(await outboxOf("ada")).toEqual([]);
    await alarm();
    expect(ledger.deliveries).toEqual([]);
  });

  it("stores nothing in an object that has nothing where it cannot be read", async () => {
    const settlement = await evictedPrincipal("ada").settle({ told: ["", "{}"] });
    expect(settlement).toEqual({ version: 1, accepted: true, rowsWritten: 0 });
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
  });

  it("is bounded: a report that tells more is none", async () => {
    expect(await evictedPrincipal("ada").settle(told("a", "b", "c", "d", "e"))).toMatchObject({
      accepted: false,
    });
  });

  it("comes with the next report to an object that an older version wrote", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(session("s1"));
    await withTablesOf("ada", 4);
    await alarm();
    await ada.settle(told("a"));
    await alarm();
    expect(ledger.counted).toEqual(["a"]);
  });
});

describe("the one alarm", () => {
  it("ships without sweeping, and sweeps when that is due", async () => {
    const ada = await oneLife();
    await ada.admit("s1");
    await ada.settle("a");
    // The first one knows when the sweep is due, since this life set the alarm.
    await sql("ada", "UPDATE sessions SET expires_at_ms = 1");
    at(OUTBOX_SHIP_DELAY_MS);
    await ada.alarm();
    expect(ledger.counted).toEqual(["a"]);
    expect(await sql("ada", "SELECT key FROM sessions")).toEqual([{ key: "s1" }]);
    expect(since(await alarmOf("ada"))).toBe(HOUR_MS);
    at(HOUR_MS);
    await ada.alarm();
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name = 'sessions'")).toEqual([]);
  });

  it("knows a sweep's time from the alarm that is set when it wakes up", async () => {
    await evictedPrincipal("ada").admit(session("s1"));
    await abortAllDurableObjects();
    const ada = await oneLife();
    await ada.settle("a");
    expect(since(await alarmOf("ada"))).toBe(OUTBOX_SHIP_DELAY_MS);
    await sql("ada", "UPDATE sessions SET expires_at_ms = 1");
    await ada.alarm();
    expect(await sql("ada", "SELECT key FROM sessions")).toEqual([{ key: "s1" }]);
    expect(since(await alarmOf("ada"))).toBe(HOUR_MS);
  });

  it("sweeps at once where nobody knows when that is due", async () => {
    await evictedPrincipal("ada").admit(session("s1"));
    await evictedPrincipal("ada").settle(told("a"));
    await sql("ada", "UPDATE sessions SET expires_at_ms = 1");
    await alarm();
    expect(ledger.counted).toEqual(["a"]);
    expect(await sql("ada", "SELECT key FROM sessions")).toEqual([]);
  });

  it("never deletes what waits, whatever has expired, and deletes the object when that is delivered", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(session("s1", 1000));
    await ada.settle(told("a"));
    for (const passedMs of [HOUR_MS, 2 * HOUR_MS, 30 * DAY_MS]) {
      at(passedMs);
      ledger.weather = ["overloaded"];
      await alarm();
    }
    expect(await sql("ada", "SELECT key FROM sessions")).toEqual([]);
    expect((await outboxOf("ada")).map(({ key }) => key)).toEqual(["a"]);
    await alarm();
    expect(ledger.counted).toEqual(["a"]);
    at(31 * DAY_MS);
    await alarm();
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name = 'outbox'")).toEqual([]);
  });

  it("tries again after 5 seconds, then after twice as long each time, up to ten minutes, across evictions", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle(told("a"));
    const waits: number[] = [];
    for (let next = await alarmOf("ada"), count = 0; next !== null && count < 11; count += 1) {
      const nowMs = next;
      vi.setSystemTime(nowMs);
      ledger.weather = ["retryable"];
      await alarm();
      next = await alarmOf("ada");
      waits.push((next ?? 0) - nowMs);
    }
    expect(waits).toEqual([
      ...[5, 10, 20, 40, 80, 160, 320].map((seconds) => seconds * 1000),
      ...Array.from({ length: 4 }, () => OUTBOX_SHIP_DELAY_MAX_MS),
    ]);
    await alarm();
    expect(ledger.counted).toEqual(["a"]);
  });

  it("is not hurried by what is told while the ledger is away", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle(told("a"));
    at(HOUR_MS);
    ledger.weather = ["overloaded"];
    await alarm();
    const next = HOUR_MS + OUTBOX_SHIP_DELAY_MAX_MS;
    expect(since(await alarmOf("ada"))).toBe(next);
    await ada.settle(told("b"));
    await ada.admit(session("s1"));
    expect(since(await alarmOf("ada"))).toBe(next);
    await alarm();
    expect(ledger.counted).toEqual(["a", "b"]);
  });

  it.each(FOUL)(
    "never throws, and loses nothing and counts nothing twice where the ledger answers with %s",
    async (foul) => {
      const ada = evictedPrincipal("ada");
      await ada.settle(told("a", "b"));
      const weather: Weather[] = [foul, "clear"];
      ledger.weather = weather;
      expect(await alarm()).toBe(true);
      await ada.settle(told("b", "c"));
      expect(await alarm()).toBe(true);
      expect(await alarm()).toBe(true);
      expect(ledger.counted).toEqual(["a", "b", "c"]);
      expect(ledger.weather).toEqual([]);
      expect(logged.lines.length).toBe(1);
      expect(logged.lines[0]).toContain("a principal's outbox: the ledger ");
    },
  );

  it("does without a ledger that is not bound", async () => {
    await evictedPrincipal("ada").settle(told("a"));
    await abortAllDurableObjects();
    await runInDurableObject(stubOf("ada"), (instance) => {
      Reflect.set(instance, "env", {});
    });
    expect(await runDurableObjectAlarm(stubOf("ada"))).toBe(true);
    expect(since(await alarmOf("ada"))).toBe(OUTBOX_SHIP_DELAY_MS);
    await alarm();
    expect(ledger.counted).toEqual(["a"]);
  });

  it("is given back by a ledger that hangs, and delivers again what that may have taken", async () => {
    await evictedPrincipal("ada").settle(told("a"));
    await abortAllDurableObjects();
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: START_MS });
    const next = await runInDurableObject(stubOf("ada"), async (instance, state) => {
      const asked = new Promise<void>((resolve) => {
        const hanging: LedgerDoor = {
          deliver: async (delivery) => {
            await ledger.deliver(delivery);
            resolve();
            return new Promise(() => {});
          },
        };
        Reflect.set(instance, "env", { LEDGER: { getByName: () => hanging } });
      });
      const ended = instance.alarm();
      await asked;
      await vi.advanceTimersByTimeAsync(OUTBOX_DELIVERY_WAIT_MS);
      await ended;
      return state.storage.getAlarm();
    });
    expect(since(next)).toBe(OUTBOX_DELIVERY_WAIT_MS + OUTBOX_DELIVERY_WAIT_MS);
    vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
    await alarm();
    expect(ledger.deliveries.length).toBe(2);
    expect(ledger.counted).toEqual(["a"]);
  });

  it("goes on at once where one run was not enough", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle(told("a"));
    await sql(
      "ada",
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n
         WHERE i <= ${DELIVERY_ENTRIES_MAX_COUNT * OUTBOX_DELIVERIES_PER_RUN_COUNT})
       INSERT INTO outbox (seq, key, entry, written_at_ms) SELECT i, 'k' || i, '', ${START_MS} FROM n`,
    );
    await alarm();
    expect(ledger.counted.length).toBe(DELIVERY_ENTRIES_MAX_COUNT * OUTBOX_DELIVERIES_PER_RUN_COUNT);
    expect(since(await alarmOf("ada"))).toBe(0);
    await alarm();
    expect(ledger.counted.length).toBe(DELIVERY_ENTRIES_MAX_COUNT * OUTBOX_DELIVERIES_PER_RUN_COUNT + 1);
  });

  it("takes along what is told while it delivers", async () => {
    await (await oneLife()).settle("a");
    await runInDurableObject(stubOf("ada"), async (instance) => {
      const late = ["b"];
      const door: LedgerDoor = {
        deliver: async (delivery) => {
          await instance.settle({ version: 1, ...told(...late.splice(0)) });
          return ledger.deliver(delivery);
        },
      };
      Reflect.set(instance, "env", { LEDGER: { getByName: () => door } });
    });
    await runDurableObjectAlarm(stubOf("ada"));
    expect(ledger.counted).toEqual(["a", "b"]);
    expect(ledger.deliveries.length).toBe(2);
    expect(since(await alarmOf("ada"))).toBe(HOUR_MS);
  });

  it("comes again where the platform lost it, with the next call of any kind", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle(told("a"));
    await runInDurableObject(stubOf("ada"), (_, state) => state.storage.deleteAlarm());
    at(HOUR_MS);
    expect(await ada.admit({})).toMatchObject({ admitted: true, rowsWritten: 1 });
    expect(since(await alarmOf("ada"))).toBe(HOUR_MS + OUTBOX_SHIP_DELAY_MS);
  });

  it("loses nothing where the object is gone in the middle of a delivery, before and after the ledger has counted", async () => {
    const ada = evictedPrincipal("ada");
    for (const counts of [false, true]) {
      await ada.settle(told(`a${counts}`, `b${counts}`));
      await abortAllDurableObjects();
      await withDoor("ada", {
        deliver: async (delivery) => {
          if (counts) await ledger.deliver(delivery);
          await abortAllDurableObjects();
          return ledger.deliver(delivery);
        },
      });
      await runDurableObjectAlarm(stubOf("ada")).catch(() => false);
      await ada.settle(told(`c${counts}`));
      await alarm();
      await alarm();
    }
    expect(ledger.counted).toEqual(["afalse", "bfalse", "cfalse", "atrue", "btrue", "ctrue"]);
  });
});

describe("what telling costs", () => {
  it("is a row for an entry, and the alarm's for the first; none for a repetition, and an alarm is no call's", async () => {
    const ada = await oneLife();
    await ada.admit("s1");
    const cost = async (...keys: string[]) => (await ada.settle(...keys)).rowsWritten;
    // The source's row, once in the object's life; the entry's, and the alarm's.
    expect(await cost("a")).toBe(3);
    expect(await cost("b")).toBe(1);
    expect(await cost("b")).toBe(0);
    await ada.alarm();
    expect(await cost("b")).toBe(0);
    expect(await cost("c")).toBe(2);
  });

  it("is the attempt's journal row with its report, once", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle(told("x"));
    const first = write();
    await ada.admit(first);
    const report = { ...completed(first), told: [textOf(executed(first.attempt ?? ""))] };
    expect((await ada.settle(report)).rowsWritten).toBe(2);
    expect((await ada.settle(report)).rowsWritten).toBe(0);
  });
});
