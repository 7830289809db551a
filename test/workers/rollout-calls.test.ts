import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/http/app.ts";
import type { Bindings } from "../../src/http/bindings.ts";
import { catalogReader } from "../../src/http/catalog-port.ts";
import { gatewayFor, proxyFor, selectionApiFor } from "../../src/http/gateway-ports.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { tool } from "../support/catalog/rig.ts";
import { bearerFor, KEY, OPERATOR, ORIGIN } from "./http/client.ts";
import { openSession } from "./session-client.ts";
import { until } from "./patience.ts";
import { freshDatabase } from "./fresh-storage.ts";

/** What each call reached, in order, and what it waits for before it is answered. */
const reached: string[] = [];
let gate: Promise<void> = Promise.resolve();
let configs = 0;

async function answer(url: URL, init: RequestInit): Promise<Response> {
  const message: unknown = JSON.parse(typeof init.body === "string" ? init.body : "{}");
  const [host = ""] = url.hostname.split(".");
  const result = (value: unknown) =>
    Response.json(
      { jsonrpc: "2.0", id: memberOf(message, "id"), result: value },
      { headers: { "mcp-session-id": `session-of-${host}` } },
    );
  switch (memberOf(message, "method")) {
    case "initialize":
      return result({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: host, version: "1" },
      });
    case "tools/list":
      return result({ tools: [tool("pay")] });
    case "tools/call": {
      const session = new Headers(init.headers).get("mcp-session-id");
      reached.push(`${host} in ${session}`);
      await gate;
      return result({ content: [{ type: "text", text: `paid at ${host}` }] });
    }
    default:
      return new Response(null, { status: 202 });
  }
}

beforeEach(async () => {
  await freshDatabase();
  reached.length = 0;
  gate = Promise.resolve();
  vi.stubGlobal("fetch", (url: string | URL, init: RequestInit = {}) => answer(new URL(url), init));
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** One session, and an operator beside it. */
async function gateway(policy: readonly object[] = []) {
  const config = JSON.stringify({
    gateway: { policy },
    mcpServers: {
      bank: {
        // The isolate's catalogs outlive the test.
        url: `https://blue.example.com/mcp/${(configs += 1)}`,
        candidate: { url: "https://green.example.com/mcp" },
      },
    },
  });
  const app = createApp({
    configText: config,
    gateway: (c) => gatewayFor(c, catalogReader(c)),
    proxy: (c, names) => proxyFor(c, catalogReader(c), names),
    api: (c) => selectionApiFor(c, catalogReader(c)),
  });
  const bindings: Bindings = { ...env, LOOMGATE_KEY: KEY, OPERATOR_TOKEN: OPERATOR };
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const context = createExecutionContext();
    const response = await app.fetch(new Request(new URL(path, ORIGIN), init), bindings, context);
    const answered = new Response(await response.text(), response);
    await waitOnExecutionContext(context);
    return answered;
  };
  const principal = `payer-${configs}`;
  const bearer = await bearerFor({ principal });
  const post = await openSession(send, bearer);
  const call = async (name: string, args: object): Promise<string> =>
    JSON.stringify(memberOf(await post("tools/call", { name, arguments: args }), "result"));
  const found = await call("tool_browse", { query: "pay", render: "json" });
  const [id = ""] = /bank:pay#[0-9a-f]{8}/.exec(found) ?? [];
  const order = async (path: string): Promise<number> => {
    const headers = { Authorization: `Bearer ${OPERATOR}` };
    const response = await send(path, { method: "POST", headers });
    return response.status;
  };
  const move = async (name: string): Promise<number> => order(`/admin/upstreams/bank/${name}`);
  const grant = async (refusal: string): Promise<number> => {
    const [, approval = ""] = /approval_id\\?":\\?"([\w-]+)/.exec(refusal) ?? [];
    return order(`/admin/approvals/${approval}/grant`);
  };
  const list = async (): Promise<string> => JSON.stringify(memberOf(await post("tools/list", {}), "result"));
  /** How many calls of this principal the list shows waiting. */
  const waiting = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${OPERATOR}` };
    const listed: unknown = await (await send("/admin/approvals", { headers })).json();
    const all = memberOf(listed, "approvals");
    return (isJsonArray(all) ? all : []).filter(
      (one) => memberOf(one, "principal") === principal && memberOf(one, "state") === "pending",
    ).length;
  };
  return { list, pay: () => call("tool_execute", { tool_id: id, args: {} }), move, grant, waiting };
}

describe("a call while its server's calls are moved", () => {
  it("ends where it began; the next one of its session goes to the new target, in a session of its own", async () => {
    const { pay, move, list } = await gateway();
    expect(await pay()).toContain("paid at blue");
    let open = (): void => undefined;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const underWay = pay();
    await until(() => reached.length === 2);
    const listed = await list();
    expect(await move("promote")).toBe(200);
    // The two list the same: nothing that a client caches has changed.
    expect(await list()).toBe(listed);
    open();
    expect(await underWay).toContain("paid at blue");
    expect(await pay()).toContain("paid at green");
    expect(await pay()).toContain("paid at green");
    expect(await move("rollback")).toBe(200);
    expect(await pay()).toContain("paid at blue");
    expect(reached).toEqual([
      "blue in session-of-blue",
      "blue in session-of-blue",
      "green in session-of-green",
      "green in session-of-green",
      "blue in session-of-blue",
    ]);
  });
});

describe("a person's consent to a call", () => {
  it("is asked for once in the list, whatever took the server's place meanwhile", async () => {
    const { pay, move, grant, waiting } = await gateway([
      { match: { tool: "pay" }, action: "require_approval" },
    ]);
    const asked = await pay();
    expect(await move("promote")).toBe(200);
    const askedAnew = await pay();
    expect(await waiting()).toBe(1);
    expect([await grant(asked), await grant(askedAnew)]).toEqual([404, 200]);
    expect(await pay()).toContain("paid at green");
  });

  it("is to the server that the call would have gone to, not to the one that took its place", async () => {
    const { pay, move, grant } = await gateway([{ match: { tool: "pay" }, action: "require_approval" }]);
    const asked = await pay();
    expect(asked).toContain("AUTH_REQUIRED");
    expect(await grant(asked)).toBe(200);
    expect(await move("promote")).toBe(200);
    const askedAnew = await pay();
    expect(askedAnew).toContain("AUTH_REQUIRED");
    expect(reached).toEqual([]);
    expect(await grant(askedAnew)).toBe(200);
    expect(await pay()).toContain("paid at green");
    // Where the first consent was to, it stands.
    expect(await move("rollback")).toBe(200);
    expect(await pay()).toContain("paid at blue");
    expect(await pay()).toContain("AUTH_REQUIRED");
  });
});
