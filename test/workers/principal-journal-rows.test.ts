import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JOURNAL_ROWS_EVICTION_COUNT, JOURNAL_ROWS_MAX_COUNT } from "../../src/limits.ts";
import { completed, LEASE_MS, lost, told, write } from "./journal-client.ts";
import { evictedPrincipal, sql, stubOf, withTablesOf } from "./principal-client.ts";
import type { Quota } from "./principal-client.ts";
import { freshStorage } from "./fresh-storage.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.now();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
});

afterEach(async () => {
  vi.useRealTimers();
  await freshStorage();
});

const minute = (perMinute: number): Quota => ({
  per: "principal",
  buckets: [{ name: "tool_execute", perMinute }],
});
const session = (key: string, intent: "open") => ({
  session: { key, expiresAtMs: START_MS + DAY_MS, intent },
});

const at = (passedMs: number) => {
  vi.setSystemTime(START_MS + passedMs);
};

describe("the journal's rows", () => {
  /** Rows of a kind behind the object's back, `n` of them. */
  const fill = (n: number, columns: string) =>
    sql(
      "ada",
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n})
       INSERT INTO journal (key, attempt, fingerprint, contract, replays, knowledge, lease_ends_at_ms, expires_at_ms)
       SELECT ${columns} FROM n`,
    );
  const count = async () => (await sql("ada", "SELECT count(*) AS n FROM journal"))[0]?.["n"];

  it("are swept when they have expired, and the object with the last of them", async () => {
    const ada = evictedPrincipal("ada");
    const first = write();
    await ada.admit(first);
    await ada.settle(completed(first));
    at(600_000);
    await runDurableObjectAlarm(stubOf("ada"));
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name = 'journal'")).toEqual([]);
    expect(told(await ada.admit(write()))).toBe("run");
  });

  it("make room at their bound: the oldest finished go first, many at once", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(write());
    const until = START_MS + DAY_MS;
    await fill(
      JOURNAL_ROWS_MAX_COUNT - 1,
      `'request:' || i, 'x' || i, 'f', 'never_replay', 0, 'completed', 1, ${until} + i`,
    );
    expect(told(await ada.admit(write({ idempotencyKey: "new" })))).toBe("run");
    expect(await count()).toBe(JOURNAL_ROWS_MAX_COUNT - JOURNAL_ROWS_EVICTION_COUNT + 1);
    const [oldest] = await sql(
      "ada",
      "SELECT min(expires_at_ms) AS first FROM journal WHERE knowledge = 'completed'",
    );
    expect(oldest).toEqual({ first: until + JOURNAL_ROWS_EVICTION_COUNT + 1 });
    expect(told(await ada.admit(write()))).toBe(`wait ${LEASE_MS}`);
  });

  it("forget an unknown outcome only where nothing is finished, and one that has a name last", async () => {
    const ada = evictedPrincipal("ada");
    const named = write();
    await ada.admit(named);
    await ada.settle(lost(named));
    const until = START_MS + 10 * DAY_MS;
    await fill(
      JOURNAL_ROWS_MAX_COUNT - 1,
      `'request:' || i, 'x' || i, 'f', 'never_replay', 0, 'in_flight', 1, ${until}`,
    );
    expect(told(await ada.admit(write({ idempotencyKey: "new" })))).toBe("run");
    expect(await count()).toBe(JOURNAL_ROWS_MAX_COUNT);
    expect(told(await ada.admit(write()))).toBe("outcome_unknown");
  });

  it("never forget what is in flight: at their bound the next one is refused for a while", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(write());
    const ends = START_MS + 5000;
    await fill(
      JOURNAL_ROWS_MAX_COUNT - 1,
      `'request:' || i, 'x' || i, 'f', 'never_replay', 0, 'in_flight', ${ends}, ${ends + DAY_MS}`,
    );
    expect(told(await ada.admit(write({ idempotencyKey: "new" }, { quota: minute(1) })))).toBe(
      "principal/in_flight 5000",
    );
    expect(await count()).toBe(JOURNAL_ROWS_MAX_COUNT);
    at(5000);
    expect(told(await ada.admit(write({ idempotencyKey: "new" }, { quota: minute(1) })))).toBe("run");
    expect(await count()).toBe(JOURNAL_ROWS_MAX_COUNT);
  });

  it("that a newer version wrote let nothing run", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(write());
    await sql("ada", "UPDATE journal SET knowledge = 'dreamt of', contract = 'whenever'");
    expect(told(await ada.admit(write({ contract: "convergent" })))).toBe("outcome_unknown");
  });

  it("come to an object that an older version wrote, with its first entry", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(session("s1", "open"));
    await withTablesOf("ada", 3);
    const first = write();
    expect(await ada.settle(completed(first))).toMatchObject({ accepted: true, rowsWritten: 0 });
    expect(told(await ada.admit(first))).toBe("run");
    expect(told(await ada.admit(write()))).toBe(`wait ${LEASE_MS}`);
  });
});
