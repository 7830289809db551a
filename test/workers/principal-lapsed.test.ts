import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import {
  FLIGHTS_MAX_COUNT,
  JOURNAL_LAPSE_DELAY_MS,
  JOURNAL_ROWS_MAX_COUNT,
  OUTBOX_REMEMBERED_MS,
  OUTBOX_SHIP_DELAY_MAX_MS,
  OUTBOX_SHIP_DELAY_MS,
} from "../../src/limits.ts";
import { executed, textOf } from "../outbox/entry-kit.ts";
import { completed, flying, LEASE_MS, lost, told, unsent, whose, write } from "./journal-client.ts";
import { idlePrincipal } from "./idle-principal.ts";
import { farAheadClock } from "./far-ahead.ts";
import { alarmOf, outboxOf, withDoor } from "./ledger-seam.ts";
import { evictedPrincipal, sql, stubOf, withTablesOf } from "./principal-client.ts";
import type { Ask } from "./principal-client.ts";
import { recordLog } from "./recorded-log.ts";

const DAY_MS = 86_400_000;
const { startMs: START_MS, at } = farAheadClock();
recordLog();
const life = idlePrincipal("ada", START_MS);
const { alarm, idleUntil } = life;

const nameOf = ({ attempt }: Ask) => attempt ?? "";
const tells = (call: Ask) => ({ told: [textOf(executed(nameOf(call)))] });

describe.each([
  ["with a name", "k"],
  ["without a name", null],
])("a call %s that nobody reports on", (_, idempotencyKey) => {
  const call = () => write({ ...whose, idempotencyKey });

  it("is told by its principal's object, once, at the first alarm after its lease", async () => {
    const ada = evictedPrincipal("ada");
    const first = call();
    await ada.admit(first);
    at(LEASE_MS - 1);
    await alarm();
    expect(life.ledger.counted).toEqual([]);
    at(LEASE_MS + 300);
    await alarm();
    expect(life.ledger.counted).toEqual([nameOf(first)]);
    expect(await outboxOf("ada")).toMatchObject([
      {
        key: nameOf(first),
        event: {
          event: "execute.failed",
          timestamp: START_MS + LEASE_MS + 300,
          tool_id: whose.toolId,
          namespace: "files",
          attributes: { outcome: "unknown", error_code: "UPSTREAM_ERROR", retryable: false },
        },
        upstreams: [{ server: "files" }],
      },
    ]);
    for (const passedMs of [DAY_MS / 2, DAY_MS, 2 * DAY_MS, 3 * DAY_MS]) {
      at(passedMs);
      await alarm();
    }
    expect(life.ledger.counted).toEqual([nameOf(first)]);
    expect(await alarmOf("ada")).toBeNull();
  });

  it("is told a second after its lease where nobody calls any more, whatever else the principal's object waits for", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit({ session: { key: "s1", expiresAtMs: START_MS + DAY_MS, intent: "open" } });
    const first = call();
    await ada.admit(first);
    expect(await alarmOf("ada")).toBe(START_MS + LEASE_MS + JOURNAL_LAPSE_DELAY_MS);
    expect(await idleUntil(DAY_MS / 2)).toContain(LEASE_MS + JOURNAL_LAPSE_DELAY_MS);
    expect(life.ledger.counted).toEqual([nameOf(first)]);
    expect(await outboxOf("ada")).toEqual([]);
  });

  it("is told then too where another call's telling is shipped before", async () => {
    const ada = evictedPrincipal("ada");
    const [first, second] = [call(), write({ ...whose, idempotencyKey: null })];
    await ada.admit(first);
    await ada.admit(second);
    await ada.settle({ ...completed(second), ...tells(second) });
    const lapseMs = LEASE_MS + JOURNAL_LAPSE_DELAY_MS;
    expect(await idleUntil(lapseMs)).toEqual([OUTBOX_SHIP_DELAY_MS, lapseMs]);
    expect(life.ledger.counted).toEqual([nameOf(second), nameOf(first)]);
  });

  it("leaves no alarm for its lease behind where it is reported on", async () => {
    const ada = evictedPrincipal("ada");
    const first = call();
    await ada.admit(first);
    await ada.settle({ ...completed(first), ...tells(first) });
    expect(await idleUntil(2 * LEASE_MS)).toEqual([OUTBOX_SHIP_DELAY_MS]);
    expect(life.ledger.counted).toEqual([nameOf(first)]);
  });

  it("is not told again by its own Worker that comes late, which is believed about the rest", async () => {
    const ada = evictedPrincipal("ada");
    const first = call();
    await ada.admit(first);
    at(LEASE_MS);
    await alarm();
    at(LEASE_MS + OUTBOX_REMEMBERED_MS - 1);
    await ada.settle({ ...completed(first), ...tells(first) });
    await alarm();
    expect(life.ledger.counted).toEqual([nameOf(first)]);
    expect(told(await ada.admit(call()))).toBe(idempotencyKey === null ? "run" : 'answered {"text":"done"}');
  });

  it.each([
    ["completed", completed],
    ["lost", lost],
    ["unsent", unsent],
  ])("but is told by a Worker that was in time (%s)", async (__, report) => {
    const ada = evictedPrincipal("ada");
    const first = call();
    await ada.admit(first);
    await ada.settle({ ...report(first), ...tells(first) });
    at(2 * LEASE_MS);
    await alarm();
    expect(life.ledger.counted).toEqual([nameOf(first)]);
    expect((await outboxOf("ada")).map(({ event }) => event.event)).toEqual(["execute.completed"]);
  });

  it("or is told by a Worker that says nothing else of it", async () => {
    const ada = evictedPrincipal("ada");
    const leaseMs = 5 * OUTBOX_REMEMBERED_MS;
    const first = write({ ...whose, idempotencyKey, leaseMs });
    await ada.admit(first);
    await ada.settle(tells(first));
    // Its entry is forgotten before its lease ends.
    for (const passedMs of [0, OUTBOX_REMEMBERED_MS, leaseMs, DAY_MS + leaseMs]) {
      at(passedMs);
      await alarm();
    }
    expect(life.ledger.counted).toEqual([nameOf(first)]);
  });
});

describe("a call whose lease ran out", () => {
  it("is remembered as told as long as its name is, longer than any repetition in the outbox", async () => {
    const ada = evictedPrincipal("ada");
    const first = write(whose);
    await ada.admit(first);
    at(LEASE_MS);
    await alarm();
    at(DAY_MS / 2);
    await alarm();
    expect(await outboxOf("ada")).toEqual([]);
    await ada.settle({ ...completed(first), ...tells(first) });
    await alarm();
    expect(life.ledger.counted).toEqual([nameOf(first)]);
  });

  it.each([false, true])(
    "is told before a repetition that may run takes its place (it reports late: %s)",
    async (late) => {
      const ada = evictedPrincipal("ada");
      const [first, second] = [write({ contract: "convergent" }), write({ contract: "convergent" })];
      await ada.admit(first);
      at(LEASE_MS);
      expect(told(await ada.admit(second))).toBe("run");
      if (late) await ada.settle({ ...lost(first), ...tells(first) });
      await ada.settle({ ...completed(second), ...tells(second) });
      await alarm();
      expect(life.ledger.counted).toEqual([nameOf(first), nameOf(second)]);
    },
  );

  it("is told before it is forgotten to make room", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(write({ ...whose, idempotencyKey: "first" }));
    await sql(
      "ada",
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${JOURNAL_ROWS_MAX_COUNT})
       INSERT INTO journal (key, attempt, fingerprint, contract, replays, knowledge, lease_ends_at_ms, expires_at_ms)
       SELECT 'request:' || i, 'x' || i, 'f', 'never_replay', 0, 'in_flight', 1, ${START_MS + DAY_MS} FROM n`,
    );
    expect(told(await ada.admit(write({ idempotencyKey: "new" })))).toBe("run");
    await alarm();
    expect(life.ledger.counted.length).toBe(JOURNAL_ROWS_MAX_COUNT - 1);
    expect(new Set(life.ledger.counted).size).toBe(JOURNAL_ROWS_MAX_COUNT - 1);
  });

  it("is told without tool and upstream where an older version wrote it down, and still may not run again", async () => {
    const ada = evictedPrincipal("ada");
    const first = write();
    await ada.admit(first);
    await withTablesOf("ada", 4);
    expect(told(await ada.admit(write()))).toBe(`wait ${LEASE_MS}`);
    at(LEASE_MS);
    await alarm();
    expect(life.ledger.counted).toEqual([nameOf(first)]);
    expect(await outboxOf("ada")).toMatchObject([
      { event: { tool_id: null, namespace: null }, upstreams: [] },
    ]);
    expect(told(await ada.admit(write()))).toBe("outcome_unknown");
  });

  it("is told by an alarm that finds the tables of an older version", async () => {
    const ada = evictedPrincipal("ada");
    const first = write();
    await ada.admit(first);
    await withTablesOf("ada", 4);
    at(LEASE_MS);
    await alarm();
    expect(life.ledger.counted).toEqual([nameOf(first)]);
  });

  it("makes no ledger that is away be asked sooner, in one life", async () => {
    const stub = stubOf("ada");
    await withDoor("ada", life.ledger);
    await stub.settle({ version: 1, told: [textOf(executed("a"))] });
    at(DAY_MS);
    life.ledger.weather = ["overloaded"];
    await runDurableObjectAlarm(stub);
    const retryMs = START_MS + DAY_MS + OUTBOX_SHIP_DELAY_MAX_MS;
    expect(await alarmOf("ada")).toBe(retryMs);
    const first = write(whose);
    await stub.admit({ version: 1, tokenId: "token", ...first });
    expect(await alarmOf("ada")).toBe(START_MS + DAY_MS + LEASE_MS + JOURNAL_LAPSE_DELAY_MS);
    at(DAY_MS + LEASE_MS + JOURNAL_LAPSE_DELAY_MS);
    await runDurableObjectAlarm(stub);
    expect((await outboxOf("ada")).map(({ key }) => key)).toEqual(["a", nameOf(first)]);
    expect([life.ledger.deliveries.length, await alarmOf("ada")]).toEqual([1, retryMs]);
    vi.setSystemTime(retryMs);
    await runDurableObjectAlarm(stub);
    expect(life.ledger.counted).toEqual(["a", nameOf(first)]);
  });

  it("waits in the outbox like any other while the ledger is away", async () => {
    const ada = evictedPrincipal("ada");
    const first = write(whose);
    await ada.admit(first);
    at(3 * DAY_MS);
    life.ledger.weather = ["overloaded", "answer_lost"];
    await alarm();
    expect(life.ledger.counted).toEqual([]);
    await alarm();
    await alarm();
    expect(life.ledger.counted).toEqual([nameOf(first)]);
  });
});

describe("a call that may run again and that nobody reports on", () => {
  it("is told by its principal's object, once, at the first alarm after its lease", async () => {
    const ada = evictedPrincipal("ada");
    const first = flying();
    await ada.admit(first);
    at(LEASE_MS - 1);
    await alarm();
    expect(life.ledger.counted).toEqual([]);
    at(LEASE_MS);
    await alarm();
    expect(await outboxOf("ada")).toMatchObject([
      {
        key: first.attempt,
        event: {
          event: "execute.failed",
          tool_id: whose.toolId,
          namespace: "files",
          attributes: { outcome: "unknown", replay: "convergent", retryable: true },
        },
        upstreams: [{ server: "files", operations: [{ record: "request" }, { record: "recovery_error" }] }],
      },
    ]);
    await idleUntil(3 * DAY_MS);
    expect(life.ledger.counted).toEqual([first.attempt]);
    expect(await alarmOf("ada")).toBeNull();
  });

  it("is told a second after its lease where nobody calls any more, whatever else is waited for", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit({ session: { key: "s1", expiresAtMs: START_MS + DAY_MS, intent: "open" } });
    const [first, second] = [flying(), flying()];
    await ada.admit(first);
    at(1000);
    await ada.admit(second);
    const third = flying();
    await ada.admit(third);
    await ada.settle({ attempt: third.attempt, ...tells(third) });
    const lapseMs = LEASE_MS + JOURNAL_LAPSE_DELAY_MS;
    // The second's lease has ended when the first one is told of.
    expect(await idleUntil(lapseMs + 1000)).toEqual([1000 + OUTBOX_SHIP_DELAY_MS, lapseMs]);
    expect(life.ledger.counted).toEqual([third, first, second].map(nameOf));
  });

  it("costs one alarm more, where none is set, and none beside one that comes before", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit({ session: { key: "s1", expiresAtMs: START_MS + DAY_MS, intent: "open" } });
    expect(await ada.admit(flying())).toMatchObject({ rowsWritten: 2 });
    expect(await ada.admit(flying())).toMatchObject({ rowsWritten: 1 });
  });

  it("is told once where it stands in the journal too", async () => {
    const ada = evictedPrincipal("ada");
    const first = { ...flying(), ...write({ ...whose, contract: "convergent" }) };
    await ada.admit(first);
    at(LEASE_MS);
    // The one that takes its place tells of it.
    expect(told(await ada.admit(write({ ...whose, contract: "convergent" })))).toBe("run");
    for (const passedMs of [LEASE_MS, 2 * LEASE_MS, DAY_MS]) {
      at(passedMs);
      await alarm();
    }
    expect(life.ledger.counted.filter((key) => key === first.attempt)).toEqual([first.attempt]);
  });

  it("is told by its own Worker alone where that was in time", async () => {
    const ada = evictedPrincipal("ada");
    const first = flying();
    await ada.admit(first);
    await ada.settle({ attempt: first.attempt, ...tells(first) });
    await idleUntil(DAY_MS);
    expect(life.ledger.counted).toEqual([first.attempt]);
    expect(await alarmOf("ada")).toBeNull();
  });

  it("is told as what it was, and not held against the server where its caller had taken it back", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(flying("resource::files:readme#0123abcd"));
    await ada.admit({ cancel: { requestKey: "1" } });
    await ada.admit(flying("prompt::files:greet#0123abcd"));
    at(LEASE_MS);
    await alarm();
    const all = await outboxOf("ada");
    const words = all.map(({ event, upstreams }) => `${event.event} ${event.namespace} ${upstreams.length}`);
    expect(words.toSorted()).toEqual(["prompt.failed files 1", "read.failed files 0"]);
  });

  it("is told before its row gives way", async () => {
    const ada = evictedPrincipal("ada");
    const first = flying();
    await ada.admit(first);
    await sql(
      "ada",
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${FLIGHTS_MAX_COUNT + 1})
       INSERT INTO flights SELECT 'x' || i, 'x', 'x', 'x', 'x', 'x', 'x', NULL, NULL, 0, 1, NULL, NULL, NULL, 0 FROM n`,
    );
    at(LEASE_MS);
    await ada.admit(flying());
    expect((await outboxOf("ada")).map(({ key }) => key)).toEqual([first.attempt]);
    expect(await sql("ada", "SELECT count(*) AS n FROM flights")).toEqual([{ n: 1 }]);
  });

  it("goes untold where an older version noted it", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(flying());
    await withTablesOf("ada", 7);
    at(LEASE_MS);
    await alarm();
    await ada.admit(flying());
    await alarm();
    expect(life.ledger.counted).toEqual([]);
  });
});
