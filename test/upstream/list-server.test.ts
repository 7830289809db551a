import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../src/result.ts";
import { listServer, type ListedKind } from "../../src/upstream/listing.ts";
import {
  errorOf,
  initializeResult,
  resultOf,
  sendJson,
  startHostileUpstream,
  type Behaviour,
} from "../support/hostile-upstream/server.ts";
import { io, KEPT, listAll, targetOf, withUpstream } from "./rig.ts";

const ALL = { tools: {}, resources: {}, prompts: {}, completions: {} };
const METHODS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] as const;
type Method = (typeof METHODS)[number];
const KEYS: Readonly<Record<Method, string>> = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
};
const isMethod = (method: string): method is Method => METHODS.some((each) => each === method);

/** What a kind's listing does: pages of names, or an answer of its own. */
type Lists = Partial<Record<Method, readonly (readonly string[])[] | Behaviour>>;

/** A server with these capabilities; a kind without an own listing has one entry of its method's name. */
function server(capabilities: object, lists: Lists = {}): Behaviour {
  return (seen, response, nth) => {
    const { id, rpcMethod, params } = seen;
    if (rpcMethod === "initialize") {
      const result = resultOf(id, initializeResult({ capabilities }));
      return sendJson(response, result, 200, { "mcp-session-id": "s" });
    }
    if (!isMethod(rpcMethod)) return false;
    const own = lists[rpcMethod] ?? [[rpcMethod]];
    if (typeof own === "function") return own(seen, response, nth);
    const at = Number(params["cursor"] ?? 0);
    const entries = (own[at] ?? []).map((name) => ({ name }));
    const more = at + 1 < own.length ? { nextCursor: String(at + 1) } : {};
    return sendJson(response, resultOf(id, { [KEYS[rpcMethod]]: entries, ...more }));
  };
}

const named = (...names: readonly string[]) => ok(names.map((name) => ({ name })));
const refuses =
  (code: number): Behaviour =>
  ({ id }, response) =>
    sendJson(response, errorOf(id, code, "no"));
const failing = (reason: object) => ({ ok: false, reason });

async function listed(behave: Behaviour) {
  let value: unknown;
  const asked: string[] = [];
  let sessions = 0;
  await withUpstream(behave, async (upstream, target) => {
    const { answer } = await listAll(target, undefined, io({ sessions: "end" }));
    value = answer.ok ? answer.value : fail(answer.reason);
    sessions = upstream.count("initialize");
    asked.push(...upstream.seen.map(({ rpcMethod }) => rpcMethod).filter((method) => isMethod(method)));
  });
  return { value, asked, sessions };
}

describe("listing all that a server has", () => {
  it("reads each kind to its last page, tools first, on one session", async () => {
    const { value, asked, sessions } = await listed(
      server(ALL, {
        "tools/list": [["a"], ["b"]],
        "resources/list": [["r1"], [], ["r2"]],
        "resources/templates/list": [["t"]],
        "prompts/list": [["p1", "p2"], ["p3"]],
      }),
    );
    expect(value).toEqual({
      tools: named("a", "b"),
      resources: named("r1", "r2"),
      templates: named("t"),
      prompts: named("p1", "p2", "p3"),
      completions: true,
      instructions: "Be kind.",
    });
    expect(asked).toEqual(METHODS.flatMap((method) => asked.filter((each) => each === method)));
    expect([asked.length, sessions]).toEqual([8, 1]);
  });

  it("tells the reader which kind an entry is of", async () => {
    await withUpstream(server(ALL), async (_, target) => {
      const kinds: ListedKind[] = [];
      await listServer(target, undefined, io(), (_entry, kind) => kinds.push(kind));
      expect(kinds).toEqual(["tool", "resource", "template", "prompt"]);
    });
  });

  it.each([
    [{ tools: {} }, ["tools/list"]],
    [{ resources: {} }, ["resources/list", "resources/templates/list"]],
    [{ prompts: { listChanged: true } }, ["prompts/list"]],
    [{ tools: {}, prompts: {} }, ["tools/list", "prompts/list"]],
    [{}, ["tools/list"]],
    [{ completions: {}, logging: {} }, ["tools/list"]],
  ])("a server that declares %j is asked for %j", async (capabilities, methods) => {
    const { value, asked } = await listed(server(capabilities));
    expect(asked).toEqual(methods);
    const has = (method: string, key: string) => (methods.includes(method) ? named(method) : key);
    expect(value).toMatchObject({
      tools: methods.includes("tools/list") ? named("tools/list") : ok([]),
      resources: has("resources/list", "none") === "none" ? undefined : named("resources/list"),
      prompts: has("prompts/list", "none") === "none" ? undefined : named("prompts/list"),
      completions: "completions" in capabilities,
    });
  });

  it.each([
    ["an error", refuses(-32603), { reason: "rpc_error", code: -32603, outcome: "completed" }],
    ["HTTP 500", (_, response) => response.writeHead(500).end() !== undefined, { reason: "http_status" }],
    ["a cut line", (_, response) => response.destroy() !== undefined, { reason: "unreachable" }],
    ["no list", ({ id }, response) => sendJson(response, resultOf(id, {})), { reason: "protocol" }],
    [
      "HTTP 404",
      (_, response) => response.writeHead(404).end() !== undefined,
      { reason: "http_status", status: 404 },
    ],
  ] satisfies [string, Behaviour, object][])(
    "resources that fail with %s are a failure of their own: the rest is listed",
    async (_, behave, reason) => {
      const { value } = await listed(server(ALL, { "resources/list": behave }));
      expect(value).toMatchObject({
        tools: named("tools/list"),
        resources: failing(reason),
        templates: named("resources/templates/list"),
        prompts: named("prompts/list"),
      });
    },
  );

  it("tools that fail are a failure of their own too", async () => {
    const { value } = await listed(server(ALL, { "tools/list": refuses(-32603) }));
    expect(value).toMatchObject({
      tools: failing({ reason: "rpc_error" }),
      resources: named("resources/list"),
    });
  });

  it("a kind whose method the server does not know is none, declared or not", async () => {
    const unknown = refuses(-32601);
    const { value } = await listed(
      server(ALL, {
        "resources/list": unknown,
        "resources/templates/list": unknown,
        "prompts/list": unknown,
      }),
    );
    expect(value).toMatchObject({ tools: named("tools/list") });
    expect(value).toMatchObject({ resources: undefined, templates: undefined, prompts: undefined });
    const withStatus: Behaviour = ({ id }, response) => sendJson(response, errorOf(id, -32601, "no"), 404);
    const again = await listed(server(ALL, { "resources/templates/list": withStatus }));
    expect(again.value).toMatchObject({ resources: named("resources/list"), templates: undefined });
  });

  it("tools that were declared and are unknown are a failure; undeclared ones are none", async () => {
    const lists = { "tools/list": refuses(-32601) };
    const declared = await listed(server(ALL, lists));
    expect(declared.value).toMatchObject({ tools: failing({ reason: "rpc_error", code: -32601 }) });
    const undeclared = await listed(server({}, lists));
    expect(undeclared.value).toMatchObject({ tools: ok([]) });
  });

  it("templates that never end are given up, by the cursor that came twice or by the number of pages", async () => {
    const page =
      (cursor: string): Behaviour =>
      ({ id }, response, nth) =>
        sendJson(response, resultOf(id, { resourceTemplates: [], nextCursor: cursor || `c${nth}` }));
    const again = await listed(server(ALL, { "resources/templates/list": page("again") }));
    expect(again.value).toMatchObject({
      templates: failing({ reason: "protocol" }),
      prompts: named("prompts/list"),
    });
    expect(again.asked.filter((method) => method === "resources/templates/list")).toHaveLength(2);
    const endless = await listed(server(ALL, { "resources/templates/list": page("") }));
    expect(endless.value).toMatchObject({
      tools: named("tools/list"),
      templates: failing({ reason: "too_large" }),
    });
    expect(endless.asked.filter((method) => method === "resources/templates/list")).toHaveLength(500);
  });

  it("has one bound on bytes over all kinds: what was read before it is kept", async () => {
    const big = "x".repeat(3 * 1024 * 1024);
    const two: Behaviour = ({ id, params, rpcMethod }, response) => {
      if (!isMethod(rpcMethod)) return false;
      const more = params["cursor"] === undefined ? { nextCursor: "2" } : {};
      return sendJson(
        response,
        resultOf(id, { [KEYS[rpcMethod]]: [{ name: "a", description: big }], ...more }),
      );
    };
    const { value, asked } = await listed(
      server(ALL, { "tools/list": two, "resources/list": two, "resources/templates/list": two }),
    );
    expect(value).toMatchObject({
      tools: ok([{ name: "a" }, { name: "a" }]),
      resources: ok([{ name: "a" }, { name: "a" }]),
      templates: failing({ reason: "too_large" }),
      prompts: failing({ reason: "too_large" }),
    });
    expect(asked.length).toBeLessThanOrEqual(7);
  });

  it("has one deadline over all kinds: what was read before it is kept", async () => {
    await withUpstream(server(ALL, { "resources/list": () => true }), async (upstream, target) => {
      const { answer } = await listAll({ ...target, timeoutMs: 200 }, undefined, io());
      const late = failing({ reason: "timeout" });
      const value = { tools: named("tools/list"), resources: late, templates: late, prompts: late };
      expect(answer).toMatchObject(ok(value));
      expect(upstream.count("prompts/list")).toBe(0);
    });
  });

  it("on a kept session that is refused between two kinds, begins again on a new one", async () => {
    await withUpstream(
      server(ALL, {
        "prompts/list": ({ id }, response, nth) =>
          nth === 1
            ? response.writeHead(404).end() !== undefined
            : sendJson(response, resultOf(id, { prompts: [{ name: "p" }] })),
      }),
      async (upstream, target) => {
        const { answer } = await listAll(target, { ...KEPT, capabilities: ALL }, io());
        expect(answer).toMatchObject(ok({ tools: named("tools/list"), prompts: named("p") }));
        expect([upstream.count("initialize"), upstream.count("tools/list")]).toEqual([1, 2]);
      },
    );
  });

  it("fails as a whole where no connection comes about", async () => {
    const { value } = await listed(({ rpcMethod }, response) => {
      if (rpcMethod !== "initialize") return false;
      response.writeHead(503).end();
      return true;
    });
    expect(value).toMatchObject(failing({ reason: "unreachable", outcome: "not_dispatched" }));
  });

  it("each kind is what its own method said, whatever the others do", async () => {
    type Plan = "fails" | "unknown" | readonly (readonly string[])[];
    const plan = fc.oneof(
      fc.constantFrom<Plan>("fails", "unknown"),
      fc.array(fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    );
    let plans: readonly Plan[] = [];
    const listOf = (at: number) => {
      const own = plans[at] ?? "unknown";
      if (own === "fails") return refuses(-32603);
      return own === "unknown" ? refuses(-32601) : own;
    };
    const upstream = await startHostileUpstream((seen, response, nth) =>
      server(ALL, Object.fromEntries(METHODS.map((method, at) => [method, listOf(at)])))(seen, response, nth),
    );
    try {
      await fc.assert(
        fc.asyncProperty(fc.tuple(plan, plan, plan, plan), async (generated) => {
          plans = generated;
          const { answer } = await listAll(targetOf(upstream.url), undefined, io());
          if (!answer.ok) return false;
          const { tools, resources, templates, prompts } = answer.value;
          return [tools, resources, templates, prompts].every((kind, at) => {
            const own = generated[at];
            if (own === "unknown") return at === 0 ? kind?.ok === false : kind === undefined;
            if (own === "fails" || own === undefined) return kind?.ok === false;
            return JSON.stringify(kind) === JSON.stringify(named(...own.flat()));
          });
        }),
        { numRuns: 40 },
      );
      expect(upstream.count("GET")).toBe(0);
    } finally {
      await upstream.close();
    }
  });
});
