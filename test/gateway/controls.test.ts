import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";
import { fail, ok } from "../../src/result.ts";
import { fakeCatalog, fakeId, type FakeTool } from "../support/fake-catalog.ts";
import { approvalRequired, fakeCaller, fakeGateway, jsonOf, textOf } from "../support/fake-gateway.ts";
import { CATALOG, DELETE, deleteCall, GET, getCall, run, server } from "./controlled.ts";

describe("a rule that denies", () => {
  const deny = { policy: [{ match: { tool: "github:delete_*" }, action: "deny", reason: "never" }] };

  it("stops the call before its arguments are judged, so that the schema stays hidden, and asks nobody", async () => {
    const { call, calls, caller } = run(deny);
    const error = jsonOf(await call({ tool_id: fakeId(DELETE), args: { nonsense: 1 } }));
    expect(error).toEqual({
      error: "POLICY_DENIED",
      message: "the gateway's policy denies this call",
      path: fakeId(DELETE),
      retryable: false,
      details: { reason: "never" },
    });
    expect([calls.length, caller.asks]).toEqual([0, [{}]]);
  });

  it("denies a dry run too, and no other tool", async () => {
    const { call, calls } = run(deny);
    expect(jsonOf(await call({ ...deleteCall, dry_run: true }))).toMatchObject({ error: "POLICY_DENIED" });
    expect(textOf(await call(getCall))).toBe("fine");
    expect(calls.length).toBe(1);
  });

  it("sees through a hint that nobody trusts", async () => {
    const writers = { policy: [{ match: { read_only: false }, action: "deny" }] };
    expect(jsonOf(await run(writers).call(getCall))).toMatchObject({ error: "POLICY_DENIED" });
    expect(textOf(await run(writers, { trust_hints: true }).call(getCall))).toBe("fine");
  });

  it("does not believe a trusted tool that is read-only and destructive in words that are no boolean", async () => {
    const odd: FakeTool = {
      namespace: "github",
      name: "odd",
      annotations: { readOnlyHint: true, destructiveHint: "true" },
    };
    const rules = {
      policy: [
        { match: { tags: ["destructive"] }, action: "deny", reason: "destroys" },
        { match: { read_only: true }, action: "allow" },
        { match: {}, action: "deny" },
      ],
    };
    const { call } = run(rules, { trust_hints: true }, { catalog: fakeCatalog([odd]) });
    expect(jsonOf(await call({ tool_id: fakeId(odd) }))).toMatchObject({ details: { reason: "destroys" } });
  });

  it("denies every artifact that the tool brought before, also once the catalog has lost the tool", async () => {
    const big = { content: [{ type: "text", text: "line\n".repeat(4000) }], structuredContent: { a: [1] } };
    const { surface, caller, call, artifacts } = run({}, {}, { answer: () => ok(big) });
    await call(deleteCall);
    expect(caller.rows.size).toBeGreaterThan(0);
    for (const catalog of [CATALOG, fakeCatalog([GET])]) {
      const config = {
        mcpServers: server(),
        gateway: { policy: [{ match: { server: "github" }, action: "deny" }] },
      };
      const ruled = fakeGateway({ catalog, config });
      for (const handle of caller.rows.keys()) {
        const ask = { handle, selector: { type: "head" } };
        expect(textOf(await surface.call("tool_view", ask, caller.context))).not.toContain("POLICY");
        const reads = artifacts.calls.length;
        const denied = jsonOf(await ruled.surface.call("tool_view", ask, caller.context));
        expect(denied).toMatchObject({ error: "POLICY_DENIED", path: handle });
        expect(artifacts.calls.length).toBe(reads);
      }
    }
  });
});

describe("a rule that wants an approval", () => {
  const gateway = {
    policy: [
      {
        match: { meta_tool: "tool_execute", tool: "github:delete_*" },
        action: "require_approval",
        reason: "ask Ada",
      },
    ],
  };
  it("puts the call before an operator, without its secrets, and tells the caller what to do", async () => {
    const { call, calls, caller, waiting } = run(
      gateway,
      {},
      { secrets: ["hunter2hunter2"] },
      fakeCaller({ answer: approvalRequired }),
    );
    const error = jsonOf(
      await call({ tool_id: fakeId(DELETE), args: { repo: "hunter2hunter2", token: "t0ps3cret" } }),
    );
    expect(error).toMatchObject({
      error: "AUTH_REQUIRED",
      path: fakeId(DELETE),
      retryable: false,
      details: {
        approval: "required",
        meta_tool: "tool_execute",
        approval_id: "a-1",
        expires_at: "2026-11-27T01:00:00.000Z",
      },
    });
    expect(calls.length).toBe(0);
    expect(waiting).toMatchObject([
      { id: "a-1", principal: "ada", toolId: fakeId(DELETE), server: "github", reason: "ask Ada" },
    ]);
    expect(JSON.stringify(waiting)).not.toMatch(/hunter2|t0ps3cret/);
    expect(caller.asks.at(-1)?.attempt).toBeTypeOf("string");
  });

  it("binds the approval to the arguments, whatever the order of their members", async () => {
    const hashes = async (args: object) => {
      const made = run(gateway, {}, {}, fakeCaller({ answer: approvalRequired }));
      await made.call({ tool_id: fakeId(DELETE), args });
      return made.caller.asks.at(-1)?.approval?.argumentsHash;
    };
    const first = await hashes({ repo: "r", deep: { a: 1, b: 2 } });
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashes({ deep: { b: 2, a: 1 }, repo: "r" })).toBe(first);
    expect(await hashes({ repo: "r", deep: { a: 1, b: new ExactNumber("2.0") } })).not.toBe(first);
  });

  it("says that nothing ran where the call could not be put before anybody", async () => {
    const { call, calls } = run(gateway, {}, { noDesk: true }, fakeCaller({ answer: approvalRequired }));
    expect(jsonOf(await call(deleteCall))).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      retryable: true,
      details: { outcome: "not_dispatched" },
    });
    expect(calls.length).toBe(0);
  });

  it("lets nothing through that an object of an older version, which knows no approvals, admits", async () => {
    const old = fakeCaller({
      answer: () => ({
        version: 1,
        admitted: true,
        newestGeneration: 1,
        stale: false,
        arrangement: null,
        upstreamSessions: [],
        rowsWritten: 0,
      }),
    });
    const { call, calls } = run(gateway, {}, {}, old);
    expect(jsonOf(await call(deleteCall))).toMatchObject({ error: "UPSTREAM_UNAVAILABLE", retryable: true });
    expect(calls.length).toBe(0);
  });

  it("denies what a person has refused", async () => {
    const refused = fakeCaller({
      answer: (ask) =>
        ask.approval
          ? { version: 1, admitted: false, reason: "approval_refused", approvalId: "a-1", rowsWritten: 0 }
          : undefined,
    });
    const { call } = run(gateway, {}, {}, refused);
    expect(jsonOf(await call(deleteCall))).toMatchObject({
      error: "POLICY_DENIED",
      details: { reason: "a person refused this call" },
    });
  });
});

describe("limits", () => {
  const limited = {
    rate_limits: {
      tool_browse: { max_calls_per_minute: 3 },
      tool_execute: { max_calls_per_minute: 2 },
      tools: { "github:get_*": { max_calls_per_session: 1 } },
    },
  };

  it("name the buckets that a call goes into, and its attempt once for all catalogs", async () => {
    const { call, caller } = run(limited);
    await call(getCall);
    await call({ query: "repo" }, "tool_browse");
    await call({ handle: "no handle", selector: { type: "head" } }, "tool_view");
    expect(caller.asks.map(({ quota }) => quota)).toEqual([
      {
        per: "session",
        buckets: [
          { name: "tool_execute", perMinute: 2 },
          { name: `tool:${fakeId(GET)}`, perSession: 1 },
        ],
      },
      { per: "session", buckets: [{ name: "tool_browse", perMinute: 3 }] },
      undefined,
    ]);
  });

  it.each([
    ["tool_execute", getCall],
    ["tool_browse", { path: "/" }],
  ])("that %s has reached are told with their scope and the wait to the millisecond", async (tool, args) => {
    const caller = fakeCaller({
      answer: () => ({
        version: 1,
        admitted: false,
        reason: "rate_limited",
        scope: `${tool}/minute`,
        retryAfterMs: 1234,
        rowsWritten: 0,
      }),
    });
    const { call, calls } = run(limited, {}, {}, caller);
    expect(jsonOf(await call(args, tool))).toMatchObject({
      error: "RATE_LIMITED",
      retryable: true,
      details: { scope: `${tool}/minute`, retry_after: 1.234 },
    });
    expect(calls.length).toBe(0);
  });
});

describe("a dry run", () => {
  const gateway = {
    policy: [{ match: { tool: "github:delete_*" }, action: "require_approval" }],
    rate_limits: { tool_execute: { max_calls_per_minute: 1 } },
  };

  it("asks without committing and tells what the call would meet, with the tool's contract", async () => {
    const caller = fakeCaller({
      answer: ({ approval }) => ({
        version: 1,
        admitted: true,
        newestGeneration: 1,
        stale: false,
        arrangement: null,
        upstreamSessions: [],
        rowsWritten: 0,
        quota: { exceeded: { scope: "tool_execute/minute", retryAfterMs: 1 } },
        approval: approval ? "required" : null,
      }),
    });
    const { call, calls } = run(gateway, { replay: { "delete_*": "probe_required" } }, {}, caller);
    const report = jsonOf(await call({ ...deleteCall, dry_run: true }));
    expect(report).toMatchObject({
      dry_run: true,
      annotations: { readOnlyHint: true, verified: false },
      checks: [
        { name: "schema_validation", status: "pass" },
        { name: "rate_limit", status: "fail", code: "RATE_LIMITED" },
        { name: "policy", status: "fail", code: "AUTH_REQUIRED" },
      ],
      replay: "probe_required",
    });
    expect(Object.keys(report)).toEqual([
      "dry_run",
      "tool_id",
      "upstream_name",
      "args_valid",
      "annotations",
      "checks",
      "replay",
    ]);
    expect(caller.asks).toMatchObject([{ dry: true }]);
    expect(calls.length).toBe(0);
  });
});

describe("a tool's contract", () => {
  const lost = () => fail({ reason: "timeout", outcome: "unknown", detail: "d" } as const);

  it.each([
    [{}, "never_replay", false],
    [{ trust_hints: true }, "convergent", true],
    [{ replay: { "get_*": "convergent" } }, "convergent", true],
    [{ trust_hints: true, replay: { "*": "never_replay" } }, "never_replay", false],
  ])(
    "with the block %j is %s, and a lost answer may be asked for again: %s",
    async (block, replay, retryable) => {
      const { call } = run({}, block, { answer: lost });
      expect(jsonOf(await call(getCall))).toMatchObject({
        error: "UPSTREAM_TIMEOUT",
        retryable,
        details: { outcome: "unknown", replay },
      });
    },
  );
});

describe("controls that are off", () => {
  it("leave no trace in what is asked of the principal's object", async () => {
    const { call, caller } = run({});
    await call(getCall);
    await call({ ...getCall, dry_run: true });
    await call({ path: "/" }, "tool_browse");
    for (const ask of caller.asks) {
      // Neither room for what may be kept of a result nor a look at the catalog is a control: they alone have an attempt's name.
      expect(ask.attempt !== undefined || ask.dry === true).toBe(
        ask.reserve !== undefined || ask.browses === true,
      );
      expect([ask.quota, ask.approval]).toEqual([undefined, undefined]);
    }
  });
});
