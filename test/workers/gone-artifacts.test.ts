import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { r2ArtifactStore } from "../../src/firewall/artifacts/artifact-store.ts";
import { JOURNAL_LEASE_MAX_MS, ARTIFACTS_HANDED_OUT_RETRY_MS } from "../../src/limits.ts";
import type { Result } from "../../src/result.ts";
import { EVICT, principal, reserving, row, rows } from "./artifact-client.ts";
import { farAheadClock } from "./far-ahead.ts";
import { sql } from "./principal-client.ts";

const { at, startMs } = farAheadClock();

const HANDLE = row(1).handle;
const QUOTA = { ...EVICT, maxCount: 1 };
const artifact = {
  handle: HANDLE,
  toolId: "files:read_file#00000000",
  mediaType: "text/plain",
  sizeBytes: 14,
  lines: 1,
  lineIndex: "",
};
const bytes = new TextEncoder().encode("the same bytes");
const store = r2ArtifactStore(env.ARTIFACTS, { sleep: async () => undefined });

function valueOf<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.reason));
  return result.value;
}

/** A call as a Worker makes it: admitted, keeps what its answer had, and is settled whenever the test lets it. */
async function callOf(name: string) {
  const ada = principal(name);
  const ask = reserving({ ...QUOTA, leaseMs: JOURNAL_LEASE_MAX_MS });
  const admitted = await ada.admit(ask);
  if (!admitted.admitted) throw new Error(admitted.reason);
  const goneUntilMs = admitted.artifactAllowance?.goneUntilMs;
  return {
    goneUntilMs,
    keep: async () => valueOf(await store.put(name, artifact, bytes, goneUntilMs)),
    settle: async (...artifacts: Parameters<typeof row>[1][]) =>
      ada.settle({
        attempt: ask.attempt,
        artifacts: artifacts.map((record) => row(0, record)),
        artifactQuota: QUOTA,
      }),
  };
}

/** What a view finds: the ledger's row or what stands beside the bytes. */
async function found(name: string) {
  const asked = await principal(name).admit({ artifacts: [HANDLE] });
  if (!asked.admitted) throw new Error(asked.reason);
  const [known] = asked.artifacts ?? [];
  const read = known === undefined ? null : valueOf(await store.read(name, known, 0, 99));
  return { text: read && new TextDecoder().decode(read), gone: asked.goneArtifacts };
}

/** One call keeps the artifact, another one's makes it give way. */
async function evicted(name: string) {
  const first = await callOf(name);
  const record = await first.keep();
  await first.settle(record);
  const racing = await callOf(name);
  const other = await callOf(name);
  return {
    record,
    racing,
    giveWay: async () => {
      at(1_000);
      await other.settle({ handle: row(2).handle, expiresAtMs: startMs + 7 * 86_400_000 });
    },
  };
}

/** Another call is over, and its Worker deletes what it is told to. */
async function deleteDue(name: string) {
  const { evicted: due = [] } = await principal(name).settle({ attempt: "another" });
  const removed = valueOf(await store.retire(name, due));
  if (removed.length > 0) await principal(name).settle({ removed });
  return removed.map(({ handle }) => handle);
}

describe("an artifact that gives way", () => {
  it("comes back whole where another call under way had found the same bytes, whenever that is settled", async () => {
    for (const settledAtMs of [2_000, JOURNAL_LEASE_MAX_MS]) {
      const name = `racing-${settledAtMs}`;
      const { racing, giveWay } = await evicted(name);
      const relied = await racing.keep();
      await giveWay();
      expect((await found(name)).gone).toMatchObject([{ handle: HANDLE, mayReturn: true }]);
      at(settledAtMs);
      expect(await deleteDue(name)).toEqual([]);
      await racing.settle(relied);
      at(settledAtMs + JOURNAL_LEASE_MAX_MS);
      await deleteDue(name);
      expect(await found(name)).toEqual({ text: "the same bytes", gone: undefined });
      at(0);
    }
  });

  it("is written anew by a call that begins later, and that writing outlives the deletion", async () => {
    const { giveWay, record } = await evicted("later");
    await giveWay();
    at(JOURNAL_LEASE_MAX_MS + 500);
    const later = await callOf("later");
    expect(later.goneUntilMs).toBe(record.expiresAtMs);
    const kept = await later.keep();
    expect(kept.expiresAtMs).toBeGreaterThan(record.expiresAtMs);
    at(JOURNAL_LEASE_MAX_MS + 1_000);
    expect(await deleteDue("later")).toEqual([HANDLE]);
    await later.settle(kept);
    expect(await found("later")).toEqual({ text: "the same bytes", gone: undefined });
    expect((await callOf("later")).goneUntilMs).toBe(startMs + 7 * 86_400_000);
  });

  it("is deleted when no call can rely on it, nothing brings that writing back, and its handle is known to have given way", async () => {
    const { racing, giveWay, record } = await evicted("over");
    const relied = await racing.keep();
    await giveWay();
    at(1_000 + JOURNAL_LEASE_MAX_MS);
    expect(await deleteDue("over")).toEqual([HANDLE]);
    // Its lease ended long ago.
    await racing.settle(relied);
    expect(await found("over")).toEqual({
      text: null,
      gone: [{ handle: HANDLE, toolId: record.toolId, expiresAtMs: record.expiresAtMs, mayReturn: false }],
    });
    expect(valueOf(await store.find("over", HANDLE))).toBeNull();
    expect(await deleteDue("over")).toEqual([]);
    expect((await callOf("over")).goneUntilMs).toBeUndefined();
    // Its own time is over, and with it what is known of it.
    at(7 * 86_400_000);
    expect((await found("over")).gone).toBeUndefined();
  });

  it("is deleted later where nobody said that it was: a bucket that refused, a Worker that ended", async () => {
    const { giveWay } = await evicted("refused");
    await giveWay();
    at(1_000 + JOURNAL_LEASE_MAX_MS);
    const told = async () => (await principal("refused").settle({ attempt: "another" })).evicted?.length ?? 0;
    expect([await told(), await told()]).toEqual([1, 0]);
    at(1_000 + JOURNAL_LEASE_MAX_MS + ARTIFACTS_HANDED_OUT_RETRY_MS);
    expect(await deleteDue("refused")).toEqual([HANDLE]);
    at(1_000 + JOURNAL_LEASE_MAX_MS + 2 * ARTIFACTS_HANDED_OUT_RETRY_MS);
    expect(await told()).toBe(0);
  });

  it("is still to be deleted where an earlier writing of the same handle is said to be", async () => {
    const { giveWay, record } = await evicted("slow");
    await giveWay();
    at(1_000 + JOURNAL_LEASE_MAX_MS);
    const told = async () => (await principal("slow").settle({ attempt: "another" })).evicted?.length ?? 0;
    expect(await told()).toBe(1);
    await principal("slow").settle({ removed: [{ ...record, expiresAtMs: record.expiresAtMs - 1 }] });
    at(1_000 + JOURNAL_LEASE_MAX_MS + ARTIFACTS_HANDED_OUT_RETRY_MS);
    expect(await deleteDue("slow")).toEqual([HANDLE]);
  });

  it("is remembered in a bounded number", async () => {
    const ada = principal("many");
    await ada.settle({ artifacts: [row(0)], artifactQuota: QUOTA });
    at(1);
    await ada.settle({ artifacts: [row(1)], artifactQuota: QUOTA });
    await sql(
      "many",
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
       INSERT INTO gone_artifacts SELECT 'h' || i, 't', 1, NULL, i, i, 1, 1, ${startMs + 86_400_000} FROM n`,
    );
    at(2);
    await ada.settle({ artifacts: rows(2, 1), artifactQuota: QUOTA });
    const [count] = await sql("many", "SELECT count(*) AS n FROM gone_artifacts");
    expect(count).toEqual({ n: 1_000 });
  });
});
