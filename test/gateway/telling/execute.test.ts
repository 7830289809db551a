import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/identity/digest.ts";
import type { AdmitAsk } from "../../../src/gateway/request-context.ts";
import { memberOf } from "../../../src/json.ts";
import { fail, ok } from "../../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakeId } from "../../support/fake-catalog.ts";
import { fakeCaller, fakeGateway } from "../../support/fake-gateway.ts";
import { CATALOG, DELETE, deleteCall, GET, getCall, run } from "../controlled.ts";
import { accountOf, expectWhole, onlyEntry, type Refusal, refusing } from "./told.ts";

const text = (words: string) => ok({ content: [{ type: "text", text: words }] });

/** One call, and the only entry that it leaves. */
async function tell(made: ReturnType<typeof run>, args: Record<string, unknown>) {
  await made.call(args);
  const entry = onlyEntry(made.caller.told);
  expectWhole(entry);
  return entry;
}

describe("an execute that was answered", () => {
  it("is told with its figures, in one settle behind the answer", async () => {
    const made = run({}, {}, { answer: () => text("fine") });
    const entry = await tell(made, deleteCall);
    expect(entry.event).toEqual({
      version: 1,
      event: "execute.completed",
      timestamp: made.clock.nowMs,
      success: true,
      duration_ms: 0,
      session_id: sha256Hex("session").slice(0, 16),
      tool_id: fakeId(DELETE),
      namespace: "github",
      attributes: {
        attempts: 1,
        status: "ok",
        replay: "never_replay",
        arg_count: 1,
        repairs: 0,
        generation: 1,
        raw_bytes: 4,
        raw_tokens: 1,
        shown_bytes: 4,
        shown_tokens: 1,
        artifact_count: 0,
        artifact_bytes: 0,
        firewall_triggered: false,
      },
    });
    expect(accountOf(entry)).toBe("github: request, success");
    expect([made.caller.settles(), made.caller.asks.length]).toEqual([1, 1]);
  });

  it("with the tool's own error has not failed on its way", async () => {
    const made = run({}, {}, { answer: () => ok({ content: [], isError: true }) });
    const entry = await tell(made, deleteCall);
    expect(entry.event).toMatchObject({
      event: "execute.completed",
      success: false,
      attributes: { status: "error" },
    });
    expect(accountOf(entry)).toBe("github: request, success");
  });

  it("with more than is shown has artifacts", async () => {
    const made = run({}, {}, { answer: () => text("line of a log\n".repeat(2000)) });
    expect((await tell(made, deleteCall)).event.attributes).toMatchObject({
      status: "ok",
      raw_bytes: 28_000,
      artifact_count: 1,
      artifact_bytes: 28_000,
      firewall_triggered: true,
    });
  });

  it("in part is told as partial", async () => {
    const made = run({}, {}, { answer: () => text("line of a log\n".repeat(2000)) });
    made.artifacts.broken = true;
    expect((await tell(made, deleteCall)).event).toMatchObject({
      success: true,
      attributes: { status: "partial" },
    });
  });

  it("with no legal result has failed, its outcome known", async () => {
    const entry = await tell(run({}, {}, { answer: () => ok({ content: 5 }) }), deleteCall);
    expect(entry.event).toMatchObject({ event: "execute.failed", attributes: { outcome: "completed" } });
    expect(accountOf(entry)).toBe("github: request, fault illegal_result, error illegal_result");
  });

  it("after tries that were turned away counts them all, and takes all of their time", async () => {
    const gateway = { retry: { max_attempts: 3, base_delay_ms: 100, jitter: 0 } };
    let tries = 0;
    const answer = () =>
      (tries += 1) < 3
        ? fail({ reason: "unreachable", outcome: "not_dispatched", detail: "refused" } as const)
        : text("fine");
    const entry = await tell(run(gateway, {}, { answer }), deleteCall);
    expect(entry.event).toMatchObject({
      event: "execute.completed",
      duration_ms: 300,
      attributes: { attempts: 3 },
    });
    expect(accountOf(entry)).toBe(
      "github: request, fault unreachable, replay, fault unreachable, replay, success",
    );
    expect(entry.upstreams[0]?.operations.at(-1)).toMatchObject({ latency_ms: 300 });
  });

  it("from the cache asked no upstream", async () => {
    const gateway = { cache: { read_only: true } };
    const made = run(gateway, { trust_hints: true });
    await made.call(getCall);
    await made.call(getCall);
    expect(made.calls.length).toBe(1);
    const [first, second] = made.caller.told;
    expect(first?.event.event).toBe("execute.completed");
    expect(second?.event).toMatchObject({ event: "execute.cache_hit", attributes: { raw_bytes: 4 } });
    expect(second?.upstreams).toEqual([]);
    expect(made.caller.told.length).toBe(2);
  });

  it("by arguments that were repaired counts the repairs", async () => {
    const made = run({ tolerant_args: true });
    const args = JSON.stringify({ count: "1", sure: "true" });
    expect((await tell(made, { tool_id: fakeId(GET), args })).event.attributes).toMatchObject({
      repairs: 3,
      arg_count: 2,
    });
  });
});

describe("an execute that its caller made before", () => {
  const repeated = (answer: object | null) =>
    fakeCaller({
      answer: (ask: AdmitAsk) => ({
        version: 1,
        admitted: true,
        newestGeneration: ask.catalogVersion?.generation ?? null,
        stale: false,
        arrangement: null,
        upstreamSessions: [],
        journal: {
          disposition: "answered",
          answer: answer === null ? null : { text: JSON.stringify(answer) },
        },
        rowsWritten: 0,
      }),
    });

  it.each([
    [{ content: [] }, true, "ok"],
    [{ content: [], isError: true }, false, "error"],
  ])("was answered %j, and is answered again without being sent", async (answer, success, status) => {
    const made = run({}, {}, {}, repeated(answer));
    const entry = await tell(made, deleteCall);
    expect(entry.event).toMatchObject({
      event: "execute.completed",
      success,
      attributes: { attempts: 0, status },
    });
    expect([entry.upstreams, made.calls]).toEqual([[], []]);
  });

  it("has failed where the answer is gone", async () => {
    const entry = await tell(run({}, {}, {}, repeated(null)), deleteCall);
    expect(entry.event).toMatchObject({
      event: "execute.failed",
      attributes: { error_code: "UPSTREAM_ERROR", outcome: "completed", attempts: 0 },
    });
  });

  it.each<[Refusal, object]>([
    [
      { reason: "in_flight", retryAfterMs: 1500 },
      { event: "execute.rate_limited", attributes: { scope: "in_flight", retry_after_ms: 1500 } },
    ],
    [
      { reason: "outcome_unknown" },
      { event: "execute.failed", attributes: { outcome: "unknown", attempts: 0, retryable: false } },
    ],
    [{ reason: "key_conflict" }, { event: "execute.failed", attributes: { error_code: "ARGS_INVALID" } }],
  ])("and meets %j is told so", async (refusal, event) => {
    const entry = await tell(run({}, {}, {}, refusing(refusal)), deleteCall);
    expect(entry.event).toMatchObject(event);
    expect(entry.upstreams).toEqual([]);
  });
});

describe("an execute that is not let through", () => {
  it("by a rule is denied, and says by which", async () => {
    const policy = [
      { match: { tool: "slack:*" }, action: "allow" },
      { match: { tool: "github:*" }, action: "deny", reason: "no" },
    ];
    const entry = await tell(run({ policy }), deleteCall);
    expect(entry.event).toMatchObject({
      event: "execute.denied",
      tool_id: fakeId(DELETE),
      attributes: { action: "deny", error_code: "POLICY_DENIED", rule_index: 1, replay: "never_replay" },
    });
    expect(entry.event.attributes).not.toHaveProperty("dry_run");
  });

  it.each<[Refusal, string]>([
    [{ reason: "approval_required", approvalId: "a", expiresAtMs: 1, created: true }, "AUTH_REQUIRED"],
    [{ reason: "approval_refused", approvalId: "a" }, "POLICY_DENIED"],
  ])("for want of a person's consent: %j", async (refusal, code) => {
    const policy = [{ match: {}, action: "require_approval" }];
    const entry = await tell(run({ policy }, {}, {}, refusing(refusal)), deleteCall);
    expect(entry.event).toMatchObject({
      event: "execute.denied",
      attributes: { action: "require_approval", error_code: code, rule_index: 0 },
    });
  });

  it("since nobody can be asked has failed", async () => {
    const policy = [{ match: {}, action: "require_approval" }];
    const refusal: Refusal = {
      reason: "approval_required",
      approvalId: "a",
      expiresAtMs: 1,
      created: true,
    };
    const entry = await tell(run({ policy }, {}, { noDesk: true }, refusing(refusal)), deleteCall);
    expect(entry.event).toMatchObject({
      event: "execute.failed",
      attributes: { error_code: "UPSTREAM_UNAVAILABLE", outcome: "not_dispatched" },
    });
  });

  it.each([
    ["tool_execute/minute", "meta_tool_minute", 1234],
    ["tool_execute/session", "meta_tool_session", null],
    [`tool:${fakeId(DELETE)}/minute`, "tool_minute", 5],
    [`tool:${fakeId(DELETE)}/session`, "tool_session", null],
  ])("by the limit %s", async (scope, word, retryAfterMs) => {
    const gateway = { rate_limits: { per: "principal" } };
    const caller = refusing({ reason: "rate_limited", scope, retryAfterMs });
    const { event } = await tell(run(gateway, {}, {}, caller), deleteCall);
    expect(event).toMatchObject({
      event: "execute.rate_limited",
      attributes: { scope: word, per: "principal" },
    });
    expect(memberOf(event.attributes, "retry_after_ms") ?? null).toBe(retryAfterMs);
  });

  it("by a limit of a later version has failed all the same", async () => {
    const caller = refusing({ reason: "rate_limited", scope: "tool_execute/moon", retryAfterMs: 1 });
    expect((await tell(run({}, {}, {}, caller), deleteCall)).event).toMatchObject({
      event: "execute.failed",
      attributes: { error_code: "RATE_LIMITED" },
    });
  });

  it("where the principal's object does not answer has failed without being sent", async () => {
    const entry = await tell(run({}, {}, {}, refusing({ reason: "unreachable" })), deleteCall);
    expect(entry.event).toMatchObject({ event: "execute.failed", attributes: { outcome: "not_dispatched" } });
  });

  it.each(["malformed", "token_revoked", "session_unknown", "session_ended", "session_expired"] as const)(
    "for the bearer's or the session's sake (%s) is not told at all",
    async (reason) => {
      for (const args of [deleteCall, { tool_id: "no such tool" }, {}]) {
        const { call, caller } = run({}, {}, {}, refusing({ reason }));
        await call(args);
        expect([caller.asks.length, caller.settles()]).toEqual([1, 0]);
      }
    },
  );
});

describe("an execute that is wrong in itself", () => {
  it.each([
    [{}, "ARGS_INVALID"],
    [null, "ARGS_INVALID"],
    [{ tool_id: 5 }, "ARGS_INVALID"],
    [{ tool_id: "of my own making" }, "HYDRATE_FAILED"],
    [{ tool_id: "my:own_making#00000000" }, "HYDRATE_FAILED"],
  ])("names no tool in its event: %j", async (args, code) => {
    const { caller, ports, surface } = run({});
    await surface.call("tool_execute", args, caller.context);
    const entry = onlyEntry(caller.told);
    expectWhole(entry);
    expect(entry.event).toMatchObject({
      event: "execute.failed",
      tool_id: null,
      namespace: null,
      attributes: { error_code: code, outcome: "not_dispatched", attempts: 0 },
    });
    expect(ports.now()).toBe(entry.event.timestamp);
  });

  it("in its arguments is told with its tool", async () => {
    const { event } = await tell(run({}), { ...deleteCall, args: { other: 1, more: 2 } });
    expect(event).toMatchObject({
      event: "execute.failed",
      tool_id: fakeId(DELETE),
      attributes: { error_code: "ARGS_INVALID", arg_count: 2 },
    });
  });

  it("of a tool whose schema is broken", async () => {
    const broken = { namespace: "github", name: "broken", inputSchema: { type: 5 } };
    const made = run({}, {}, { catalog: fakeCatalog([broken]) });
    expect((await tell(made, { tool_id: fakeId(broken) })).event).toMatchObject({
      event: "execute.failed",
      attributes: { error_code: "SCHEMA_INVALID" },
    });
  });

  it("without a catalog", async () => {
    const caller = fakeCaller();
    await fakeGateway({}).surface.call("tool_execute", deleteCall, caller.context);
    expect(onlyEntry(caller.told).event).toMatchObject({
      event: "execute.failed",
      attributes: { error_code: "UPSTREAM_UNAVAILABLE", retryable: true },
    });
  });

  it("by a fault of ours", async () => {
    const catalogs = { ...fakeCatalogs(ok(CATALOG)), current: () => Promise.reject(new Error("0xdead")) };
    const made = run({}, {}, { catalogs });
    expect((await tell(made, deleteCall)).event).toMatchObject({
      event: "execute.failed",
      attributes: { error_code: "UPSTREAM_ERROR" },
    });
  });
});

describe("what tells two tellings apart", () => {
  it("is the call's attempt, under which it stands in the journal", async () => {
    const { surface, caller } = run({});
    const origin = { requestKey: null, idempotencyKey: "k" };
    await surface.call("tool_execute", deleteCall, caller.context, origin);
    expect(onlyEntry(caller.told).key).toBe(caller.asks[0]?.attempt);
    expect(caller.asks[0]?.journal).toMatchObject({ toolId: fakeId(DELETE), server: "github" });
  });

  it("is the attempt of a call that stands in no journal, too", async () => {
    const { call, caller } = run({});
    await call(deleteCall);
    expect(caller.asks[0]?.journal).toBeUndefined();
    // The first name that was drawn.
    expect(onlyEntry(caller.told).key).toBe("id-1");
  });

  it("is different for every call", async () => {
    const { call, caller } = run({});
    for (const args of [deleteCall, deleteCall, {}, {}, { tool_id: "x" }, { ...deleteCall, dry_run: true }]) {
      await call(args);
    }
    expect(new Set(caller.told.map(({ key }) => key)).size).toBe(6);
  });
});
