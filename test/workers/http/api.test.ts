import {
  abortAllDurableObjects,
  createExecutionContext,
  listDurableObjectIds,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isRecord, memberOf } from "../../../src/json.ts";
import { REQUEST_BODY_MAX_BYTES } from "../../../src/limits.ts";
import { principalPort } from "../../../src/principal/principals-store.ts";
import worker from "../../../src/worker.ts";
import { tool } from "../../support/catalog/rig.ts";
import { stubUpstreams } from "../upstreams.ts";
import { bearerFor, KEY, OPERATOR, ORIGIN, tokenIdOf } from "./client.ts";
import { freshStorage } from "../fresh-storage.ts";

const upstreams = stubUpstreams();
const ALLOWED = "https://app.example";

/** Its own configuration a test: what the isolate knows of a catalog outlives `reset`. */
let tests = 0;
let host = "";
let config = "";

let logged: unknown[] = [];

beforeEach(() => {
  logged = [];
  vi.spyOn(console, "error").mockImplementation((...texts: unknown[]) => {
    logged.push(...texts);
  });
  tests += 1;
  host = `api${tests}`;
  config = JSON.stringify({
    mcpServers: {
      [host]: { url: `https://${host}.example.com/mcp` },
      other: { url: "https://other.example.com/mcp" },
    },
    gateway: { allowed_origins: [ALLOWED] },
  });
  upstreams.tools(host, [
    tool("create_issue", { description: "Create an issue." }),
    tool("list_issues", { description: "List issues." }),
  ]);
  upstreams.tools("other", [tool("read_file", { description: "Read a file about an issue." })]);
});

afterEach(async () => {
  vi.restoreAllMocks();
  upstreams.reset();
  await freshStorage();
});

async function send(path: string, init: RequestInit, bindings: object = {}): Promise<Response> {
  const context = createExecutionContext();
  const all = { ...env, LOOMGATE_KEY: KEY, OPERATOR_TOKEN: OPERATOR, LOOMGATE_CONFIG: config, ...bindings };
  const response = await worker.fetch(new Request(new URL(path, ORIGIN), init), all, context);
  await waitOnExecutionContext(context);
  return response;
}

const post = (path: string, bearer: string, body: unknown, headers: Record<string, string> = {}) =>
  send(path, {
    method: "POST",
    headers: { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof ReadableStream ? body : JSON.stringify(body),
  });

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  const value: unknown = await response.json();
  if (!isRecord(value)) throw new Error("no object");
  return value;
}

const idsOf = (route: Record<string, unknown>): unknown[] => {
  const { cards } = route;
  return Array.isArray(cards) ? cards.map((card: unknown) => memberOf(card, "id")) : [];
};

/** The object of a `tool_browse` in JSON, over a session of its own. */
async function browse(bearer: string, args: object): Promise<unknown> {
  const accept = { Accept: "application/json, text/event-stream" };
  const rpc = (method: string, params: unknown, headers: Record<string, string>) =>
    post("/mcp", bearer, { jsonrpc: "2.0", id: 1, method, params }, { ...accept, ...headers });
  const opened = await rpc(
    "initialize",
    { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    {},
  );
  const session = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" };
  const answer = await rpc(
    "tools/call",
    { name: "tool_browse", arguments: { ...args, render: "json" } },
    session,
  );
  return memberOf(memberOf(await answer.json(), "result"), "structuredContent");
}

const ROUTES = ["/api/route", "/api/validate-selection"];
const BODIES: Record<string, unknown> = {
  "/api/route": { query: "issue" },
  "/api/validate-selection": { candidates: ["a:b#00000000"], selected: "a:b#00000000" },
};

describe.each(ROUTES)("%s", (path) => {
  it("is the clients' alone, and wakes nothing for others", async () => {
    const bearers: [string | null, number][] = [
      [null, 401],
      ["lg_client_nonsense", 401],
      [await bearerFor({ kind: "package" }), 403],
      [await bearerFor({ kind: "owner" }), 403],
      [OPERATOR, 403],
    ];
    const awake = (await listDurableObjectIds(env.PRINCIPALS)).length;
    for (const [bearer, status] of bearers) {
      const headers = bearer === null ? {} : { Authorization: `Bearer ${bearer}` };
      const response = await send(path, { method: "POST", headers, body: JSON.stringify(BODIES[path]) });
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({ error: status === 401 ? "unauthorized" : "forbidden" });
      expect(response.headers.get("www-authenticate")).toBe(
        status === 401 ? `Bearer resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"` : null,
      );
    }
    expect(await listDurableObjectIds(env.PRINCIPALS)).toHaveLength(awake);
    expect((await post(path, await bearerFor(), BODIES[path])).status).toBe(200);
  });

  it("refuses a bearer once it is revoked, whatever is asked, also after an eviction", async () => {
    const bearer = await bearerFor();
    expect((await post(path, bearer, BODIES[path])).status).toBe(200);
    const revocation = { tokenId: await tokenIdOf(bearer), expiresAtMs: Date.now() + 86_400_000 };
    await principalPort(env.PRINCIPALS, "ada").revoke({ version: 1, ...revocation });
    for (const body of [BODIES[path], {}, "no JSON"]) {
      await abortAllDurableObjects();
      const response = await post(path, bearer, body);
      expect([response.status, await response.json()]).toEqual([401, { error: "unauthorized" }]);
      expect(response.headers.get("www-authenticate")).toContain("resource_metadata=");
    }
  });

  it.each(["GET", "HEAD", "PUT", "PATCH", "DELETE"])("is no place for %s", async (method) => {
    const headers = { Authorization: `Bearer ${await bearerFor()}` };
    const response = await send(path, { method, headers });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await response.text()).toBe(method === "HEAD" ? "" : '{"error":"method_not_allowed"}');
    expect((await send(path, { method })).status).toBe(401);
  });

  it("is for pages of allowed origins alone", async () => {
    const bearer = await bearerFor();
    const foreign = await post(path, bearer, BODIES[path], { Origin: "https://evil.example" });
    expect([foreign.status, await foreign.json()]).toEqual([403, { error: "forbidden" }]);
    const preflight = await send(path, {
      method: "OPTIONS",
      headers: { Origin: ALLOWED, "Access-Control-Request-Method": "POST" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET,POST,DELETE",
    ]);
    const own = await post(path, bearer, BODIES[path], { Origin: ALLOWED });
    expect([own.status, own.headers.get("access-control-allow-origin")]).toEqual([200, ALLOWED]);
  });

  it("refuses a body that is too large, declared or not", async () => {
    const bearer = await bearerFor();
    const text = JSON.stringify({ query: "x".repeat(REQUEST_BODY_MAX_BYTES) });
    const stream = new Response(text).body;
    for (const body of [text, stream]) {
      const response = await post(path, bearer, body);
      expect([response.status, await response.json()]).toEqual([413, { error: "too_large" }]);
    }
  });

  it.each([
    ["nothing", ""],
    ["half of an object", '{"query":'],
    ["no UTF-8", new Uint8Array([0x7b, 0xff, 0x7d])],
    ["a list", "[]"],
    ["a text", '"issue"'],
    ["null", "null"],
    ["no members", "{}"],
    ["a prototype", '{"__proto__":{"query":"issue","candidates":[],"selected":null}}'],
    ["a million brackets", "[".repeat(1_000_000)],
    ["a hundred thousand levels", `{"query":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["wrong types", '{"query":{},"candidates":{"length":1},"selected":[]}'],
    ["a form", "query=issue&candidates=a&selected=a"],
  ])("answers %s with 400 and what is wrong", async (_, body) => {
    const headers = { Authorization: `Bearer ${await bearerFor()}` };
    const response = await send(path, { method: "POST", headers, body });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.json()).toEqual({
      error: "ARGS_INVALID",
      message: `the body does not satisfy the schema of ${path}`,
      path: "",
      retryable: false,
      details: {
        errors: expect.arrayContaining([
          expect.objectContaining({ keyword: expect.any(String) as unknown }),
        ]) as unknown,
        schema: expect.objectContaining({ type: "object" }) as unknown,
      },
    });
  });

  it("reads JSON whatever the content type says", async () => {
    const bearer = await bearerFor();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", ""]) {
      expect((await post(path, bearer, BODIES[path], { "Content-Type": type })).status).toBe(200);
    }
  });

  it("may be asked again where the principal's object does not answer", async () => {
    const PRINCIPALS = {
      getByName: () => ({ admit: () => Promise.reject(new Error("object reset at 10.0.0.9")) }),
    };
    const headers = { Authorization: `Bearer ${await bearerFor()}` };
    const init = { method: "POST", headers, body: JSON.stringify(BODIES[path]) };
    const response = await send(path, init, { PRINCIPALS });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ error: "UPSTREAM_UNAVAILABLE", retryable: true });
    expect(text).not.toContain("10.0.0.9");
  });

  it("counts for the outer shield", async () => {
    const SHIELD = { limit: async () => ({ success: false }) };
    const headers = { Authorization: `Bearer ${await bearerFor()}` };
    const response = await send(path, { method: "POST", headers, body: "{}" }, { SHIELD });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "60"]);
  });
});

describe("POST /api/route", () => {
  it.each([{ query: "create an issue" }, { query: "issue", top_k: 2 }, { query: "nothing of the kind" }])(
    "gives for %j the cards that tool_browse gives",
    async (ask) => {
      const bearer = await bearerFor();
      const response = await post("/api/route", bearer, ask);
      expect(response.status).toBe(200);
      const routed = await jsonOf(response);
      expect(Object.keys(routed)).toEqual(["cards", "ambiguous", "weak", "schema"]);
      const browsed = await browse(bearer, ask);
      expect(JSON.stringify(routed["cards"])).toBe(JSON.stringify(memberOf(browsed, "cards")));
      expect(routed).toMatchObject({
        ambiguous: memberOf(browsed, "ambiguous") ?? false,
        weak: memberOf(browsed, "weak") ?? false,
      });
      const ids = idsOf(routed);
      const choice = { type: "object", properties: { tool_id: { type: "string", enum: ids } } };
      const { schema } = routed;
      expect(schema).toEqual(
        ids.length === 0 ? null : { ...choice, required: ["tool_id"], additionalProperties: false },
      );
    },
  );

  it("gives a choice that validates, and that tool_execute knows", async () => {
    const bearer = await bearerFor();
    const routed = await jsonOf(
      await post("/api/route", bearer, { query: "create an issue", format: "openai" }),
    );
    expect(routed["schema"]).toMatchObject({
      type: "json_schema",
      json_schema: { name: "tool_selection", strict: true },
    });
    const candidates = idsOf(routed);
    const selected = ` ${String(candidates[0]).toUpperCase()}`;
    const verdict = await jsonOf(await post("/api/validate-selection", bearer, { candidates, selected }));
    expect(verdict).toEqual({
      status: "repaired",
      selected_id: candidates[0],
      raw_id: selected,
      repair: "case_fold",
      reason: null,
    });
    const [found] = idsOf(
      await jsonOf(await post("/api/route", bearer, { query: String(verdict["selected_id"]) })),
    );
    expect(found).toBe(candidates[0]);
  });

  it("shows a scoped bearer its own tools alone", async () => {
    const bearer = await bearerFor({ principal: "eve", scopes: ["other:*"] });
    const routed = await jsonOf(await post("/api/route", bearer, { query: "issue" }));
    expect(idsOf(routed)).toEqual([expect.stringMatching(/^other:read_file#/)]);
    expect(JSON.stringify(routed)).not.toContain(host);
    const none = await jsonOf(await post("/api/route", bearer, { query: "create list" }));
    expect(none).toEqual({ cards: [], ambiguous: false, weak: false, schema: null });
  });

  it("says 503 while there is no catalog, and writes no query to the log", async () => {
    const answer = () => new Response("", { status: 503 });
    config = JSON.stringify({
      mcpServers: { [host]: { url: `https://${host}.example.com/mcp`, required: true } },
    });
    upstreams.fails(host, answer);
    const response = await post("/api/route", await bearerFor(), { query: "a secret wish" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.json()).toEqual({
      error: "UPSTREAM_UNAVAILABLE",
      message: "the catalog is not ready yet",
      path: "",
      retryable: true,
      details: { outcome: "not_dispatched" },
    });
    expect(logged.length).toBeGreaterThan(0);
    expect(JSON.stringify(logged)).not.toContain("secret wish");
  });
});

describe("other places under /api", () => {
  it("are not there, and only a client learns that", async () => {
    const bearer = await bearerFor();
    for (const path of ["/api", "/api/", "/api/route/", "/api/route/x", "/api/Route", "/api/schema"]) {
      expect((await post(path, bearer, {})).status).toBe(404);
      expect((await send(path, { method: "POST" })).status).toBe(401);
    }
  });
});
