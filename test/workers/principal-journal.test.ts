import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JOURNAL_ANSWER_MAX_BYTES, JOURNAL_LEASE_MAX_MS } from "../../src/limits.ts";
import { completed, LEASE_MS, lost, told, unsent, write } from "./journal-client.ts";
import type { Report } from "./journal-client.ts";
import { evictedPrincipal, freshAttempt, sql } from "./principal-client.ts";
import type { Ask, Quota } from "./principal-client.ts";
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
const session = (key: string, intent: "open" | "use" | "end" = "use") => ({
  session: { key, expiresAtMs: START_MS + DAY_MS, intent },
});
const approval = { toolId: "t", schemaHash: "s", argumentsHash: "a", rule: "r", metaTool: "tool_execute" };

const at = (passedMs: number) => {
  vi.setSystemTime(START_MS + passedMs);
};

describe("the journal, with an eviction before every step", () => {
  it("lets a call under one key run once, and repeats its first answer in any session", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(session("s1", "open"));
    await ada.admit(session("s2", "open"));
    const first = write({ requestKey: "1" }, session("s1"));
    expect(told(await ada.admit(first))).toBe("run");
    at(1000);
    expect(told(await ada.admit(write({ requestKey: "1" }, session("s2"))))).toBe(`wait ${LEASE_MS - 1000}`);
    await ada.settle(completed(first));
    for (const key of ["s1", "s2"]) {
      expect(told(await ada.admit(write({ requestKey: "9" }, session(key))))).toBe(
        'answered {"text":"done"}',
      );
    }
    expect(told(await ada.admit(write({ fingerprint: "g" })))).toBe("key_conflict");
    at(1000 + 600_000);
    expect(told(await ada.admit(write()))).toBe("run");
  });

  it("lets exactly one of twenty run that come at once under one key", async () => {
    const ada = evictedPrincipal("ada");
    const decisions = await ada.together(Array.from({ length: 20 }, () => write({}, { quota: minute(20) })));
    expect(decisions.map(told).toSorted()).toEqual([
      "run",
      ...Array.from({ length: 19 }, () => `wait ${LEASE_MS}`),
    ]);
    expect(await sql("ada", "SELECT calls FROM rate_windows")).toEqual([{ calls: 1 }]);
  });

  it("keeps the keys of principals apart", async () => {
    expect(told(await evictedPrincipal("ann").admit(write()))).toBe("run");
    expect(told(await evictedPrincipal("eve").admit(write()))).toBe("run");
  });

  it("answers a repetition of the same attempt as before, and charges and writes nothing for it", async () => {
    const ada = evictedPrincipal("ada");
    const first = write({}, { quota: minute(1), approval });
    const asked = await ada.admit(first);
    if (asked.admitted || asked.reason !== "approval_required") throw new Error(told(asked));
    expect(await sql("ada", "SELECT * FROM journal")).toEqual([]);
    await ada.decide(asked.approvalId, "grant");
    // The journal's row, the window's, the approval's, and the alarm at the lease's end.
    for (const rowsWritten of [4, 0, 0]) {
      const decision = await ada.admit(first);
      expect(decision).toMatchObject({ admitted: true, approval: "granted", rowsWritten });
      expect(told(decision)).toBe("run");
    }
  });

  it("neither charges nor asks a person where it has the answer, or refuses", async () => {
    const ada = evictedPrincipal("ada");
    const first = write();
    await ada.admit(first);
    const again = () => write({}, { quota: minute(1), approval });
    expect(told(await ada.admit(again()))).toBe(`wait ${LEASE_MS}`);
    await ada.settle(completed(first));
    const answered = await ada.admit(again());
    expect(told(answered)).toBe('answered {"text":"done"}');
    expect(answered).not.toHaveProperty("approval");
    expect(answered.rowsWritten).toBe(0);
    expect(await sql("ada", "SELECT * FROM approvals")).toEqual([]);
    expect(await sql("ada", "SELECT * FROM rate_windows")).toEqual([]);
  });

  it("writes down nothing of a call that its quota keeps back", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit({ attempt: freshAttempt(), quota: minute(1) });
    expect(told(await ada.admit(write({}, { quota: minute(1) })))).toContain("tool_execute/minute");
    expect(await sql("ada", "SELECT * FROM journal")).toEqual([]);
    expect(told(await ada.admit(write()))).toBe("run");
  });

  it("does not know, past the lease, what became of a call that nobody reported on; a late answer settles it, once", async () => {
    const ada = evictedPrincipal("ada");
    const first = write();
    await ada.admit(first);
    at(LEASE_MS - 1);
    expect(told(await ada.admit(write()))).toBe("wait 1");
    at(LEASE_MS);
    expect(told(await ada.admit(write()))).toBe("outcome_unknown");
    await ada.settle(completed(first));
    await ada.settle(completed(first, "another"));
    await ada.settle(unsent(first));
    expect(told(await ada.admit(write()))).toBe('answered {"text":"done"}');
  });

  it("says at once that an outcome is unknown, and never lets that call run again", async () => {
    const ada = evictedPrincipal("ada");
    const first = write();
    await ada.admit(first);
    await ada.settle(lost(first));
    for (const passedMs of [0, LEASE_MS, DAY_MS]) {
      at(passedMs);
      expect(told(await ada.admit(write()))).toBe("outcome_unknown");
    }
  });

  it("lets a convergent call of unknown outcome run again under its key, one at a time", async () => {
    const ada = evictedPrincipal("ada");
    const [first, second, third] = [1, 2, 3].map(() => write({ contract: "convergent" }));
    if (!first || !second || !third) throw new Error("no calls");
    await ada.admit(first);
    await ada.settle(lost(first));
    expect(told(await ada.admit(second))).toBe("run");
    expect(told(await ada.admit(third))).toBe(`wait ${LEASE_MS}`);
    // The first one's report comes late, and speaks of an attempt that is no longer the one that counts.
    await ada.settle(completed(first, "first"));
    await ada.settle(completed(second, "second"));
    expect(told(await ada.admit(third))).toBe('answered {"text":"second"}');
  });

  it("lets a call that was never sent run anew", async () => {
    const ada = evictedPrincipal("ada");
    const first = write();
    await ada.admit(first);
    expect((await ada.settle(unsent(first))).rowsWritten).toBe(1);
    const second = write();
    expect(told(await ada.admit(second))).toBe("run");
    await ada.settle(unsent(first));
    expect(told(await ada.admit(write()))).toBe(`wait ${LEASE_MS}`);
  });

  it("takes a JSON-RPC id for the same call only in its session and with the same arguments", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(session("s1", "open"));
    await ada.admit(session("s2", "open"));
    const asks = (id: string, key: string | null, fingerprint = "f") =>
      write({ idempotencyKey: null, requestKey: id, fingerprint }, key === null ? {} : session(key));
    const first = asks("1", "s1");
    const seen = [
      first,
      asks("1", "s1"),
      asks("1", "s1", "g"),
      asks("1", "s2"),
      asks("2", "s1"),
      asks("1", null),
      asks("1", null),
    ];
    const decisions: string[] = [];
    for (const ask of seen) decisions.push(told(await ada.admit(ask)));
    expect(decisions).toEqual(["run", `wait ${LEASE_MS}`, "run", "run", "run", "run", "run"]);
    await ada.settle(completed(first));
    expect(told(await ada.admit(asks("1", "s1")))).toBe('answered {"text":"done"}');
  });

  it("lets two separate equal writes run, and remembers nothing of what nobody can repeat", async () => {
    const ada = evictedPrincipal("ada");
    const writes = [1, 2].map(() => write({ idempotencyKey: null }));
    for (const one of writes) expect(told(await ada.admit(one))).toBe("run");
    for (const one of writes) await ada.settle(completed(one));
    expect(await sql("ada", "SELECT * FROM journal")).toEqual([]);
  });

  it("costs one written row before the call and one after it", async () => {
    const ada = evictedPrincipal("ada");
    // The tables come with the first row that an object writes, and the alarm for the end of its lease with the first call.
    const first = write({ idempotencyKey: "first" });
    await ada.admit(first);
    await ada.settle(completed(first));
    for (const journal of [{}, { idempotencyKey: null }]) {
      const one = write(journal);
      expect((await ada.admit(one)).rowsWritten).toBe(1);
      expect((await ada.settle(completed(one))).rowsWritten).toBe(1);
      expect((await ada.settle(completed(one))).rowsWritten).toBe(0);
    }
    expect((await ada.admit(write())).rowsWritten).toBe(0);
    at(DAY_MS);
    expect((await ada.admit(write())).rowsWritten).toBeLessThanOrEqual(2);
  });

  it("costs another one where no alarm comes before its lease ends", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(session("s1", "open"));
    expect((await ada.admit(write({ idempotencyKey: "first" }))).rowsWritten).toBe(2);
    at(LEASE_MS - 1);
    expect((await ada.admit(write({ idempotencyKey: "second" }))).rowsWritten).toBe(1);
    expect((await ada.admit(write({ idempotencyKey: "short", leaseMs: 1 }))).rowsWritten).toBe(1);
    expect((await ada.admit({ ...write({ idempotencyKey: "dry" }), dry: true })).rowsWritten).toBe(0);
  });

  it("foresees for a dry call what one of that name would meet, and writes nothing", async () => {
    const ada = evictedPrincipal("ada");
    const scarce = { quota: minute(1), approval };
    const foreseen = async (journal: Parameters<typeof write>[0] = {}) => {
      const decision = await ada.admit(write(journal, { ...scarce, dry: true }));
      expect(decision).toMatchObject({ admitted: true, rowsWritten: 0 });
      return decision.admitted ? [decision.earlier, decision.approval] : [];
    };
    expect(await foreseen()).toEqual(["none", "required"]);
    const first = write();
    expect(told(await ada.admit(first))).toBe("run");
    expect(await foreseen()).toEqual(["in_flight", "required"]);
    expect(await foreseen({ fingerprint: "g" })).toEqual(["key_conflict", "required"]);
    expect(await foreseen({ idempotencyKey: "another" })).toEqual(["none", "required"]);
    at(LEASE_MS);
    expect(await foreseen()).toEqual(["outcome_unknown", "required"]);
    await ada.settle(completed(first));
    // A repetition needs no consent.
    expect(await foreseen()).toEqual(["answered", null]);
    expect(told(await ada.admit(write()))).toBe('answered {"text":"done"}');
  });

  it("judges nothing and writes nothing for a call out of an old catalog, and lets no dry call run", async () => {
    const ada = evictedPrincipal("ada");
    const version = (generation: number) => ({ catalogVersion: { catalog: "c", generation } });
    await ada.admit(version(2));
    const dry = await ada.admit(write({}, { dry: true }));
    expect(dry).toMatchObject({ admitted: true, rowsWritten: 0 });
    expect(dry).not.toHaveProperty("journal");
    const stale = write({}, version(1));
    const decision = await ada.admit(stale);
    expect(decision).toMatchObject({ stale: true, rowsWritten: 0 });
    expect(decision).not.toHaveProperty("journal");
    expect(await sql("ada", "SELECT * FROM journal")).toEqual([]);
    expect(told(await ada.admit({ ...stale, ...version(2) }))).toBe("run");
  });

  it("leaves no trace in calls that are not asked about", async () => {
    const calls = async (principal: string, member: { journal?: null }) => {
      const one = evictedPrincipal(principal);
      const ask = { attempt: "a", quota: minute(5), upstreams: ["u"], ...member };
      return [await one.admit(ask), await one.admit(ask), await one.settle({ opened: [], ...member })];
    };
    const without = await calls("without", {});
    expect(await calls("with", { journal: null })).toEqual(without);
    expect(without[1]).toEqual({
      version: 1,
      admitted: true,
      newestGeneration: null,
      stale: false,
      arrangement: null,
      upstreamSessions: [],
      rowsWritten: 0,
    });
  });

  it("keeps an answer as it was, or its handle, or that it was too long to keep", async () => {
    const ada = evictedPrincipal("ada");
    const answers: [string, Report["answer"], unknown][] = [
      ["text", { text: '\ud800\u0000 "quoted"' }, { text: '\ud800\u0000 "quoted"' }],
      ["handle", { handle: "1".repeat(27) }, { handle: "1".repeat(27) }],
      [
        "longest",
        { text: "x".repeat(JOURNAL_ANSWER_MAX_BYTES) },
        { text: "x".repeat(JOURNAL_ANSWER_MAX_BYTES) },
      ],
      ["too long", { text: "x".repeat(JOURNAL_ANSWER_MAX_BYTES + 1) }, null],
      ["none", null, null],
    ];
    for (const [idempotencyKey, answer, kept] of answers) {
      const one = write({ idempotencyKey });
      await ada.admit(one);
      await ada.settle({ journal: { attempt: one.attempt ?? "", outcome: "completed", answer } });
      expect(await ada.admit(write({ idempotencyKey }))).toMatchObject({
        journal: { disposition: "answered", answer: kept },
      });
    }
  });

  it.each<[string, Ask]>([
    ["without an attempt", { ...write(), attempt: null }],
    ["at a session's end", write({}, session("s1", "end"))],
    ["with an empty key", write({ idempotencyKey: "" })],
    ["with a key that is too long", write({ idempotencyKey: "k".repeat(257) })],
    ["with a lease that is too long", write({ leaseMs: JOURNAL_LEASE_MAX_MS + 1 })],
    ["with no lease", write({ leaseMs: 0 })],
  ])("is no request %s", async (_, ask) => {
    expect(told(await evictedPrincipal("ada").admit(ask))).toBe("malformed");
  });

  it("takes any key for what it is: text", async () => {
    const ada = evictedPrincipal("ada");
    const keys = ["__proto__", "\u0000", "\ud800", "'; DROP TABLE journal; --", "k".repeat(256)];
    for (const idempotencyKey of keys) expect(told(await ada.admit(write({ idempotencyKey })))).toBe("run");
    for (const idempotencyKey of keys) {
      expect(told(await ada.admit(write({ idempotencyKey })))).toBe(`wait ${LEASE_MS}`);
    }
  });
});
