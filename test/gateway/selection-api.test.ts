import { describe, expect, it } from "vitest";
import { type ApiAnswer, selectionApi } from "../../src/gateway/selection-api.ts";
import { SELECTION_CANDIDATE_MAX_CHARS, SELECTION_CANDIDATES_MAX_COUNT } from "../../src/limits.ts";
import { fail, ok } from "../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakeId, type FakeTool } from "../support/fake-catalog.ts";
import {
  fakeCaller,
  fakeGateway,
  type FakeGatewayOptions,
  jsonOf,
  listOf,
  recordOf,
} from "../support/fake-gateway.ts";

const TOOLS: readonly FakeTool[] = [
  { namespace: "github", name: "create_issue", description: "Create an issue." },
  { namespace: "github", name: "list_issues", description: "List issues." },
  { namespace: "files", name: "read_file", description: "Read a file." },
];
const idOf = (name: string) => fakeId(TOOLS.find((tool) => tool.name === name) ?? { namespace: "x", name });
const CATALOG = fakeCatalog(TOOLS);

function run(options: FakeGatewayOptions = {}, caller = fakeCaller()) {
  const gateway = fakeGateway({ catalog: CATALOG, ...options });
  const api = selectionApi(gateway.ports);
  return {
    ...gateway,
    caller,
    route: (body: unknown) => api.route(body, caller.context),
    validate: (body: unknown) => api.validateSelection(body, caller.context),
  };
}

function valueOf(answer: ApiAnswer): Record<string, unknown> {
  if (!answer.ok) throw new Error(JSON.stringify(answer.reason));
  return { ...answer.value };
}

function errorOf(answer: ApiAnswer): Record<string, unknown> {
  if (answer.ok) throw new Error(JSON.stringify(answer.value));
  expect(answer.reason.body["error"]).toBe(answer.reason.code);
  return { ...answer.reason.body };
}

describe("a route", () => {
  it("has the four keys, the cards of tool_browse, and a schema of their ids in their order", async () => {
    const { route, surface, caller } = run();
    const answer = valueOf(await route({ query: "create issue" }));
    expect(Object.keys(answer)).toEqual(["cards", "ambiguous", "weak", "schema"]);
    const ask = { query: "create issue", render: "json" };
    const browsed = jsonOf(await surface.call("tool_browse", ask, caller.context));
    expect(JSON.stringify(answer["cards"])).toBe(JSON.stringify(browsed["cards"]));
    expect(answer).toMatchObject({
      ambiguous: false,
      weak: false,
      schema: {
        type: "object",
        properties: { tool_id: { type: "string", enum: [idOf("create_issue"), idOf("list_issues")] } },
        required: ["tool_id"],
        additionalProperties: false,
      },
    });
  });

  it.each([
    ["json_schema", ["type", "properties", "required", "additionalProperties"]],
    ["openai", ["type", "json_schema"]],
    ["anthropic", ["name", "description", "input_schema"]],
  ])("dresses the schema for %s", async (format, keys) => {
    const { schema } = valueOf(await run().route({ query: "create issue", format }));
    expect(Object.keys(recordOf(schema))).toEqual(keys);
    expect(JSON.stringify(schema)).toContain(`"enum":["${idOf("create_issue")}"`);
  });

  it("takes as many cards as are asked for, else as the configuration says", async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ namespace: "zoo", name: `feed_${at}` }));
    const { route } = run({ catalog: fakeCatalog(many) });
    for (const [body, count] of [
      [{ query: "feed", top_k: 1 }, 1],
      [{ query: "feed", top_k: 50 }, 30],
      [{ query: "feed" }, 10],
    ] as const) {
      const answer = valueOf(await route(body));
      expect(listOf(answer, "cards")).toHaveLength(count);
      expect(answer["ambiguous"]).toBe(true);
    }
  });

  it("of nothing found has no schema, and both flags all the same", async () => {
    for (const query of ["weather", "", "\0\ud800"]) {
      expect(valueOf(await run().route({ query }))).toEqual({
        cards: [],
        ambiguous: false,
        weak: false,
        schema: null,
      });
    }
  });

  it("offers nothing that the scopes hide", async () => {
    const { route } = run({}, fakeCaller({ sees: (id) => id.startsWith("files:") }));
    expect(valueOf(await route({ query: "issue" }))).toMatchObject({ cards: [], schema: null });
    expect(JSON.stringify(valueOf(await route({ query: "read issue" })))).not.toContain("github");
  });

  it("is best first, whatever the principal has seen", async () => {
    const { route, surface, caller } = run({ cacheStable: true });
    await surface.call("tool_browse", { query: "list issues" }, caller.context);
    const before = caller.asks.length;
    const { cards } = valueOf(await route({ query: "create issue" }));
    expect(JSON.stringify(cards)).not.toContain("__cache_breakpoint__");
    expect(recordOf(Array.isArray(cards) ? cards[0] : null)).toMatchObject({ id: idOf("create_issue") });
    expect(caller.asks.slice(before)).toEqual([{ catalogVersion: { catalog: "fake", generation: 1 } }]);
  });

  it("costs one admit, and a second one where the principal has met a newer catalog", async () => {
    const newer = fakeCatalog([{ namespace: "github", name: "create_issue_v2" }], 5);
    const catalogs = fakeCatalogs(ok(CATALOG), ok(newer));
    const { route, caller } = run({ catalogs }, fakeCaller({ newestGeneration: 5 }));
    expect(JSON.stringify(valueOf(await route({ query: "create issue" })))).toContain("create_issue_v2");
    expect([caller.asks.length, catalogs.asked, caller.reports]).toEqual([2, ["current", "atLeast 5"], []]);
  });

  it("without a catalog may be asked for again, and the log alone knows why", async () => {
    const catalogs = fakeCatalogs(fail({ reason: "catalog_unavailable", detail: "kv said 10001" }));
    const { route, caller, log } = run({ catalogs });
    expect(errorOf(await route({ query: "SECRET QUERY" }))).toEqual({
      error: "UPSTREAM_UNAVAILABLE",
      message: "the catalog is not ready yet",
      path: "",
      retryable: true,
      details: { outcome: "not_dispatched" },
    });
    expect(log).toEqual(["kv said 10001"]);
    expect(caller.asks).toEqual([{}]);
  });

  it("that fails by a fault of ours is told without the detail", async () => {
    const broken = {
      ...CATALOG,
      search: () => {
        throw new Error("index corrupt at 0xdead");
      },
    };
    const { route, log, caller } = run({ catalog: broken });
    const error = errorOf(await route({ query: "x" }));
    expect(error).toMatchObject({ error: "UPSTREAM_ERROR", retryable: false });
    expect(JSON.stringify(error)).not.toContain("0xdead");
    expect(log.join("")).toContain("0xdead");
    expect(caller.asks).toEqual([{}]);
  });

  it("shows no configured secret, and logs no query", async () => {
    const secret = "a-secret-of-the-operator";
    const tools = [{ namespace: "spy", name: "echo", description: `Say ${secret}.` }];
    const { route, log } = run({ catalog: fakeCatalog(tools), secrets: [secret] });
    const text = JSON.stringify(valueOf(await route({ query: "echo" })));
    expect(text).toContain("[REDACTED-SECRET]");
    expect(text).not.toContain(secret);
    expect(log).toEqual([]);
  });
});

describe("a body that is no route", () => {
  it.each([
    [null, { path: "", keyword: "type" }],
    [[], { path: "", keyword: "type" }],
    ["issue", { path: "", keyword: "type" }],
    [{}, { path: "/query", keyword: "required" }],
    [{ query: null }, { path: "/query", keyword: "type" }],
    [{ query: ["issue"] }, { path: "/query", keyword: "type" }],
    [
      { query: "a", top_k: 0 },
      { path: "/top_k", keyword: "minimum" },
    ],
    [
      { query: "a", top_k: 51 },
      { path: "/top_k", keyword: "maximum" },
    ],
    [
      { query: "a", top_k: 1.5 },
      { path: "/top_k", keyword: "type" },
    ],
    [
      { query: "a", top_k: "5" },
      { path: "/top_k", keyword: "type" },
    ],
    [
      { query: "a", top_k: null },
      { path: "/top_k", keyword: "type" },
    ],
    [
      { query: "a", format: "gemini" },
      { path: "/format", keyword: "enum" },
    ],
    [
      { query: "a", format: "constructor" },
      { path: "/format", keyword: "enum" },
    ],
    [
      { query: "a", path: "/" },
      { path: "/path", keyword: "additionalProperties" },
    ],
    [JSON.parse('{"query":"a","__proto__":{}}'), { path: "/__proto__", keyword: "additionalProperties" }],
  ])("%j says where and why, and is admitted all the same", async (body, problem) => {
    const { route, caller } = run();
    const error = errorOf(await route(body));
    expect(error).toMatchObject({ error: "ARGS_INVALID", path: "", retryable: false });
    expect(Object.keys(error)).toEqual(["error", "message", "path", "retryable", "details"]);
    expect(listOf(error["details"], "errors")).toContainEqual(problem);
    expect(recordOf(error["details"])["schema"]).toMatchObject({ type: "object", required: ["query"] });
    expect(caller.asks).toEqual([{}]);
  });
});

describe("a selection", () => {
  const candidates = [idOf("create_issue"), idOf("list_issues")];

  it.each([
    [
      { selected: candidates[0] },
      { status: "accepted", selected_id: candidates[0], repair: null, reason: null },
    ],
    [
      { selected: "github:list" },
      { status: "repaired", selected_id: candidates[1], repair: "prefix", reason: null },
    ],
    [
      { selected: "github:list", repair: false },
      { status: "rejected", selected_id: null, repair: null, reason: "not_a_candidate" },
    ],
    [
      { selected: "github:" },
      { status: "rejected", selected_id: null, repair: null, reason: "ambiguous_prefix" },
    ],
    [{ selected: null }, { status: "rejected", raw_id: "", reason: "empty_selection" }],
  ])("%j is judged for one admit and nothing else", async (body, verdict) => {
    const catalogs = fakeCatalogs(ok(CATALOG));
    const { validate, caller } = run({ catalogs });
    const answer = valueOf(await validate({ candidates, ...body }));
    expect(answer).toMatchObject(verdict);
    expect(Object.keys(answer)).toEqual(["status", "selected_id", "raw_id", "repair", "reason"]);
    expect([caller.asks, catalogs.asked]).toEqual([[{}], []]);
  });

  it("among no candidates is none of them", async () => {
    expect(valueOf(await run().validate({ candidates: [], selected: "x" }))).toMatchObject({
      status: "rejected",
      reason: "not_a_candidate",
    });
  });

  it("is judged by the bounds of its candidates, and may itself be of any length", async () => {
    const most = Array.from({ length: SELECTION_CANDIDATES_MAX_COUNT }, (_, at) =>
      `${at}`.padEnd(SELECTION_CANDIDATE_MAX_CHARS, "x"),
    );
    const { validate } = run();
    expect(valueOf(await validate({ candidates: most, selected: most[7] }))).toMatchObject({
      status: "accepted",
    });
    const long = "x".repeat(1_000_000);
    expect(valueOf(await validate({ candidates: most, selected: long }))).toMatchObject({ raw_id: long });
    for (const [candidates, problem] of [
      [[...most, "one more"], { path: "/candidates", keyword: "maxItems" }],
      [["x".repeat(SELECTION_CANDIDATE_MAX_CHARS + 1)], { path: "/candidates/0", keyword: "maxLength" }],
    ] as const) {
      const error = errorOf(await validate({ candidates, selected: "x" }));
      expect(listOf(error["details"], "errors")).toEqual([problem]);
    }
  });

  it.each([
    [null, { path: "", keyword: "type" }],
    [{ candidates }, { path: "/selected", keyword: "required" }],
    [{ selected: "x" }, { path: "/candidates", keyword: "required" }],
    [
      { candidates: "x", selected: "x" },
      { path: "/candidates", keyword: "type" },
    ],
    [
      { candidates: { 0: "x" }, selected: "x" },
      { path: "/candidates", keyword: "type" },
    ],
    [
      { candidates: ["x", null], selected: "x" },
      { path: "/candidates/1", keyword: "type" },
    ],
    [
      { candidates, selected: 5 },
      { path: "/selected", keyword: "type" },
    ],
    [
      { candidates, selected: ["x"] },
      { path: "/selected", keyword: "type" },
    ],
    [
      { candidates, selected: "x", repair: "no" },
      { path: "/repair", keyword: "type" },
    ],
    [
      { candidates, selected: "x", repair: null },
      { path: "/repair", keyword: "type" },
    ],
    [
      { candidates, selected: "x", query: "y" },
      { path: "/query", keyword: "additionalProperties" },
    ],
  ])("by a wrong body %j is refused with where and why", async (body, problem) => {
    const { validate, caller } = run();
    const error = errorOf(await validate(body));
    expect(error).toMatchObject({ error: "ARGS_INVALID", path: "", retryable: false });
    expect(listOf(error["details"], "errors")).toContainEqual(problem);
    expect(caller.asks).toEqual([{}]);
  });

  it("that is not admitted is not judged aloud", async () => {
    const { validate, route } = run(
      {},
      fakeCaller({ answer: () => ({ admitted: false, reason: "unreachable" }) }),
    );
    for (const answer of [
      await validate({ candidates, selected: candidates[0] }),
      await validate({}),
      await route({ query: "issue" }),
      await route({}),
    ]) {
      expect(errorOf(answer)).toMatchObject({
        error: "UPSTREAM_UNAVAILABLE",
        message: "the gateway could not admit the call",
        retryable: true,
      });
    }
  });
});

describe("tool_execute with an id that is a slip away", () => {
  it.each([
    [` ${idOf("read_file")}`],
    [idOf("read_file").toUpperCase()],
    ["files:"],
    ["read_fil"],
    [idOf("read_file").replace(/#.*/, "#00000000")],
  ])("%j offers the tool and runs nothing", async (asked) => {
    const { surface, calls, caller } = run();
    const ask = { tool_id: asked, args: {} };
    const error = jsonOf(await surface.call("tool_execute", ask, caller.context));
    expect(error).toMatchObject({
      error: "HYDRATE_FAILED",
      details: { did_you_mean: [idOf("read_file")] },
    });
    expect(calls).toEqual([]);
  });

  it("offers nothing that the scopes hide, and nothing where nothing is near", async () => {
    const { surface } = run();
    const sees = (id: string) => !id.startsWith("files:");
    for (const [asked, context] of [
      ["read_fil", fakeCaller({ sees }).context],
      ["weather:forecast", fakeCaller().context],
    ] as const) {
      const error = jsonOf(await surface.call("tool_execute", { tool_id: asked }, context));
      expect(error).toMatchObject({ error: "HYDRATE_FAILED", details: { did_you_mean: [] } });
    }
  });
});
