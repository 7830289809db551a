import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { ApprovalIndexStore, type ApprovalRequest } from "../../../src/access/approval-index-store.ts";
import { type ApprovalDecider, type ApprovalVerdict, decide } from "../../../src/http/admin-approvals.ts";
import { memberOf } from "../../../src/json.ts";
import { APPROVAL_ID_MAX_CHARS } from "../../../src/limits.ts";
import { fail, ok } from "../../../src/result.ts";
import { bearerFor, KEY, OPERATOR, send } from "./client.ts";
import { freshDatabase } from "../fresh-storage.ts";

const HOUR_MS = 3_600_000;
const store = new ApprovalIndexStore(env.DB);

const request = (id: string, changes: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id,
  principal: "ada",
  metaTool: "tool_execute",
  toolId: "github:delete_repo#aea9ce2a",
  server: "github",
  reason: null,
  arguments: '{"repo":"x"}',
  requestedAtMs: Date.now(),
  expiresAtMs: Date.now() + HOUR_MS,
  ...changes,
});

function ask(path: string, method = "GET", bearer = OPERATOR): Promise<Response> {
  return send(path, { method, headers: bearer === "" ? {} : { Authorization: `Bearer ${bearer}` } });
}

beforeEach(async () => {
  await freshDatabase();
});

describe("GET /admin/approvals", () => {
  it("is the operator's alone", async () => {
    await store.record(request("a"), Date.now());
    for (const [bearer, status] of [
      ["", 401],
      [await bearerFor(), 403],
      [await bearerFor({ kind: "owner" }), 403],
      [OPERATOR, 200],
    ] as const) {
      expect((await ask("/admin/approvals", "GET", bearer)).status).toBe(status);
    }
    for (const [bearer, status] of [
      ["", 401],
      [await bearerFor(), 403],
    ] as const) {
      expect((await ask("/admin/approvals/a/grant", "POST", bearer)).status).toBe(status);
    }
    expect(await store.find("a", Date.now())).toMatchObject({ state: "pending" });
  });

  it("shows what waits and what was decided, by its contract", async () => {
    const now = Date.now();
    const old = request("old", { requestedAtMs: now - 5, reason: "deletes need a person" });
    const fresh = request("new", { principal: "bob", requestedAtMs: now });
    await store.record(old, now);
    await store.record(fresh, now);
    await store.mark({ ...old, state: "pending", decidedAtMs: null }, "refused", old.expiresAtMs, now);
    const response = await ask("/admin/approvals");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      approvals: [
        {
          id: "new",
          principal: "bob",
          meta_tool: "tool_execute",
          tool_id: "github:delete_repo#aea9ce2a",
          server: "github",
          reason: null,
          arguments: { repo: "x" },
          requested_at_ms: now,
          expires_at_ms: fresh.expiresAtMs,
          state: "pending",
        },
        {
          id: "old",
          principal: "ada",
          meta_tool: "tool_execute",
          tool_id: "github:delete_repo#aea9ce2a",
          server: "github",
          reason: "deletes need a person",
          arguments: { repo: "x" },
          requested_at_ms: now - 5,
          expires_at_ms: old.expiresAtMs,
          state: "refused",
        },
      ],
      next: null,
    });
  });

  it("goes on from where a page ended", async () => {
    for (const id of ["a", "b", "c"]) await store.record(request(id, { requestedAtMs: 5 }), Date.now());
    const first: unknown = await (await ask("/admin/approvals?limit=2")).json();
    expect(memberOf(first, "next")).toBe("5.b");
    const second: unknown = await (await ask("/admin/approvals?limit=2&after=5.b")).json();
    expect(second).toMatchObject({ approvals: [{ id: "a" }], next: null });
  });

  it.each([
    "limit=0",
    "limit=x",
    "limit=-1",
    "after=",
    "after=x",
    "after=5.",
    "after=5.a%20b",
    `after=5.${"a".repeat(APPROVAL_ID_MAX_CHARS + 1)}`,
    "after=1e5.a",
  ])("refuses %s", async (query) => {
    const response = await ask(`/admin/approvals?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid" });
  });

  it("shows numbers as they came, turns no text around, and keeps the Worker's own secrets", async () => {
    await store.record(
      request("a", {
        principal: "ad\u202ea",
        arguments: `{"id":12345678901234567890,"price":1.10,"note":"${KEY}","__proto__":"\u202e"}`,
      }),
      Date.now(),
    );
    const text = await (await ask("/admin/approvals")).text();
    expect(text).toContain(
      String.raw`"arguments":{"id":12345678901234567890,"price":1.10,"note":"[REDACTED-SECRET]","__proto__":"\u202e"}`,
    );
    expect(text).toMatch(/^[ -~]*$/);
    expect(memberOf(JSON.parse(text), "approvals")).toMatchObject([{ principal: "ad\u202ea" }]);
  });

  it("shows a text where the arguments cannot be read", async () => {
    await store.record(request("a", { arguments: "{" }), Date.now());
    expect(await (await ask("/admin/approvals")).json()).toMatchObject({ approvals: [{ arguments: "{" }] });
  });
});

describe("POST /admin/approvals/{id}/grant|refuse", () => {
  it.each([
    "/admin/approvals/unknown/grant",
    "/admin/approvals/a%27%20OR%201=1/refuse",
    "/admin/approvals/%00/grant",
    "/admin/approvals/__proto__/grant",
    `/admin/approvals/${"a".repeat(APPROVAL_ID_MAX_CHARS + 1)}/grant`,
    "/admin/approvals/%ff/refuse",
    "/admin/approvals/a/revoke",
    "/admin/approvals/a",
  ])("%s is not found", async (path) => {
    const response = await ask(path, "POST");
    expect([response.status, await response.json()]).toEqual([404, { error: "not_found" }]);
  });
});

/** A principal's object that gives one answer, and remembers what it was asked. */
function objectThat(answer: Partial<ApprovalVerdict> | "unreachable", meanwhile?: () => Promise<unknown>) {
  const asked: unknown[] = [];
  const object = (principal: string): ApprovalDecider => ({
    decideApproval: async (request) => {
      asked.push([principal, request]);
      await meanwhile?.();
      if (answer === "unreachable") return fail({ detail: "the object is gone" });
      return ok({
        version: 1,
        outcome: "unknown",
        state: null,
        expiresAtMs: null,
        rowsWritten: 0,
        ...answer,
      });
    },
  });
  return { asked, object };
}

describe("an operator's decision", () => {
  const now = 1_800_000_000_000;
  const row = request("a", { requestedAtMs: now, expiresAtMs: now + HOUR_MS });
  const grant = { id: "a", wanted: "granted", nowMs: now + 7 } as const;
  const listed = async () => store.find("a", now);

  beforeEach(async () => {
    await store.record(row, now);
  });

  it.each([
    ["granted", "grant"],
    ["refused", "refuse"],
  ] as const)("%s: the object is asked, then the list says so", async (state, decision) => {
    const { asked, object } = objectThat({ outcome: state, state, expiresAtMs: now + 2 * HOUR_MS });
    const approval = { ...row, state, expiresAtMs: now + 2 * HOUR_MS, decidedAtMs: now + 7 };
    expect(await decide(store, object, { ...grant, wanted: state })).toEqual({ status: "decided", approval });
    expect(asked).toEqual([["ada", { version: 1, approvalId: "a", decision }]]);
    expect(await listed()).toEqual(approval);
  });

  it("repeated, is the same, and its first time stands", async () => {
    await decide(store, objectThat({ outcome: "granted", state: "granted" }).object, grant);
    const again = objectThat({ outcome: "already", state: "granted" });
    expect(await decide(store, again.object, { ...grant, nowMs: now + 99 })).toMatchObject({
      status: "decided",
      approval: { state: "granted", decidedAtMs: now + 7 },
    });
  });

  it("that the object never heard leaves the list as it was", async () => {
    const { object } = objectThat("unreachable");
    expect(await decide(store, object, grant)).toEqual({
      status: "unavailable",
      detail: "the object is gone",
    });
    expect(await listed()).toEqual({ ...row, state: "pending", decidedAtMs: null });
  });

  it("that could not be listed is no success, and asking again mends the list", async () => {
    const failing = new ApprovalIndexStore(env.DB);
    failing.mark = () => Promise.reject(new Error("D1 is overloaded"));
    const first = objectThat({ outcome: "granted", state: "granted" });
    expect(await decide(failing, first.object, grant)).toMatchObject({ status: "unavailable" });
    expect(await listed()).toMatchObject({ state: "pending" });
    const again = objectThat({ outcome: "already", state: "granted" });
    expect(await decide(store, again.object, grant)).toMatchObject({ status: "decided" });
    expect(await listed()).toMatchObject({ state: "granted" });
  });

  it("may be the other one, until the call has run", async () => {
    await decide(store, objectThat({ outcome: "granted", state: "granted" }).object, grant);
    const taken = { ...grant, wanted: "refused", nowMs: now + 9 } as const;
    expect(
      await decide(store, objectThat({ outcome: "refused", state: "refused" }).object, taken),
    ).toMatchObject({
      status: "decided",
      approval: { state: "refused", decidedAtMs: now + 9 },
    });
    expect(await listed()).toMatchObject({ state: "refused", decidedAtMs: now + 9 });
  });

  it("on a call that has run is a conflict, and the list learns it", async () => {
    const { object } = objectThat({ outcome: "already", state: "used" });
    expect(await decide(store, object, grant)).toEqual({ status: "conflict", state: "used" });
    expect(await listed()).toMatchObject({ state: "used" });
  });

  it("made by two at once, each another, is listed as neither", async () => {
    const other = objectThat({ outcome: "refused", state: "refused" });
    const { object } = objectThat({ outcome: "granted", state: "granted" }, () =>
      decide(store, other.object, { ...grant, wanted: "refused" }),
    );
    expect(await decide(store, object, grant)).toMatchObject({ status: "unavailable" });
    expect(await listed()).toMatchObject({ state: "pending", decidedAtMs: null });
  });

  it("made by two at once, both the same, is that", async () => {
    const { object: same } = objectThat({ outcome: "already", state: "granted" });
    const { object } = objectThat({ outcome: "granted", state: "granted" }, () => decide(store, same, grant));
    expect(await decide(store, object, grant)).toMatchObject({ status: "decided" });
    expect(await listed()).toMatchObject({ state: "granted" });
  });

  it.each(["unknown", "expired"] as const)(
    "on what is %s to the object finds nothing, and nothing is listed any more",
    async (outcome) => {
      expect(await decide(store, objectThat({ outcome }).object, grant)).toEqual({ status: "not_found" });
      expect(await listed()).toBeNull();
    },
  );

  it("on what has expired, or has no such id, asks no object", async () => {
    const { asked, object } = objectThat({ outcome: "granted", state: "granted" });
    const late = { ...grant, nowMs: now + HOUR_MS };
    for (const decision of [late, { ...grant, id: "b" }, { ...grant, id: "" }, { ...grant, id: "a\n" }])
      expect(await decide(store, object, decision)).toEqual({ status: "not_found" });
    expect(asked).toEqual([]);
  });
});
