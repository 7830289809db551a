import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import {
  ApprovalIndexStore,
  type ApprovalRequest,
  type ApprovalState,
} from "../../src/access/approval-index-store.ts";
import { APPROVALS_PAGE_MAX_COUNT, APPROVALS_PER_PRINCIPAL_MAX_COUNT } from "../../src/limits.ts";
import { freshDatabase } from "./fresh-storage.ts";

const NOW_MS = 1_800_000_000_500;
const HOUR_MS = 3_600_000;
const request = (id: string, changes: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id,
  principal: "ada",
  metaTool: "tool_execute",
  toolId: "github:delete_repo#aea9ce2a",
  server: "github",
  reason: "deletes need a person",
  arguments: '{"repo":"x"}',
  requestedAtMs: NOW_MS,
  expiresAtMs: NOW_MS + HOUR_MS,
  ...changes,
});

const store = new ApprovalIndexStore(env.DB);
const mark = (
  id: string,
  seen: ApprovalState,
  state: "granted" | "refused" | "used",
  nowMs: number,
): Promise<boolean> =>
  store.mark({ ...request(id), state: seen, decidedAtMs: null }, state, NOW_MS + HOUR_MS, nowMs);
const listed = async (nowMs = NOW_MS): Promise<readonly string[]> =>
  (await store.list(nowMs, APPROVALS_PAGE_MAX_COUNT)).approvals.map(({ id }) => id);
const count = async (): Promise<unknown> =>
  (await env.DB.prepare("SELECT count(*) AS rows FROM approvals").first())?.["rows"];

beforeEach(async () => {
  await freshDatabase();
});

describe("the index of approvals", () => {
  it("keeps a grant in reach, however much its principal asks for afterwards", async () => {
    await store.record(request("granted"), NOW_MS);
    const row = await store.find("granted", NOW_MS);
    if (row === null) throw new Error("not recorded");
    await store.mark(row, "granted", row.expiresAtMs, NOW_MS);
    for (let at = 1; at <= APPROVALS_PER_PRINCIPAL_MAX_COUNT + 8; at += 1) {
      await store.record(request(`more-${at}`), NOW_MS + at);
    }
    expect(await store.find("granted", NOW_MS + 100)).toMatchObject({ state: "granted" });
  });

  it("takes out what waits no more in a new one's place, of the same principal and undecided alone", async () => {
    for (const id of ["old", "granted"]) await store.record(request(id), NOW_MS);
    await store.record(request("eve's", { principal: "eve" }), NOW_MS);
    await mark("granted", "pending", "granted", NOW_MS);
    await store.record(request("new"), NOW_MS, ["old", "granted", "eve's", "never was"]);
    expect((await listed()).toSorted((left, right) => (left < right ? -1 : 1))).toEqual([
      "eve's",
      "granted",
      "new",
    ]);
  });

  it("gives back what was written down, pending", async () => {
    const written = [
      request("a'); DROP TABLE approvals; --", { principal: "gr\u00e9goire", reason: null }),
      request("b", { arguments: '{"n":12345678901234567890}' }),
    ];
    for (const one of written) await store.record(one, NOW_MS);
    for (const one of written) {
      expect(await store.find(one.id, NOW_MS)).toEqual({ ...one, state: "pending", decidedAtMs: null });
    }
    expect(await store.find("c", NOW_MS)).toBeNull();
  });

  it("has one row for a call that is repeated, whose decision stays", async () => {
    await store.record(request("a"), NOW_MS);
    await mark("a", "pending", "granted", NOW_MS + 5);
    await store.record(request("a", { expiresAtMs: NOW_MS + 2 * HOUR_MS }), NOW_MS + 9);
    expect(await store.find("a", NOW_MS + 9)).toEqual({
      ...request("a"),
      expiresAtMs: NOW_MS + 2 * HOUR_MS,
      state: "granted",
      decidedAtMs: NOW_MS + 5,
    });
    expect(await count()).toBe(1);
  });

  it("lets no principal write over another's row", async () => {
    await store.record(request("a"), NOW_MS);
    await store.record(request("a", { principal: "eve", expiresAtMs: NOW_MS + 9 * HOUR_MS }), NOW_MS);
    expect(await store.find("a", NOW_MS)).toMatchObject({
      principal: "ada",
      expiresAtMs: NOW_MS + HOUR_MS,
    });
  });

  it("says what was decided last, and for good what has run", async () => {
    await store.record(request("a"), NOW_MS);
    const state = async () => {
      const row = await store.find("a", NOW_MS);
      return [row?.state, row?.decidedAtMs];
    };
    expect(await mark("a", "pending", "granted", NOW_MS + 1)).toBe(true);
    expect(await mark("a", "pending", "granted", NOW_MS + 2)).toBe(true);
    expect(await state()).toEqual(["granted", NOW_MS + 1]);
    expect(await mark("a", "granted", "refused", NOW_MS + 3)).toBe(true);
    expect(await state()).toEqual(["refused", NOW_MS + 3]);
    expect(await mark("a", "pending", "used", NOW_MS + 4)).toBe(true);
    expect(await state()).toEqual(["used", NOW_MS + 3]);
    // An answer that was overtaken on its way here.
    expect(await mark("a", "refused", "granted", NOW_MS + 5)).toBe(false);
    expect(await state()).toEqual(["used", NOW_MS + 3]);
    expect(await mark("unknown", "pending", "granted", NOW_MS)).toBe(false);
    expect(await count()).toBe(1);
  });

  it("says neither of two decisions whose order it cannot know", async () => {
    await store.record(request("a"), NOW_MS);
    expect(await mark("a", "pending", "refused", NOW_MS)).toBe(true);
    expect(await mark("a", "pending", "granted", NOW_MS)).toBe(false);
    expect(await store.find("a", NOW_MS)).toMatchObject({ state: "pending", decidedAtMs: null });
  });

  it("lists the newest first, in one order for equal times", async () => {
    await store.record(request("old", { requestedAtMs: NOW_MS - 5 }), NOW_MS);
    await store.record(request("b"), NOW_MS);
    await store.record(request("c", { principal: "bob" }), NOW_MS);
    expect(await listed()).toEqual(["c", "b", "old"]);
  });

  it("knows nothing of what has expired, and drops it in passing", async () => {
    await store.record(request("short", { expiresAtMs: NOW_MS + 10 }), NOW_MS);
    await store.record(request("long"), NOW_MS);
    expect(await store.find("short", NOW_MS + 9)).not.toBeNull();
    expect(await store.find("short", NOW_MS + 10)).toBeNull();
    expect(await count()).toBe(2);
    expect(await listed(NOW_MS + 10)).toEqual(["long"]);
    expect(await count()).toBe(1);
    await store.record(request("next", { expiresAtMs: NOW_MS + 3 * HOUR_MS }), NOW_MS + 2 * HOUR_MS);
    expect(await count()).toBe(1);
  });

  it("is read whole in pages, also when rows go meanwhile", async () => {
    for (let index = 0; index < 7; index += 1)
      await store.record(request(`r${index}`, { requestedAtMs: NOW_MS + Math.floor(index / 3) }), NOW_MS);
    const seen: string[] = [];
    let page = await store.list(NOW_MS, 2);
    for (;;) {
      expect(page.approvals.length).toBeLessThanOrEqual(2);
      seen.push(...page.approvals.map(({ id }) => id));
      if (page.next === null) break;
      await store.remove(page.next.id);
      page = await store.list(NOW_MS, 2, page.next);
    }
    expect(seen).toEqual(["r6", "r5", "r4", "r3", "r2", "r1", "r0"]);
    expect(await listed()).toEqual(["r6", "r4", "r2", "r0"]);
  });

  it("keeps a bounded number of one principal's, so that the others are seen", async () => {
    await store.record(request("quiet", { principal: "bob", requestedAtMs: NOW_MS - 1 }), NOW_MS);
    await store.record(request("decided"), NOW_MS);
    await mark("decided", "pending", "refused", NOW_MS);
    const extra = 5;
    const ids = Array.from(
      { length: APPROVALS_PER_PRINCIPAL_MAX_COUNT + extra },
      (_, index) => `n${String(index).padStart(3, "0")}`,
    );
    for (const [index, id] of ids.entries())
      await store.record(request(id, { requestedAtMs: NOW_MS + index }), NOW_MS + index);
    expect(await listed()).toEqual([...ids.slice(extra).toReversed(), "quiet"]);

    // What was left out is listed again when it is asked for again, and what was asked for least lately goes.
    await store.record(request("n000"), NOW_MS + 1_000);
    const now = await listed();
    expect(now).toContain("n000");
    expect(now).not.toContain("n005");
    expect(now).toHaveLength(APPROVALS_PER_PRINCIPAL_MAX_COUNT + 1);
  });

  it("answers at most a page, whatever limit is asked for", async () => {
    for (let index = 0; index <= APPROVALS_PAGE_MAX_COUNT; index += 1)
      await store.record(request(`r${index}`, { principal: `p${index}` }), NOW_MS);
    const page = await store.list(NOW_MS, 1_000_000);
    expect(page.approvals).toHaveLength(APPROVALS_PAGE_MAX_COUNT);
    expect(page.next).not.toBeNull();
    expect((await store.list(NOW_MS, -1)).approvals).toHaveLength(1);
  });
});
