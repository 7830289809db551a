import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { tool } from "../../support/catalog/rig.ts";
import { stubUpstreams } from "../upstreams.ts";
import { bearerFor, OPERATOR, send } from "./client.ts";
import { freshStorage } from "../fresh-storage.ts";

const upstreams = stubUpstreams();
const CONFIG = JSON.stringify({ mcpServers: { one: { url: "https://one.example.com/mcp" } } });
const operator = { headers: { Authorization: `Bearer ${OPERATOR}` } };

const admin = (path: string, method = "GET", config = CONFIG) =>
  send(path, { method, ...operator }, { LOOMGATE_CONFIG: config });

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(async () => {
  vi.restoreAllMocks();
  upstreams.reset();
  await freshStorage();
});

describe("POST /admin/refresh", () => {
  // The first test here: later ones leave an object behind, emptied but listed.
  it("is the operator's alone, and wakes nothing for others", async () => {
    const bearer = await bearerFor();
    for (const [headers, status] of [
      [{}, 401],
      [{ Authorization: `Bearer ${bearer}` }, 403],
    ] as const) {
      expect((await send("/admin/refresh", { method: "POST", headers })).status).toBe(status);
      expect((await send("/admin/catalog", { headers })).status).toBe(status);
    }
    expect(await listDurableObjectIds(env.CATALOGS)).toEqual([]);
  });

  it("answers by its contract", async () => {
    upstreams.tools("one", [
      tool("a"),
      tool("a"),
      tool("1\u0000"),
      tool("b", { inputSchema: { $ref: "#/x" } }),
    ]);
    const response = await admin("/admin/refresh", "POST");
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        generation: 1,
        changed: true,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        servers: [
          {
            name: "one",
            status: "ok",
            tools: 2,
            skipped: [{ name: "1", reason: "bad_name" }],
            findings: [
              { tool: "a", code: "duplicate_name" },
              { tool: "b", code: "top_level_type_missing" },
              { tool: "b", code: "unresolved_ref" },
            ],
          },
        ],
      },
    ]);
    expect(await (await admin("/admin/refresh", "POST")).json()).toMatchObject({
      generation: 1,
      changed: false,
    });
  });

  it("tells a required server's failure with the old generation", async () => {
    const config = JSON.stringify({
      mcpServers: { one: { url: "https://one.example.com/mcp", required: true } },
    });
    upstreams.fails("one", () => new Response("no", { status: 401 }));
    const first = await admin("/admin/refresh", "POST", config);
    expect(await first.json()).toMatchObject({
      generation: 0,
      changed: false,
      servers: [{ status: "failed" }],
    });
    upstreams.tools("one", [tool("a")]);
    await admin("/admin/refresh", "POST", config);
    upstreams.fails("one", () => new Response("no", { status: 401 }));
    const later = await admin("/admin/refresh", "POST", config);
    expect([later.status, await later.json()]).toMatchObject([
      200,
      {
        generation: 1,
        changed: false,
        servers: [
          { status: "stale", tools: 1, reason: "the upstream server refused the gateway's credentials" },
        ],
      },
    ]);
  });

  it("shows no configured secret, though a server names a tool by it", async () => {
    // What the object and the request both have under this name.
    const secret = env.LOOMGATE_KEY ?? "";
    const block = { url: "https://spy.example.com/mcp", headers: { "X-Key": "${env:LOOMGATE_KEY}" } };
    const bindings = {
      LOOMGATE_CONFIG: JSON.stringify({ mcpServers: { spy: block } }),
      LOOMGATE_KEY: secret,
    };
    upstreams.tools("spy", [tool("echo", { description: `Your key is ${secret}.` }), tool(`1 ${secret}`)]);
    const refreshed = await (await send("/admin/refresh", { method: "POST", ...operator }, bindings)).text();
    const shown = await (await send("/admin/catalog", operator, bindings)).text();
    expect(shown).toContain("REDACTED");
    for (const text of [refreshed, shown]) expect(text).not.toContain(secret);
    // Half a name calls nothing, and a whole one would be stored: the tool is left out, and the report says so.
    expect(JSON.parse(refreshed)).toMatchObject({
      servers: [{ tools: 1, skipped: [{ name: "#1", reason: "no_name" }] }],
    });
  });

  it("is refused with every other route while servers' names clash", async () => {
    const config = JSON.stringify({
      mcpServers: { A: { url: "https://a.example.com" }, a: { url: "https://b.example.com" } },
    });
    expect((await admin("/admin/refresh", "POST", config)).status).toBe(503);
    expect(await (await admin("/health", "GET", config)).json()).toMatchObject({ status: "misconfigured" });
  });
});

describe("GET /admin/catalog", () => {
  it("shows the newest catalog by pages", async () => {
    // Its own configuration, as below.
    const config = JSON.stringify({ mcpServers: { paged: { url: "https://paged.example.com/mcp" } } });
    upstreams.tools("paged", [tool("b"), tool("a"), tool("c")]);
    await admin("/admin/refresh", "POST", config);
    const first: unknown = await (await admin("/admin/catalog?limit=2", "GET", config)).json();
    expect(first).toMatchObject({
      generation: 1,
      namespaces: [{ namespace: "paged", tools: 3 }],
      tools: ["a", "b"].map((name) => ({ server: "paged", upstream_name: name, stale: false })),
    });
    expect(memberOf(first, "hash")).toMatch(/^[0-9a-f]{64}$/);
    expect(memberOf(first, "next")).toMatch(/^paged:b#[0-9a-f]{8}$/);
    const tools = memberOf(first, "tools");
    const shown: unknown = Array.isArray(tools) ? tools[0] : undefined;
    expect(memberOf(shown, "id")).toMatch(/^paged:a#[0-9a-f]{8}$/);
    expect(memberOf(shown, "listed_name")).toMatch(/^paged--a---[0-9a-f]{8}$/);
    expect(memberOf(shown, "line")).toContain(" — Does a. side effects");
    expect(memberOf(shown, "tokens")).toBeGreaterThan(5);
    const next = encodeURIComponent(String(memberOf(first, "next")));
    const rest: unknown = await (await admin(`/admin/catalog?limit=2&after=${next}`, "GET", config)).json();
    expect(rest).toMatchObject({ tools: [{ upstream_name: "c" }], next: null });
  });

  it.each(["limit=0", "limit=x", "limit=-1", "after=one:nothing"])("refuses %s", async (query) => {
    const name = `for-${query.replace(/\W/g, "-")}`;
    const config = JSON.stringify({ mcpServers: { [name]: { url: "https://refused.example.com/mcp" } } });
    expect((await admin(`/admin/catalog?${query}`, "GET", config)).status).toBe(400);
  });

  it("makes the first catalog when there is none, and marks the tools of a server that failed since", async () => {
    // Its own configuration: what this isolate knows of another test's is never led back.
    const config = JSON.stringify({ mcpServers: { first: { url: "https://first.example.com/mcp" } } });
    upstreams.tools("first", [tool("a")]);
    const shown = async () => (await admin("/admin/catalog", "GET", config)).json();
    expect(await shown()).toMatchObject({ generation: 1, tools: [{ stale: false }] });
    upstreams.fails("first", () => new Response("", { status: 503 }));
    await admin("/admin/refresh", "POST", config);
    expect(await shown()).toMatchObject({ generation: 1, tools: [{ stale: true }] });
  });
});
