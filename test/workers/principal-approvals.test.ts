import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { APPROVALS_CLOSED_MAX_COUNT, APPROVALS_OPEN_MAX_COUNT } from "../../src/limits.ts";
import type { AdmitDecision } from "../../src/principal/admit-contract.ts";
import { evictedPrincipal, freshAttempt, sql, stubOf, verdict } from "./principal-client.ts";
import type { Ask } from "./principal-client.ts";
import { freshStorage } from "./fresh-storage.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START_MS = Date.now();

// The objects of a test run in its own isolate, and share its clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
});

afterEach(async () => {
  vi.useRealTimers();
  await freshStorage();
});

const BINDING = {
  toolId: "github:delete_repo#12345678",
  schemaHash: "schema",
  argumentsHash: "arguments",
  rule: "rule",
  metaTool: "tool_execute",
};
const QUOTA = { per: "session" as const, buckets: [{ name: "tool_execute", perMinute: 1 }] };

const call = (ask: Ask = {}): Ask => ({ attempt: freshAttempt(), approval: BINDING, ...ask });
const later = (passedMs: number) => vi.setSystemTime(START_MS + passedMs);

/** The approval that a call waits for. */
const waiting = (decision: AdmitDecision) => {
  if (decision.admitted || decision.reason !== "approval_required") throw new Error(verdict(decision));
  return decision;
};

describe("an approval, with an eviction before every call", () => {
  it("is asked for once, however often the call is made", async () => {
    const ada = evictedPrincipal("ada");
    // Makes the tables, and an alarm that is early enough.
    await ada.admit(call({ approval: { ...BINDING, rule: "other" } }));
    const first = call();
    const decision = waiting(await ada.admit(first));
    expect(decision.approvalId).toMatch(/^[\w-]{22}$/);
    expect(decision).toEqual({
      version: 1,
      admitted: false,
      reason: "approval_required",
      approvalId: decision.approvalId,
      expiresAtMs: START_MS + HOUR_MS,
      created: true,
      rowsWritten: 1,
    });
    const again = { ...decision, rowsWritten: 0 };
    later(1000);
    // The same attempt gets the same answer; another's is the same approval.
    expect(await ada.admit(first)).toEqual(again);
    expect(await ada.admit(call())).toEqual({ ...again, created: false });
    expect(await sql("ada", "SELECT count(*) AS n FROM approvals")).toEqual([{ n: 2 }]);
  });

  it("gives way where the same call is by now another: at another target, or by another schema", async () => {
    const ada = evictedPrincipal("ada");
    const { approvalId: first } = waiting(await ada.admit(call()));
    await ada.admit(call({ approval: { ...BINDING, argumentsHash: "others" } }));
    const moved = waiting(await ada.admit(call({ approval: { ...BINDING, target: "green" } })));
    expect(moved.supersedes).toEqual([first]);
    expect(await ada.decide(first, "grant")).toMatchObject({ outcome: "unknown" });
    const renewed = waiting(await ada.admit(call({ approval: { ...BINDING, schemaHash: "newer" } })));
    expect(renewed.supersedes).toEqual([moved.approvalId]);
    // What a person has decided stays, and says nothing of the call as it is then.
    await ada.decide(renewed.approvalId, "grant");
    expect(waiting(await ada.admit(call()))).not.toHaveProperty("supersedes");
    const granted = { ...BINDING, schemaHash: "newer" };
    expect(verdict(await ada.admit(call({ approval: granted })))).toBe("admitted");
    expect(await sql("ada", "SELECT count(*) AS n FROM approvals WHERE state = 'pending'")).toEqual([
      { n: 2 },
    ]);
  });

  it("keeps nothing of the call but a hash", async () => {
    await evictedPrincipal("ada").admit(call());
    const rows = JSON.stringify(await sql("ada", "SELECT * FROM approvals"));
    for (const part of Object.values(BINDING)) expect(rows).not.toContain(part);
  });

  it("once granted lets the call run once, and a repetition of that attempt again", async () => {
    const ada = evictedPrincipal("ada");
    const { approvalId } = waiting(await ada.admit(call()));
    expect(await ada.decide(approvalId, "grant")).toEqual({
      version: 1,
      outcome: "granted",
      state: "granted",
      expiresAtMs: START_MS + HOUR_MS,
      rowsWritten: 1,
    });
    const running = call();
    expect(await ada.admit(running)).toMatchObject({ admitted: true, approval: "granted", rowsWritten: 1 });
    expect(await ada.admit(running)).toMatchObject({ admitted: true, approval: "granted", rowsWritten: 0 });
    const next = waiting(await ada.admit(call()));
    expect(next.created).toBe(true);
    expect(next.approvalId).not.toBe(approvalId);
    // Asked for anew meanwhile, and still the attempt's own.
    expect(verdict(await ada.admit(running))).toBe("admitted");
    expect(await ada.decide(approvalId, "grant")).toMatchObject({ outcome: "already", state: "used" });
    expect(await ada.decide(approvalId, "refuse")).toMatchObject({ outcome: "already", state: "used" });
    expect(waiting(await ada.admit(call())).approvalId).toBe(next.approvalId);
  });

  it("is used up by exactly one of the attempts that race for it", async () => {
    const ada = evictedPrincipal("ada");
    const { approvalId } = waiting(await ada.admit(call()));
    await ada.decide(approvalId, "grant");
    const attempts = Array.from({ length: 8 }, () => call());
    const decisions = await ada.together(attempts.flatMap((attempt) => [attempt, attempt]));
    const ran = attempts.filter((_, index) => decisions[index * 2]?.admitted);
    expect(ran).toHaveLength(1);
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(2);
    const refused = decisions.filter(({ admitted }) => !admitted).map((one) => waiting(one).approvalId);
    expect(new Set(refused).size).toBe(1);
    expect(refused).not.toContain(approvalId);
  });

  it("is for this very call of this very principal", async () => {
    const ada = evictedPrincipal("ada");
    const { approvalId } = waiting(await ada.admit(call()));
    await ada.decide(approvalId, "grant");
    for (const part of Object.keys(BINDING)) {
      const approval = { ...BINDING, [part]: "other" };
      expect(verdict(await ada.admit(call({ approval })))).toBe("approval_required");
    }
    expect(verdict(await evictedPrincipal("eve").admit(call()))).toBe("approval_required");
    expect(await evictedPrincipal("eve").decide(approvalId, "grant")).toMatchObject({ outcome: "unknown" });
    expect(verdict(await ada.admit(call()))).toBe("admitted");
  });

  it("once refused holds the call back, until a person thinks better of it or it expires", async () => {
    const ada = evictedPrincipal("ada");
    const { approvalId } = waiting(await ada.admit(call()));
    expect(await ada.decide(approvalId, "refuse")).toMatchObject({ outcome: "refused", state: "refused" });
    expect(await ada.decide(approvalId, "refuse")).toMatchObject({ outcome: "already", rowsWritten: 0 });
    expect(await ada.admit(call())).toEqual({
      version: 1,
      admitted: false,
      reason: "approval_refused",
      approvalId,
      rowsWritten: 0,
    });
    expect(await ada.decide(approvalId, "grant")).toMatchObject({ outcome: "granted", state: "granted" });
    expect(await ada.decide(approvalId, "refuse")).toMatchObject({ outcome: "refused", state: "refused" });
    later(HOUR_MS - 1);
    expect(verdict(await ada.admit(call()))).toBe("approval_refused");
    later(HOUR_MS);
    expect(await ada.decide(approvalId, "grant")).toMatchObject({ outcome: "expired", state: "refused" });
    expect(waiting(await ada.admit(call())).approvalId).not.toBe(approvalId);
  });

  it("expires, asked for or granted", async () => {
    const ada = evictedPrincipal("ada");
    const first = waiting(await ada.admit(call())).approvalId;
    later(HOUR_MS);
    expect(await ada.decide(first, "grant")).toEqual({
      version: 1,
      outcome: "expired",
      state: "pending",
      expiresAtMs: START_MS + HOUR_MS,
      rowsWritten: 0,
    });
    const second = waiting(await ada.admit(call())).approvalId;
    expect(second).not.toBe(first);
    later(2 * HOUR_MS - 1);
    const expiresAtMs = START_MS + 2 * HOUR_MS - 1 + 15 * MINUTE_MS;
    expect(await ada.decide(second, "grant")).toMatchObject({ outcome: "granted", expiresAtMs });
    vi.setSystemTime(expiresAtMs);
    const third = waiting(await ada.admit(call()));
    expect(third.created).toBe(true);
    vi.setSystemTime(third.expiresAtMs);
    expect(await runDurableObjectAlarm(stubOf("ada"))).toBe(true);
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
    expect(await ada.decide(second, "grant")).toMatchObject({ outcome: "unknown", state: null });
  });

  it("used in its last moment is still the attempt's own a minute later", async () => {
    const ada = evictedPrincipal("ada");
    const { approvalId, expiresAtMs } = waiting(await ada.admit(call()));
    await ada.decide(approvalId, "grant");
    const running = call();
    vi.setSystemTime(expiresAtMs - 1);
    expect(verdict(await ada.admit(running))).toBe("admitted");
    vi.setSystemTime(expiresAtMs + MINUTE_MS / 2);
    expect(verdict(await ada.admit(running))).toBe("admitted");
    expect(verdict(await ada.admit(call()))).toBe("approval_required");
  });

  it("comes before the quota: a call without it is not charged, and a limit does not use it up", async () => {
    const ada = evictedPrincipal("ada");
    const { approvalId } = waiting(await ada.admit(call({ quota: QUOTA })));
    expect(await sql("ada", "SELECT calls FROM rate_windows")).toEqual([]);
    await ada.decide(approvalId, "grant");
    expect(verdict(await ada.admit({ attempt: freshAttempt(), quota: QUOTA }))).toBe("admitted");
    const held = call({ quota: QUOTA });
    expect(verdict(await ada.admit(held))).toBe("tool_execute/minute 60000");
    later(MINUTE_MS);
    expect(verdict(await ada.admit(held))).toBe("admitted");
    expect(await ada.admit(held)).toMatchObject({ admitted: true, rowsWritten: 0 });
    // Also once the window has forgotten the charge.
    later(2 * MINUTE_MS);
    expect(await ada.admit(held)).toMatchObject({ admitted: true, rowsWritten: 0 });
    expect(verdict(await ada.admit(call({ quota: QUOTA })))).toBe("approval_required");
    expect(await sql("ada", "SELECT calls FROM rate_windows")).toEqual([{ calls: 2 }]);
  });

  it("is not asked for, or used, out of an old catalog or without a good token", async () => {
    const ada = evictedPrincipal("ada");
    const version = (generation: number) => ({ catalogVersion: { catalog: "c", generation } });
    await ada.admit(version(2));
    expect(verdict(await ada.admit(call(version(1))))).toBe("stale");
    expect(await sql("ada", "SELECT id FROM approvals")).toEqual([]);
    const { approvalId } = waiting(await ada.admit(call(version(2))));
    await ada.decide(approvalId, "grant");
    const stale = await ada.admit(call(version(1)));
    expect(verdict(stale)).toBe("stale");
    expect(stale).not.toHaveProperty("approval");
    const unknown = { key: "k", expiresAtMs: START_MS + HOUR_MS, intent: "use" as const };
    expect(verdict(await ada.admit(call({ session: unknown })))).toBe("session_unknown");
    expect(verdict(await ada.admit(call(version(2))))).toBe("admitted");
  });

  it("is judged dry without a written row", async () => {
    const ada = evictedPrincipal("ada");
    const dry = async () => {
      const decision = await ada.admit({ dry: true, approval: BINDING, quota: QUOTA });
      if (!decision.admitted) throw new Error(decision.reason);
      expect(decision.rowsWritten).toBe(0);
      return decision.approval;
    };
    expect(await dry()).toBe("required");
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
    const { approvalId } = waiting(await ada.admit(call()));
    expect(await dry()).toBe("required");
    await ada.decide(approvalId, "refuse");
    expect(await dry()).toBe("refused");
    await ada.decide(approvalId, "grant");
    expect(await dry()).toBe("granted");
    expect(await dry()).toBe("granted");
    expect(verdict(await ada.admit(call()))).toBe("admitted");
    expect(await dry()).toBe("required");
  });

  it("gives way at its bound: the oldest that waits, never one that was granted", async () => {
    const ada = evictedPrincipal("ada");
    const numbered = (index: number): Ask => ({
      approval: { ...BINDING, argumentsHash: `arguments ${index}` },
    });
    const ids: string[] = [];
    for (let index = 0; index < APPROVALS_OPEN_MAX_COUNT; index += 1) {
      later(index);
      ids.push(waiting(await ada.admit(call(numbered(index)))).approvalId);
    }
    expect(new Set(ids).size).toBe(APPROVALS_OPEN_MAX_COUNT);
    const [first = "", second = "", third = ""] = ids;
    await ada.decide(first, "grant");
    expect(waiting(await ada.admit(call(numbered(-1)))).created).toBe(true);
    expect(await sql("ada", "SELECT count(*) AS n FROM approvals")).toEqual([
      { n: APPROVALS_OPEN_MAX_COUNT },
    ]);
    expect(await ada.decide(second, "grant")).toMatchObject({ outcome: "unknown" });
    expect(await ada.decide(third, "refuse")).toMatchObject({ outcome: "refused" });
    expect(verdict(await ada.admit(call(numbered(0))))).toBe("admitted");
  });

  it("forgets used ones before refused ones, beyond what it remembers", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(call());
    const old = START_MS + 1;
    await sql(
      "ada",
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${APPROVALS_CLOSED_MAX_COUNT + 5})
       INSERT INTO approvals SELECT 'b' || i, 'i' || i, iif(i <= 10, 'used', 'refused'), ${old}, NULL, NULL, ${START_MS + HOUR_MS}, NULL FROM n`,
    );
    await ada.admit(call({ approval: { ...BINDING, rule: "other" } }));
    expect(
      await sql("ada", "SELECT state, count(*) AS n FROM approvals GROUP BY state ORDER BY state"),
    ).toEqual([
      { state: "pending", n: 2 },
      { state: "refused", n: APPROVALS_CLOSED_MAX_COUNT - 5 },
      { state: "used", n: 5 },
    ]);
  });

  it("lets nothing run in a state that it does not know", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(call());
    await sql("ada", "UPDATE approvals SET state = 'of a later version'");
    expect(verdict(await ada.admit(call()))).toBe("approval_refused");
  });

  it("is not to be had by ending a session in the same call", async () => {
    const ada = evictedPrincipal("ada");
    const session = { key: "k", expiresAtMs: START_MS + HOUR_MS, intent: "open" as const };
    await ada.admit({ session });
    const ending = { session: { ...session, intent: "end" as const } };
    expect(verdict(await ada.admit(call(ending)))).toBe("malformed");
    expect(verdict(await ada.admit({ ...ending, quota: QUOTA }))).toBe("malformed");
    expect(verdict(await ada.admit({ session }))).toBe("admitted");
  });
});
