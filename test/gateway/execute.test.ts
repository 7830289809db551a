import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../../src/errors.ts";
import { fail, ok } from "../../src/result.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { fakeCatalog, fakeCatalogs, fakeId, type FakeTool, UNAVAILABLE } from "../support/fake-catalog.ts";
import {
  fakeCaller,
  fakeGateway,
  type FakeGatewayOptions,
  jsonOf,
  listOf,
  recordOf,
  textOf,
} from "../support/fake-gateway.ts";

const SCHEMA = {
  type: "object",
  properties: { title: { type: "string" }, labels: { type: "array", items: { type: "string" } } },
  required: ["title"],
  additionalProperties: false,
};
const CREATE: FakeTool = {
  namespace: "github",
  name: "create_issue",
  description: "Create an issue.",
  inputSchema: SCHEMA,
  annotations: { destructiveHint: true, verified: true, title: "Create", deep: { a: 1 } },
};
const LIST: FakeTool = { namespace: "github", name: "list_issues", description: "List issues." };
const BROKEN: FakeTool = { namespace: "github", name: "broken", inputSchema: { type: "strange" } };
const ECHO: FakeTool = { namespace: "files", name: "read_file", inputSchema: { type: "object" } };
const CATALOG = fakeCatalog([CREATE, LIST, BROKEN, ECHO]);
const ID = fakeId(CREATE);
const counter = committedCounter();

function run(options: FakeGatewayOptions = {}, caller = fakeCaller()) {
  const gateway = fakeGateway({ catalog: CATALOG, ...options });
  const execute = (args: Record<string, unknown>) =>
    gateway.surface.call("tool_execute", args, caller.context);
  return { ...gateway, caller, execute };
}

describe("tool_execute finds the tool", () => {
  it("by its canonical id and by its listed name, and calls it by the upstream's own", async () => {
    const { execute, calls } = run();
    await execute({ tool_id: fakeId(LIST) });
    await execute({ tool_id: CATALOG.find(fakeId(LIST))?.listedName });
    expect(calls.map(({ server, name }) => [server, name])).toEqual([
      ["github", "list_issues"],
      ["github", "list_issues"],
    ]);
  });

  it.each([
    ["an unknown id", "github:create_isue#00000000", () => true],
    ["an id that the scopes hide", ID, (id: string) => id !== ID],
    ["something absurd", `github\n${"x".repeat(9000)}`, () => true],
  ])("and says HYDRATE_FAILED for %s after one look at the newest catalog", async (_, toolId, sees) => {
    const catalogs = fakeCatalogs(ok(CATALOG));
    const { execute, calls, caller } = run({ catalogs }, fakeCaller({ sees }));
    const error = jsonOf(await execute({ tool_id: toolId, args: { title: "t" } }));
    expect(error).toMatchObject({ error: "HYDRATE_FAILED", retryable: false });
    expect(String(error["path"]).length).toBeLessThanOrEqual(256);
    const offered = listOf(error["details"], "did_you_mean");
    expect(offered.length).toBeLessThanOrEqual(3);
    expect(offered.every((id) => sees(String(id)))).toBe(true);
    expect(catalogs.asked).toEqual(["current", "newest"]);
    expect([calls.length, caller.asks.length]).toEqual([0, 1]);
  });

  it("does not tell a hidden tool from one that is not there", async () => {
    const hidden = run({}, fakeCaller({ sees: (id) => id !== ID }));
    const absent = run({ catalog: fakeCatalog([LIST, BROKEN, ECHO]) });
    const ask = { tool_id: ID, args: {} };
    expect(textOf(await hidden.execute(ask))).toBe(textOf(await absent.execute(ask)));
  });

  it("in the newest catalog where this isolate's does not have it yet", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog([LIST], 1)), ok(fakeCatalog([LIST, CREATE], 2)));
    const { execute, calls, caller } = run({ catalogs });
    expect(textOf(await execute({ tool_id: ID, args: { title: "t" } }))).toBe("fine");
    expect(calls.length).toBe(1);
    expect(caller.asks[0]?.catalogVersion).toEqual({ catalog: "fake", generation: 2 });
  });

  it("and never calls one that a newer catalog, which the principal has met, does not have", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog([LIST, CREATE], 1)), ok(fakeCatalog([LIST], 2)));
    const { execute, calls } = run({ catalogs }, fakeCaller({ newestGeneration: 2 }));
    expect(jsonOf(await execute({ tool_id: ID, args: { title: "t" } }))).toMatchObject({
      error: "HYDRATE_FAILED",
    });
    expect(calls).toEqual([]);
  });

  it("or says that the catalog is not ready: nothing ran, and it may be repeated", async () => {
    const { execute, caller } = run({ catalogs: fakeCatalogs(UNAVAILABLE) });
    const answer = await execute({ tool_id: ID });
    expect(jsonOf(answer)).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      path: ID,
      retryable: true,
      details: { outcome: "not_dispatched", replay: "never_replay" },
    });
    expect(textOf(answer)).not.toContain("secret-detail");
    expect(caller.asks.length).toBe(1);
  });
});

describe("tool_execute judges the arguments", () => {
  it.each([
    [{}, [{ path: "/title", keyword: "required" }]],
    [{ title: 5 }, [{ path: "/title", keyword: "type" }]],
    [{ title: "t", tite: "SECRET" }, [{ path: "/tite", keyword: "additionalProperties" }]],
    [{ title: "t", labels: ["a", 7] }, [{ path: "/labels/1", keyword: "type" }]],
  ])("%j never reaches the server, and is answered with where and the schema", async (args, errors) => {
    const { execute, calls, caller } = run();
    const answer = await execute({ tool_id: ID, args });
    const error = jsonOf(answer);
    expect(error).toMatchObject({ error: "ARGS_INVALID", path: ID, retryable: false });
    expect(error["details"]).toEqual({ errors, schema: SCHEMA });
    expect(textOf(answer)).not.toContain("SECRET");
    expect([calls.length, caller.asks.length]).toEqual([0, 1]);
  });

  it("omitted are {}, and the server never sees null", async () => {
    const { execute, calls } = run();
    await execute({ tool_id: fakeId(LIST) });
    expect(calls[0]?.args).toEqual({});
  });

  it("of a tool without a schema are not judged", async () => {
    const { execute, calls } = run();
    await execute({ tool_id: fakeId(LIST), args: { anything: [1, { a: null }] } });
    expect(calls[0]?.args).toEqual({ anything: [1, { a: null }] });
  });

  it("cannot be judged by a broken schema, which costs that tool alone", async () => {
    const { execute, calls } = run();
    expect(jsonOf(await execute({ tool_id: fakeId(BROKEN), args: {} }))).toMatchObject({
      error: "SCHEMA_INVALID",
      path: fakeId(BROKEN),
      details: { finding: "not_well_formed" },
    });
    expect(textOf(await execute({ tool_id: ID, args: { title: "t" } }))).toBe("fine");
    expect(calls.length).toBe(1);
  });
});

describe("what a call costs", () => {
  it("one admit and one upstream call; a warm one settles nothing", async () => {
    const catalogs = fakeCatalogs(ok(CATALOG));
    const { execute, calls, caller, artifacts } = run({ catalogs });
    await execute({ tool_id: ID, args: { title: "t" } });
    await execute({ tool_id: ID, args: { title: "t" } });
    expect([calls.length, caller.asks.length, artifacts.calls.length]).toEqual([2, 2, 0]);
    expect(calls.map(({ session }) => session?.sessionId)).toEqual([undefined, "s-1"]);
    expect(caller.reports).toEqual([
      { opened: [{ key: "key of github", sessionId: "s-1", protocolVersion: "2025-11-25" }] },
    ]);
    expect(catalogs.asked).toEqual(["current", "current"]);
  });

  it("asks for the session of its own upstream alone", async () => {
    const { execute, caller, calls } = run();
    await execute({ tool_id: ID, args: { title: "t" } });
    await execute({ tool_id: fakeId(ECHO) });
    expect(caller.asks.map(({ upstreams }) => upstreams)).toEqual([["key of github"], ["key of files"]]);
    expect(calls[1]?.session).toBeUndefined();
  });

  it("keeps on after the caller has gone", async () => {
    const { execute, caller } = run();
    await execute({ tool_id: ID, args: { title: "t" } });
    // The call as a whole, and from its sending on.
    expect(caller.background.length).toBe(2);
  });

  it("reports a session that the upstream gave up, and one that took another's place", async () => {
    const answers = [
      { sessionId: "s-1", protocolVersion: "1" },
      null,
      { sessionId: "s-2", protocolVersion: "1" },
    ];
    const { execute, caller } = run({ session: () => answers.shift() ?? null });
    for (let call = 0; call < 3; call += 1) await execute({ tool_id: ID, args: { title: "t" } });
    expect(caller.reports).toEqual([
      { opened: [{ key: "key of github", sessionId: "s-1", protocolVersion: "1" }] },
      { lost: [{ key: "key of github", sessionId: "s-1" }] },
      { opened: [{ key: "key of github", sessionId: "s-2", protocolVersion: "1" }] },
    ]);
  });

  it("nothing over the upstream's own text, in tokens", async () => {
    const text = "Issue 17 created:\nhttps://example.com/17";
    const { execute } = run({ answer: () => ok({ content: [{ type: "text", text }] }) });
    const answer = await execute({ tool_id: ID, args: { title: "t" } });
    const shown = (answer?.content ?? []).map((_, part) => counter.count(textOf(answer, part)));
    expect(shown.reduce((sum, tokens) => sum + tokens, 0)).toBe(counter.count(text));
  });
});

describe("a dry run", () => {
  const REPORT = {
    dry_run: true,
    tool_id: ID,
    upstream_name: "create_issue",
    args_valid: true,
    annotations: { destructiveHint: true, title: "Create", verified: false },
    checks: [
      { name: "schema_validation", status: "pass" },
      { name: "rate_limit", status: "pass" },
      { name: "policy", status: "pass" },
    ],
    replay: "never_replay",
  };

  it("is the contract's JSON in both renders, and sends and stores nothing", async () => {
    const { execute, calls, caller, artifacts } = run();
    for (const render of ["porcelain", "json"]) {
      const answer = await execute({ tool_id: ID, args: { title: "t" }, dry_run: true, render });
      expect(textOf(answer)).toBe(JSON.stringify(REPORT));
      expect(answer?.structuredContent).toEqual(render === "json" ? REPORT : undefined);
    }
    expect([calls, caller.reports, artifacts.calls]).toEqual([[], [], []]);
    expect(caller.asks.map(({ upstreams }) => upstreams)).toEqual([[], []]);
  });

  it("has the same diagnostics as a call", async () => {
    const { execute } = run();
    expect(jsonOf(await execute({ tool_id: ID, args: {}, dry_run: true }))).toMatchObject({
      error: "ARGS_INVALID",
    });
  });
});

describe("a failure", () => {
  const DETAIL = "connect ECONNREFUSED 10.1.2.3:443 token=abcdef";
  const failing = (failure: UpstreamFailure) =>
    run({
      answer: () => fail({ ...failure, detail: DETAIL }),
      session: () => null,
    });

  it.each([
    [{ reason: "timeout" }, "UPSTREAM_TIMEOUT", false, { outcome: "unknown", replay: "never_replay" }],
    [
      { reason: "timeout", outcome: "not_dispatched" },
      "UPSTREAM_TIMEOUT",
      true,
      { outcome: "not_dispatched", replay: "never_replay" },
    ],
    [
      { reason: "unreachable" },
      "UPSTREAM_UNAVAILABLE",
      false,
      { outcome: "unknown", replay: "never_replay" },
    ],
    [
      { reason: "unreachable", outcome: "not_dispatched" },
      "UPSTREAM_UNAVAILABLE",
      true,
      { outcome: "not_dispatched", replay: "never_replay" },
    ],
    [
      { reason: "rate_limited", outcome: "not_dispatched", retryAfterSeconds: 7 },
      "RATE_LIMITED",
      true,
      { scope: "upstream", retry_after: 7 },
    ],
    [
      { reason: "rate_limited", outcome: "not_dispatched", retryAfterSeconds: null },
      "RATE_LIMITED",
      true,
      { scope: "upstream", retry_after: null },
    ],
    [{ reason: "unauthorized", outcome: "not_dispatched" }, "AUTH_FAILED", false, undefined],
    [{ reason: "forbidden", outcome: "not_dispatched" }, "PERMISSION_DENIED", false, undefined],
    [{ reason: "protocol" }, "UPSTREAM_ERROR", false, { outcome: "unknown" }],
    [{ reason: "too_large", outcome: "completed" }, "UPSTREAM_ERROR", false, { outcome: "completed" }],
    [{ reason: "cancelled" }, "UPSTREAM_ERROR", false, { outcome: "unknown" }],
    [
      { reason: "refused_address", outcome: "not_dispatched" },
      "UPSTREAM_ERROR",
      false,
      { outcome: "not_dispatched" },
    ],
    [{ reason: "refused_redirect" }, "UPSTREAM_ERROR", false, { outcome: "unknown" }],
    [{ reason: "http_status", status: 500 }, "UPSTREAM_ERROR", false, { outcome: "unknown" }],
    [
      { reason: "rpc_error", outcome: "completed", code: -32000 },
      "UPSTREAM_ERROR",
      false,
      { outcome: "completed" },
    ],
  ] as const)("%j is %s, retryable %s", async (failure, error, retryable, details) => {
    const { execute, log } = failing({ outcome: "unknown", detail: "", ...failure });
    const answer = await execute({ tool_id: ID, args: { title: "t" } });
    const wire = jsonOf(answer);
    expect(wire).toMatchObject({ error, path: ID, retryable });
    expect(wire["details"]).toEqual(details);
    expect(answer?.isError).toBe(true);
    expect(answer?.["_meta"]).toBeUndefined();
    expect(textOf(answer)).not.toMatch(/ECONNREFUSED|10\.1|abcdef|\n/);
    expect(log.join("\n")).toContain("ECONNREFUSED");
  });

  it("of a tool that the upstream does not know is the missing tool, and refreshes the catalog", async () => {
    const renamed = { ...CREATE, name: "create_issues" };
    const catalogs = fakeCatalogs(ok(fakeCatalog([CREATE, LIST, renamed])));
    const { execute } = run({
      catalogs,
      answer: () => fail({ reason: "unknown_tool", outcome: "completed", detail: DETAIL }),
    });
    const wire = jsonOf(await execute({ tool_id: ID, args: { title: "t" } }));
    expect(wire).toMatchObject({ error: "HYDRATE_FAILED", path: ID, retryable: false });
    expect(listOf(wire["details"], "did_you_mean")).toEqual([fakeId(renamed)]);
    expect(catalogs.asked.filter((asked) => asked.startsWith("refreshSoon"))).toHaveLength(1);
  });

  it("of a port that throws after sending leaves the outcome unknown", async () => {
    const { execute, log } = run({ answer: () => Promise.reject(new Error("socket hang up at 10.9.9.9")) });
    const answer = await execute({ tool_id: ID, args: { title: "t" } });
    expect(jsonOf(answer)).toMatchObject({
      error: "UPSTREAM_ERROR",
      retryable: false,
      details: { outcome: "unknown" },
    });
    expect(textOf(answer)).not.toContain("10.9");
    expect(log.join("\n")).toContain("10.9.9.9");
  });

  it("to address the server is ours: nothing was sent", async () => {
    const { execute, log } = run({ noServer: true });
    expect(jsonOf(await execute({ tool_id: ID, args: { title: "t" } }))).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      retryable: true,
      details: { outcome: "not_dispatched" },
    });
    expect(log.join("\n")).toContain("environment variable X");
  });

  it.each([
    [{ content: "text" }],
    [{ content: [1] }],
    [{ content: [null] }],
    [{ content: [{}] }],
    [{ content: [{ type: 5 }] }],
    [{ content: [{ type: "text" }] }],
    [{ content: [{ type: "text", text: { a: 1 } }] }],
    [recordOf(JSON.parse(`{"structuredContent":${"[".repeat(3000)}${"]".repeat(3000)}}`))],
  ])("to make sense of a result is no legal result, completed: %#", async (result: unknown) => {
    const { execute } = run({ answer: () => ok(recordOf(result)) });
    expect(jsonOf(await execute({ tool_id: ID, args: { title: "t" } }))).toMatchObject({
      error: "UPSTREAM_ERROR",
      retryable: false,
      details: { outcome: "completed" },
    });
  });
});
