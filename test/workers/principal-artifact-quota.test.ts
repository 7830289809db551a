import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { ARTIFACT_ROOM_RETRY_MS, ARTIFACTS_EVICTED_MAX_COUNT } from "../../src/limits.ts";
import { EVICT, principal, REFUSE, reserving, room, ROOM_LEASE_MS, row, rows } from "./artifact-client.ts";
import { farAheadClock } from "./far-ahead.ts";
import { told, write } from "./journal-client.ts";
import { evictedPrincipal, sql, stubOf, verdict, withTablesOf } from "./principal-client.ts";

const DAY_MS = 86_400_000;
const { startMs: START_MS, at } = farAheadClock();

const TABLES = "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'";
const count = async (name = "ada") => (await sql(name, "SELECT count(*) AS n FROM artifacts"))[0]?.["n"];
const session = (key: string, intent: "open" | "use" = "use") => ({
  session: { key, expiresAtMs: START_MS + DAY_MS, intent },
});
/** What has given way, in the order in which it did. */
const gone = (name = "ada") => sql(name, "SELECT * FROM gone_artifacts ORDER BY gone_at_ms, handle");
const goneHandles = async () => (await gone()).map(({ handle }) => Number(handle));

describe("room for what a call keeps", () => {
  it("costs no written row, nor does freeing it where nothing was kept", async () => {
    const ada = principal("ada");
    for (const onFull of ["evict", "refuse"] as const) {
      const call = reserving({ onFull });
      expect(await ada.admit(call)).toMatchObject({
        admitted: true,
        artifactAllowance: { bytes: 200, count: 2 },
        rowsWritten: 0,
      });
      expect(await ada.settle({ attempt: call.attempt })).toEqual({
        version: 1,
        accepted: true,
        rowsWritten: 0,
      });
    }
    expect(await sql("ada", TABLES)).toEqual([]);
  });

  it("is not spoken of where none is asked for", async () => {
    const plain = await principal("ada").admit({ attempt: "a" });
    expect(plain).not.toHaveProperty("artifactAllowance");
    expect(plain).not.toHaveProperty("artifactsFull");
  });

  it("costs one written row for each artifact that is booked, and two for each that gives way", async () => {
    const ada = principal("ada");
    await ada.settle({ artifacts: rows(0, 16), artifactQuota: EVICT });
    at(1);
    const settled = await ada.settle({ artifacts: rows(100, 2), artifactQuota: EVICT });
    expect(settled).toMatchObject({ rowsWritten: 6 });
    expect(await goneHandles()).toEqual([0, 1]);
    // Renewed: a row is written anew, and nothing has to give way.
    expect(await ada.settle({ artifacts: rows(100, 2), artifactQuota: EVICT })).toEqual({
      version: 1,
      accepted: true,
      rowsWritten: 2,
    });
  });

  it("is given out once to calls that come together near the limit", async () => {
    const ada = principal("ada");
    await ada.settle({ artifacts: rows(0, 14), artifactQuota: REFUSE });
    const two = await Promise.all([ada.admit(reserving()), ada.admit(reserving())]);
    // Which of the two comes first is not said.
    expect(two.map(room).toSorted()).toEqual(["200", `full ${ARTIFACT_ROOM_RETRY_MS}`]);
    expect(room(await principal("eve").admit(reserving()))).toBe("200");
  });

  it("is shared by all sessions of a principal", async () => {
    const ada = principal("ada");
    await ada.admit(session("s1", "open"));
    await ada.admit(session("s2", "open"));
    const half = { bytes: 800, count: 8 };
    expect(room(await ada.admit(reserving(half, session("s1"))))).toBe("800");
    expect(room(await ada.admit(reserving(half, session("s2"))))).toBe("800");
    expect(room(await ada.admit(reserving(half, session("s2"))))).toMatch(/^full/);
  });

  it("is held once for an attempt that is repeated, which is allowed the same again", async () => {
    const ada = principal("ada");
    const call = reserving({ bytes: 1600, count: 16 });
    for (let repeat = 0; repeat < 3; repeat += 1) expect(room(await ada.admit(call))).toBe("1600");
    expect(room(await ada.admit(reserving({ bytes: 100 })))).toMatch(/^full/);
  });

  it("is free again when its call is settled, whatever that kept", async () => {
    const ada = principal("ada");
    const call = reserving({ bytes: 1600, count: 16 });
    await ada.admit(call);
    expect(room(await ada.admit(reserving({ bytes: 500 })))).toMatch(/^full/);
    await ada.settle({ attempt: call.attempt, artifacts: [row(1)], artifactQuota: REFUSE });
    expect(room(await ada.admit(reserving({ bytes: 500 })))).toBe("500");
  });

  it("lapses with the lease of a call that nobody reports on", async () => {
    const ada = principal("ada");
    await ada.admit(reserving({ bytes: 1600, count: 16 }));
    at(ROOM_LEASE_MS - 1000);
    expect(room(await ada.admit(reserving()))).toBe("full 1000");
    at(ROOM_LEASE_MS);
    expect(room(await ada.admit(reserving()))).toBe("200");
  });

  it("is forgotten with an object that dies: what is kept all the same is booked, and refuses the next calls", async () => {
    const ada = evictedPrincipal("ada");
    const calls = Array.from({ length: 3 }, () => reserving({ bytes: 1600, count: 16 }));
    for (const call of calls) expect(room(await ada.admit(call))).toBe("1600");
    for (const [index, { attempt }] of calls.entries()) {
      await ada.settle({ attempt, artifacts: rows(index * 10, 9), artifactQuota: REFUSE });
    }
    // Nothing that was told to a model is taken away.
    expect(await count()).toBe(27);
    expect(room(await ada.admit(reserving()))).toBe(`full ${7 * DAY_MS}`);
    at(7 * DAY_MS);
    expect(room(await ada.admit(reserving()))).toBe("200");
  });
});

describe("a full quota that refuses", () => {
  it("refuses before a call is charged, a person asked or anything written, and says when there may be room", async () => {
    const ada = principal("ada");
    await ada.settle({
      artifacts: [row(0, { expiresAtMs: START_MS + DAY_MS }), ...rows(1, 15)],
      artifactQuota: REFUSE,
    });
    const approval = { toolId: "t", schemaHash: "s", argumentsHash: "a", rule: "r", metaTool: "m" };
    const quota = { per: "principal" as const, buckets: [{ name: "b", perMinute: 1 }] };
    const { reserve } = reserving();
    const full = { reason: "artifacts_full", retryAfterMs: DAY_MS, rowsWritten: 0 };
    expect(await ada.admit(write({}, { reserve, approval, quota }))).toMatchObject(full);
    for (const table of ["approvals", "rate_windows", "journal"]) {
      expect(await sql("ada", `SELECT * FROM ${table}`)).toEqual([]);
    }
    at(DAY_MS);
    expect(room(await ada.admit(reserving()))).toBe("100");
  });

  it("is full by bytes or by number, and by nothing that has expired", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ artifacts: [row(0, { sizeBytes: 1501 })], artifactQuota: REFUSE });
    await ada.settle({
      artifacts: rows(1, 15, { sizeBytes: 0, expiresAtMs: START_MS + 1000 }),
      artifactQuota: REFUSE,
    });
    expect(room(await ada.admit(reserving({ maxCount: 100 })))).toMatch(/^full/);
    expect(room(await ada.admit(reserving({ maxBytes: 10_000 })))).toMatch(/^full/);
    at(1000);
    expect(room(await ada.admit(reserving({ maxBytes: 10_000 })))).toBe("200");
    expect(await count()).toBe(16);
  });

  it("takes no artifact away, and lets a call that asks to evict pass", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ artifacts: rows(0, 16), artifactQuota: REFUSE });
    await ada.settle({ artifacts: rows(16, 4), artifactQuota: REFUSE });
    expect(await gone()).toEqual([]);
    expect(await count()).toBe(20);
    expect(room(await ada.admit(reserving(EVICT)))).toBe("200");
    expect(room(await ada.admit({ attempt: "a" }))).toBe("undefined");
  });

  it("does not stop an attempt that the journal has let in, though its object died in between", async () => {
    const ada = evictedPrincipal("ada");
    const { reserve } = reserving();
    const call = write({}, { reserve });
    expect(told(await ada.admit(call))).toBe("run");
    await ada.settle({ artifacts: rows(0, 16), artifactQuota: REFUSE });
    const again = await ada.admit(call);
    expect(told(again)).toBe("run");
    expect(again).toMatchObject({ artifactAllowance: { bytes: 0, count: 0 } });
    expect(told(await ada.admit(write({ idempotencyKey: "other" }, { reserve })))).toBe("artifacts_full");
  });

  it("does not keep a repeated call from its first answer, which holds no room", async () => {
    const ada = principal("ada");
    const { reserve } = reserving();
    const first = write({}, { reserve });
    await ada.admit(first);
    await ada.settle({
      attempt: first.attempt,
      journal: { attempt: first.attempt ?? "", outcome: "completed", answer: { text: "done" } },
      artifacts: rows(0, 16),
      artifactQuota: REFUSE,
    });
    const repeated = await ada.admit(write({}, { reserve }));
    expect(told(repeated)).toBe('answered {"text":"done"}');
    expect(repeated).not.toHaveProperty("artifactAllowance");
  });

  it("is foreseen by a dry call, which holds nothing", async () => {
    const ada = principal("ada");
    const dry = reserving({ bytes: 1600, count: 16 }, { dry: true });
    for (let repeat = 0; repeat < 3; repeat += 1) {
      expect(await ada.admit(dry)).toMatchObject({ artifactsFull: null, rowsWritten: 0 });
    }
    expect(await sql("ada", TABLES)).toEqual([]);
    expect(room(await ada.admit(reserving()))).toBe("200");
    await ada.settle({ artifacts: rows(0, 16), artifactQuota: REFUSE });
    const foreseen = await ada.admit(dry);
    expect(foreseen).toMatchObject({ admitted: true, artifactsFull: { retryAfterMs: 7 * DAY_MS } });
    expect(foreseen).not.toHaveProperty("artifactAllowance");
  });

  it("is not judged for a call out of an old catalog, which holds nothing either", async () => {
    const ada = principal("ada");
    const version = (generation: number) => ({ catalogVersion: { catalog: "c", generation } });
    await ada.admit(version(5));
    const all = { bytes: 1600, count: 16 };
    const call = reserving(all, version(4));
    expect(verdict(await ada.admit(call))).toBe("stale");
    expect(room(await ada.admit(reserving(all)))).toBe("1600");
    expect(verdict(await ada.admit(call))).toBe("stale");
    expect(room(await ada.admit({ ...call, ...version(5) }))).toMatch(/^full/);
  });
});

describe("a full quota under which the oldest give way", () => {
  it("holds no call up, however many are under way, and takes nothing away before something was kept", async () => {
    const ada = principal("ada");
    await ada.settle({ artifacts: rows(0, 16), artifactQuota: EVICT });
    const calls = Array.from({ length: 50 }, () => reserving(EVICT));
    expect(new Set((await Promise.all(calls.map((call) => ada.admit(call)))).map(room))).toEqual(
      new Set(["200"]),
    );
    for (const { attempt } of calls) await ada.settle({ attempt });
    expect(await gone()).toEqual([]);
    expect(await count()).toBe(16);
  });

  it("takes the oldest by when they were last kept, whatever their lifetime, across a new life of the object", async () => {
    const ada = evictedPrincipal("ada");
    const kept = async (index: number, lifeMs: number) => {
      at(index * 1000);
      const expiresAtMs = START_MS + index * 1000 + lifeMs;
      const storedAs = `d/${index}`;
      await ada.settle({ artifacts: [row(index, { expiresAtMs, storedAs })], artifactQuota: EVICT });
    };
    for (let index = 0; index < 16; index += 1) await kept(index, index % 2 === 0 ? 30 * DAY_MS : DAY_MS);
    at(20_000);
    // The very oldest is kept once more, and becomes the youngest; its longer life is no shorter for it.
    await ada.settle({ artifacts: [row(0)], artifactQuota: EVICT });
    at(21_000);
    await ada.settle({ artifacts: rows(100, 2), artifactQuota: EVICT });
    expect(await gone()).toMatchObject([
      { handle: row(1).handle, size_bytes: 100, stored_as: "d/1" },
      { handle: row(2).handle, size_bytes: 100, stored_as: "d/2" },
    ]);
    const asked = [0, 1, 2, 3].map((index) => row(index).handle);
    const found = await ada.admit({ artifacts: asked });
    expect(found.admitted && found.artifacts?.map(({ storedAs }) => storedAs)).toEqual(["d/0", "d/3"]);
  });

  it("never takes what was just kept, though that alone is more than there is room for", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ artifacts: rows(0, 3), artifactQuota: EVICT });
    await ada.settle({ artifacts: rows(10, 20), artifactQuota: EVICT });
    expect(await goneHandles()).toEqual([0, 1, 2]);
    expect(await count()).toBe(20);
    at(1000);
    await ada.settle({ artifacts: [row(50)], artifactQuota: EVICT });
    expect(await goneHandles()).toEqual([0, 1, 2, 10, 11, 12, 13, 14]);
  });

  it("takes a first answer that the journal refers to after everything older", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ artifacts: rows(0, 15), artifactQuota: EVICT });
    at(1000);
    const call = write();
    await ada.admit(call);
    const attempt = call.attempt ?? "";
    await ada.settle({
      artifacts: [row(50)],
      artifactQuota: EVICT,
      journal: { attempt, outcome: "completed", answer: { handle: row(50).handle } },
    });
    for (let index = 0; index < 15; index += 1) {
      at(2000 + index);
      await ada.settle({ artifacts: [row(100 + index)], artifactQuota: EVICT });
    }
    expect(told(await ada.admit(write()))).toBe(`answered {"handle":"${row(50).handle}"}`);
    const found = await ada.admit({ artifacts: [row(50).handle] });
    expect(found).toMatchObject({ artifacts: [row(50, { expiresAtMs: START_MS + 1000 + 7 * DAY_MS })] });
  });

  it("takes a bounded number at once, and goes on with the next report", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ artifacts: [row(0)], artifactQuota: EVICT });
    await sql(
      "ada",
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
       INSERT INTO artifacts SELECT 'h' || i, 't', 'm', 100, NULL, '', ${START_MS + DAY_MS}, NULL, i FROM n`,
    );
    await ada.settle({ artifacts: [row(1)], artifactQuota: EVICT });
    expect(await gone()).toHaveLength(ARTIFACTS_EVICTED_MAX_COUNT);
    expect((await gone())[0]).toMatchObject({ handle: "h1", size_bytes: 100, stored_as: null });
    await ada.settle({ artifacts: [row(2)], artifactQuota: EVICT });
    expect(await count()).toBe(16);
  });

  it("is the usual one for a Worker of an older version, which names none and reads no answer", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ artifacts: rows(0, 32, { sizeBytes: 1024 ** 2 }) });
    expect(await gone()).toEqual([]);
    at(1000);
    await ada.settle({ artifacts: [row(50, { sizeBytes: 1024 ** 3 - 31 * 1024 ** 2 })] });
    // One has to; of the next ones, ten come to less than the hundredth that is made free at once.
    expect(await gone()).toHaveLength(11);
  });
});

describe("an object that an older version wrote", () => {
  it("knows of what it has kept, in the order of its keeping, and takes the newer columns with its next write", async () => {
    const ada = evictedPrincipal("ada");
    for (let index = 0; index < 16; index += 1) {
      at(index);
      await ada.settle({ artifacts: [row(index)] });
    }
    await withTablesOf("ada", 5);
    at(1000);
    const full = await ada.admit(reserving({}, { dry: true }));
    expect(full).toMatchObject({ artifactsFull: { retryAfterMs: 7 * DAY_MS - 1000 }, rowsWritten: 0 });
    expect(room(await ada.admit(reserving()))).toMatch(/^full/);
    await ada.settle({ artifacts: [row(100, { storedAs: "d1/x" })], artifactQuota: EVICT });
    expect(await goneHandles()).toEqual([0]);
    const found = await ada.admit({ artifacts: [row(1).handle, row(100).handle] });
    expect(found.admitted && found.artifacts?.map(({ storedAs }) => storedAs)).toEqual([undefined, "d1/x"]);
  });

  it("finds what it has kept before anything newer was written", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ artifacts: [row(1)] });
    for (const version of [5, 4, 3, 2]) {
      await withTablesOf("ada", version);
      expect(await ada.admit({ artifacts: [row(1).handle] })).toMatchObject({ artifacts: [row(1)] });
    }
  });

  it("ends with what it has kept", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ artifacts: rows(0, 16), artifactQuota: REFUSE });
    at(8 * DAY_MS);
    await abortAllDurableObjects();
    await runDurableObjectAlarm(stubOf("ada"));
    expect(await sql("ada", TABLES)).toEqual([]);
    expect(room(await ada.admit(reserving()))).toBe("200");
  });
});
