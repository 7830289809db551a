import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RATE_ROWS_EVICTION_COUNT, RATE_ROWS_MAX_COUNT, SESSIONS_LIVE_MAX_COUNT } from "../../src/limits.ts";
import { evictedPrincipal, freshAttempt, sql, stubOf, verdict, withTablesOf } from "./principal-client.ts";
import type { Ask, Quota } from "./principal-client.ts";
import { freshStorage } from "./fresh-storage.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.now();

// The objects of a test run in its own isolate, and share its clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
});

afterEach(async () => {
  vi.useRealTimers();
  await freshStorage();
});

const minute = (perMinute: number, per: Quota["per"] = "session"): Quota => ({
  per,
  buckets: [{ name: "tool_execute", perMinute }],
});
const perSession = (perSession: number, per: Quota["per"] = "session"): Quota => ({
  per,
  buckets: [{ name: "tool_execute", perSession }],
});
const session = (key: string, intent: "open" | "use" | "end" = "use") => ({
  session: { key, expiresAtMs: START_MS + DAY_MS, intent },
});

/** A call as `tool_execute` makes one: an attempt of its own. */
const call = (quota: Quota, ask: Ask = {}): Ask => ({ attempt: freshAttempt(), quota, ...ask });

describe("a quota, with an eviction before every call", () => {
  it("shares its clock with this test", async () => {
    vi.setSystemTime(START_MS + 12_345);
    expect(await runInDurableObject(stubOf("ada"), () => Date.now())).toBe(START_MS + 12_345);
  });

  it("survives the eviction, and frees each call exactly sixty seconds later", async () => {
    const ada = evictedPrincipal("ada");
    const after = async (passedMs: number) => {
      vi.setSystemTime(START_MS + passedMs);
      return verdict(await ada.admit(call(minute(2))));
    };
    expect(await after(0)).toBe("admitted");
    expect(await after(10_000)).toBe("admitted");
    expect(await after(10_001)).toBe("tool_execute/minute 49999");
    expect(await after(59_999)).toBe("tool_execute/minute 1");
    expect(await after(60_000)).toBe("admitted");
    expect(await after(60_000)).toBe("tool_execute/minute 10000");
    expect(await after(70_000)).toBe("admitted");
  });

  it("charges a repeated attempt once, and gives it the same answer", async () => {
    const ada = evictedPrincipal("ada");
    const first = call(minute(2));
    expect(verdict(await ada.admit(first))).toBe("admitted");
    for (let repeat = 0; repeat < 3; repeat += 1) {
      vi.setSystemTime(START_MS + repeat * 1000);
      expect(await ada.admit(first)).toMatchObject({ admitted: true, rowsWritten: 0 });
    }
    const second = call(minute(2));
    expect(verdict(await ada.admit(second))).toBe("admitted");
    expect(verdict(await ada.admit(call(minute(2))))).toBe("tool_execute/minute 58000");
    // Admitted before the limit was reached, so still admitted.
    expect(verdict(await ada.admit(first))).toBe("admitted");
    expect(verdict(await ada.admit(second))).toBe("admitted");
    expect(await sql("ada", "SELECT calls FROM rate_windows")).toEqual([{ calls: 2 }]);
  });

  it("admits exactly as many as it allows of calls that come at once", async () => {
    const ada = evictedPrincipal("ada");
    const decisions = await ada.together(Array.from({ length: 20 }, () => call(minute(10))));
    const admitted = decisions.filter(({ admitted }) => admitted);
    expect(admitted).toHaveLength(10);
    const refused = decisions.filter(({ admitted }) => !admitted).map(verdict);
    expect(refused).toEqual(Array.from({ length: 10 }, () => "tool_execute/minute 60000"));
  });

  it("counts each session for itself, or all of a principal's together", async () => {
    for (const quota of [minute, perSession]) {
      const eve = evictedPrincipal(`eve ${quota.name}`);
      await eve.admit(session("s1", "open"));
      await eve.admit(session("s2", "open"));
      const both = async (per: Quota["per"]) => [
        await eve.admit(call(quota(1, per), session("s1"))),
        await eve.admit(call(quota(1, per), session("s2"))),
      ];
      expect((await both("session")).map(({ admitted }) => admitted)).toEqual([true, true]);
      expect((await both("session")).map(({ admitted }) => admitted)).toEqual([false, false]);
      expect((await both("principal")).map(({ admitted }) => admitted)).toEqual([true, false]);
      // Without a session the count is the principal's, whatever `per` says.
      expect((await eve.admit(call(quota(1, "session")))).admitted).toBe(false);
    }
    expect((await evictedPrincipal("other").admit(call(minute(1, "principal")))).admitted).toBe(true);
  });

  it("of a session ends with it; of a principal a day after the first call", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(session("s1", "open"));
    await ada.admit(session("s2", "open"));
    for (const key of ["s1", "s2"]) await ada.admit(call(perSession(1), session(key)));
    expect(verdict(await ada.admit(call(perSession(1), session("s1"))))).toBe("tool_execute/session null");
    expect((await ada.admit(session("s1", "end"))).rowsWritten).toBe(2);
    expect(await sql("ada", "SELECT owner FROM rate_windows")).toEqual([{ owner: "s2" }]);
    expect(verdict(await ada.admit(call(perSession(1), session("s1"))))).toBe("session_ended");

    const ofPrincipal = async (passedMs: number) => {
      vi.setSystemTime(START_MS + passedMs);
      return verdict(await ada.admit(call(perSession(2, "principal"))));
    };
    expect(await ofPrincipal(0)).toBe("admitted");
    expect(await ofPrincipal(DAY_MS / 2)).toBe("admitted");
    expect(await ofPrincipal(DAY_MS - 1)).toBe("tool_execute/session null");
    expect(await ofPrincipal(DAY_MS)).toBe("admitted");
  });

  it("of a session goes when the session gives way to newer ones", async () => {
    const ada = evictedPrincipal("ada");
    const oldest = { key: "oldest", expiresAtMs: START_MS + 1000, intent: "open" as const };
    await ada.admit({ session: oldest, ...call(perSession(1)) });
    await ada.admit(call(perSession(1)));
    await sql(
      "ada",
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${SESSIONS_LIVE_MAX_COUNT - 1})
       INSERT INTO sessions (key, ended, expires_at_ms) SELECT 's' || i, 0, ${START_MS + DAY_MS} FROM n`,
    );
    await ada.admit(session("newest", "open"));
    expect(verdict(await ada.admit({ session: { ...oldest, intent: "use" } }))).toBe("session_unknown");
    expect(await sql("ada", "SELECT owner FROM rate_windows")).toEqual([{ owner: "" }]);
  });

  it("judges all buckets before any is charged, and writes one row for each", async () => {
    const ada = evictedPrincipal("ada");
    const buckets = [
      { name: "tool_execute", perMinute: 3 },
      { name: "tool:a:b#12345678", perMinute: 1 },
    ];
    const both = () => call({ per: "session", buckets });
    await ada.admit(both());
    expect(await ada.admit(both())).toEqual({
      version: 1,
      admitted: false,
      reason: "rate_limited",
      scope: "tool:a:b#12345678/minute",
      retryAfterMs: 60_000,
      rowsWritten: 0,
    });
    const counts = "SELECT bucket, calls FROM rate_windows ORDER BY bucket";
    expect(await sql("ada", counts)).toEqual([
      { bucket: "tool:a:b#12345678", calls: 1 },
      { bucket: "tool_execute", calls: 1 },
    ]);
    vi.setSystemTime(START_MS + 60_000);
    expect(await ada.admit(both())).toMatchObject({ admitted: true, rowsWritten: 2 });
  });

  it("is not touched by a call that is refused before, or that comes out of an old catalog", async () => {
    const ada = evictedPrincipal("ada");
    const quota = minute(1);
    const version = (generation: number) => ({ catalogVersion: { catalog: "c", generation } });
    await ada.admit(version(5));
    expect(verdict(await ada.admit(call(quota, session("unknown"))))).toBe("session_unknown");
    const attempt = freshAttempt();
    expect(verdict(await ada.admit(call(quota, { ...version(4), attempt })))).toBe("stale");
    // The Worker loads the newer catalog and asks again, in the same attempt.
    expect(verdict(await ada.admit(call(quota, { ...version(5), attempt })))).toBe("admitted");
    expect(verdict(await ada.admit(call(quota, version(4))))).toBe("stale");
    expect(verdict(await ada.admit(call(quota, version(5))))).toBe("tool_execute/minute 60000");
    expect(await sql("ada", "SELECT calls FROM rate_windows")).toEqual([{ calls: 1 }]);
  });

  it("keeps what a refused call would have recorded: nothing is shown, so nothing is seen", async () => {
    const ada = evictedPrincipal("ada");
    const card = { id: "a:x", kind: "tool", json: "{}", line: "x" };
    const browse = { catalogVersion: { catalog: "c", generation: 1 }, browse: { cards: [card] } };
    await ada.admit(call(minute(1)));
    expect(verdict(await ada.admit(call(minute(1), browse)))).toBe("tool_execute/minute 60000");
    expect(await sql("ada", "SELECT key FROM browse_states")).toEqual([]);
  });

  it("neither frees nor locks out for longer than a window when the clock goes back", async () => {
    const ada = evictedPrincipal("ada");
    const at = async (passedMs: number) => {
      vi.setSystemTime(START_MS + passedMs);
      return verdict(await ada.admit(call(minute(1))));
    };
    expect(await at(DAY_MS)).toBe("admitted");
    expect(await at(0)).toBe("tool_execute/minute 60000");
    expect(await at(59_999)).toBe("tool_execute/minute 1");
    expect(await at(60_000)).toBe("admitted");
  });

  it("is judged dry without a written row, and truly", async () => {
    const ada = evictedPrincipal("ada");
    const dry = { dry: true, ...session("s1"), quota: minute(1) };
    expect(await evictedPrincipal("new").admit({ dry: true, quota: minute(1) })).toEqual({
      version: 1,
      admitted: true,
      newestGeneration: null,
      stale: false,
      arrangement: null,
      upstreamSessions: [],
      quota: { exceeded: null },
      approval: null,
      rowsWritten: 0,
    });
    expect(await sql("new", "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
    expect(verdict(await ada.admit({ ...dry, ...session("s1", "open") }))).toBe("admitted");
    expect(verdict(await ada.admit(dry))).toBe("session_unknown");
    await ada.admit(session("s1", "open"));
    const fresh = {
      catalogVersion: { catalog: "c", generation: 7 },
      browse: { cards: [{ id: "a:x", kind: "tool", json: "{}", line: "x" }] },
    };
    for (let repeat = 0; repeat < 3; repeat += 1) {
      expect(await ada.admit({ ...dry, ...fresh })).toMatchObject({
        admitted: true,
        newestGeneration: 7,
        quota: { exceeded: null },
        rowsWritten: 0,
      });
    }
    await ada.admit(call(minute(1), session("s1")));
    expect(await ada.admit(dry)).toMatchObject({
      admitted: true,
      quota: { exceeded: { scope: "tool_execute/minute", retryAfterMs: 60_000 } },
      rowsWritten: 0,
    });
    await ada.admit({ ...session("s1"), catalogVersion: { catalog: "c", generation: 9 } });
    const stale = await ada.admit({ ...dry, ...fresh });
    expect(stale).toMatchObject({ admitted: true, stale: true, rowsWritten: 0 });
    expect(stale).not.toHaveProperty("quota");
    expect(verdict(await ada.admit({ ...dry, ...session("s1", "end"), quota: null }))).toBe("admitted");
    expect(verdict(await ada.admit(session("s1")))).toBe("admitted");
  });

  it("goes with the sweep once it says nothing any more", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(call(minute(1)));
    vi.setSystemTime(START_MS + DAY_MS);
    expect(await runDurableObjectAlarm(stubOf("ada"))).toBe(true);
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
    expect(verdict(await ada.admit(call(minute(1))))).toBe("admitted");
  });

  it("finds room at its bound: the first to expire give way", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(call(minute(1)));
    await sql(
      "ada",
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RATE_ROWS_MAX_COUNT - 1})
       INSERT INTO rate_windows SELECT 'o' || i, 'b', 1, i, x'', i FROM n`,
    );
    expect(verdict(await ada.admit(call(minute(1))))).toBe("tool_execute/minute 60000");
    const buckets = [{ name: "tool_view", perMinute: 1 }];
    expect(verdict(await ada.admit(call({ per: "session", buckets })))).toBe("admitted");
    expect(await sql("ada", "SELECT count(*) AS n, min(expires_at_ms) AS first FROM rate_windows")).toEqual([
      { n: RATE_ROWS_MAX_COUNT - RATE_ROWS_EVICTION_COUNT + 1, first: RATE_ROWS_EVICTION_COUNT + 1 },
    ]);
    expect(verdict(await ada.admit(call(minute(1))))).toBe("tool_execute/minute 60000");
  });

  it("comes to an object that an older version wrote, with its first charge", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(session("s1", "open"));
    await withTablesOf("ada", 2);
    expect(await ada.admit({ ...session("s1"), dry: true, quota: minute(1) })).toMatchObject({
      quota: { exceeded: null },
      rowsWritten: 0,
    });
    expect((await ada.admit(session("s1", "end"))).rowsWritten).toBe(1);
    await ada.admit(session("s2", "open"));
    expect(verdict(await ada.admit(call(minute(1), session("s2"))))).toBe("admitted");
    expect(verdict(await ada.admit(call(minute(1), session("s2"))))).toBe("tool_execute/minute 60000");
  });
});
