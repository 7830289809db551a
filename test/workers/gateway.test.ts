import {
  abortAllDurableObjects,
  createExecutionContext,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { Bindings } from "../../src/http/bindings.ts";
import { createApp } from "../../src/http/app.ts";
import { gatewayFor, proxyFor, selectionApiFor } from "../../src/http/gateway-ports.ts";
import { memberOf } from "../../src/json.ts";
import { ok } from "../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakeId } from "../support/fake-catalog.ts";
import { bearerFor, KEY, OPERATOR, ORIGIN, tokenIdOf } from "./http/client.ts";
import { principalObjectName } from "../../src/principal/object-name.ts";
import { principalPort } from "../../src/principal/principals-store.ts";
import { freshStorage } from "./fresh-storage.ts";

const TOOLS = [
  {
    namespace: "files",
    name: "read_file",
    description: "Read a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
  { namespace: "other", name: "peek", description: "Peek." },
];
const READ = fakeId({ namespace: "files", name: "read_file" });
const PEEK = fakeId({ namespace: "other", name: "peek" });
const SECRET = "an-upstream-secret";
const CONFIG = JSON.stringify({
  mcpServers: {
    files: { url: "https://files.example.com/mcp", headers: { "X-Api-Key": "${env:FILES_KEY}" } },
    other: { url: "https://other.example.com/mcp" },
  },
});
const LINES = Array.from({ length: 5000 }, (_, index) => `line ${index} — 漢字 and 😀\n`);
const LARGE = LINES.join("");

afterEach(async () => {
  await freshStorage();
});

interface Seen {
  readonly host: string;
  readonly method: string;
  readonly key: string | null;
  readonly authorization: string | null;
  readonly session: string | null;
}

/** The upstreams, in this isolate: what they saw, and what `tools/call` answers. */
function upstreams(result: (args: unknown) => unknown) {
  const seen: Seen[] = [];
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : {};
    const headers = new Headers(init?.headers);
    const { host } = new URL(url);
    const rpcMethod = memberOf(body, "method");
    const method = typeof rpcMethod === "string" ? rpcMethod : (init?.method ?? "GET");
    seen.push({
      host,
      method,
      key: headers.get("x-api-key"),
      authorization: headers.get("authorization"),
      session: headers.get("mcp-session-id"),
    });
    const answer = (value: unknown) =>
      Response.json(
        { jsonrpc: "2.0", id: memberOf(body, "id"), result: value },
        { headers: { "mcp-session-id": `s-${host}` } },
      );
    const info = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      serverInfo: { name: "kit", version: "1" },
    };
    if (method === "initialize") return answer(info);
    if (method !== "tools/call") return new Response(null, { status: 202 });
    return answer(result(memberOf(memberOf(body, "params"), "arguments")));
  };
  return { seen, fetch, calls: () => seen.filter(({ method }) => method === "tools/call") };
}

/** The same object, with every call of a method of it noted. */
function counted<Target extends object>(target: Target, counts: string[], label: string): Target {
  return new Proxy(target, {
    get: (inner, name): unknown => {
      const member: unknown = Reflect.get(inner, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        counts.push(`${label}.${String(name)}`);
        return Reflect.apply(member, inner, args);
      };
    },
  });
}

/** The Worker with counted bindings and upstreams of this isolate; every request is one HTTP exchange. */
function worker(result: (args: unknown) => unknown, evict = false) {
  const upstream = upstreams(result);
  const counts: string[] = [];
  const catalogs = fakeCatalogs(ok(fakeCatalog(TOOLS)));
  const app = createApp({
    configText: CONFIG,
    gateway: (c) => gatewayFor(c, catalogs, { fetch: upstream.fetch }),
    proxy: (c, names) => proxyFor(c, catalogs, names, { fetch: upstream.fetch }),
    api: (c) => selectionApiFor(c, catalogs),
  });
  const bindings: Bindings & Record<string, unknown> = {
    ...env,
    ARTIFACTS: counted(env.ARTIFACTS, counts, "r2"),
    PRINCIPALS: new Proxy(env.PRINCIPALS, {
      get: (target, name): unknown =>
        name === "getByName"
          ? (principal: string) => counted(target.getByName(principal), counts, "do")
          : Reflect.get(target, name),
    }),
    LOOMGATE_KEY: KEY,
    OPERATOR_TOKEN: OPERATOR,
    LOOMGATE_CONFIG: CONFIG,
    FILES_KEY: SECRET,
  };
  const client = (bearer: string) => {
    let session: string | null = null;
    let id = 0;
    const post = async (method: string, params: unknown): Promise<Response> => {
      if (evict) await abortAllDurableObjects();
      id += 1;
      const context = createExecutionContext();
      const headers = {
        Authorization: `Bearer ${bearer}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(session === null ? {} : { "Mcp-Session-Id": session }),
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
      const request = new Request(new URL("/mcp", ORIGIN), { method: "POST", headers, body });
      const response = await app.fetch(request, bindings, context);
      await waitOnExecutionContext(context);
      return response;
    };
    return {
      post,
      /** Another credential for the same upstream, as after a deployment. */
      rotate: (key: string) => {
        bindings["FILES_KEY"] = key;
      },
      initialize: async () => {
        const response = await post("initialize", {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        });
        session = response.headers.get("mcp-session-id");
        return memberOf(await response.json(), "result");
      },
      call: async (name: string, args: unknown): Promise<unknown> => {
        const response = await post("tools/call", { name, arguments: args });
        return memberOf(await response.json(), "result");
      },
    };
  };
  return { client, upstream, counts };
}

const textIn = (answer: unknown, part = 0): string => {
  const content = memberOf(answer, "content");
  return String(memberOf(Array.isArray(content) ? content[part] : undefined, "text"));
};
const handleIn = (answer: unknown): string => /"handle":"(\d{27})"/.exec(textIn(answer, 1))?.[1] ?? "";
const small = () => ({ content: [{ type: "text", text: "small" }] });
const large = () => ({ content: [{ type: "text", text: LARGE }] });

describe.each([
  ["in one life", false],
  ["with an eviction before every request", true],
])("the gateway over its bindings, %s", (_, evict) => {
  it("is listed, browsed, executed and viewed through the endpoint", async () => {
    const { client } = worker(large, evict);
    const ada = client(await bearerFor());
    expect(String(memberOf(await ada.initialize(), "instructions"))).toContain("tool_browse");
    const listed = memberOf(await (await ada.post("tools/list", {})).json(), "result");
    expect(JSON.stringify(listed)).toContain("Namespaces: files, other.");
    expect(textIn(await ada.call("tool_browse", { query: "read a file" }))).toContain(READ);
    const answer = await ada.call("tool_execute", { tool_id: READ, args: { path: "/a" } });
    const handle = handleIn(answer);
    expect(
      textIn(await ada.call("tool_view", { handle, selector: { type: "lines", start: 4711, end: 4713 } })),
    ).toBe(LINES.slice(4711, 4713).join(""));
  });

  it("resumes the upstream's session with one POST, and sends the operator's credential and nobody else's", async () => {
    const { client, upstream } = worker(small, evict);
    const bearer = await bearerFor();
    const ada = client(bearer);
    await ada.initialize();
    for (let call = 0; call < 3; call += 1) {
      expect(textIn(await ada.call("tool_execute", { tool_id: READ, args: { path: "/a" } }))).toBe("small");
    }
    expect(upstream.seen.map(({ method }) => method)).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/call",
      "tools/call",
      "tools/call",
    ]);
    expect(upstream.seen.every(({ key }) => key === SECRET)).toBe(true);
    expect(upstream.seen.every(({ authorization }) => authorization === null)).toBe(true);
  });

  it("never shares an upstream's session between principals or upstreams", async () => {
    const { client, upstream } = worker(small, evict);
    const ada = client(await bearerFor({ principal: "ada" }));
    const eve = client(await bearerFor({ principal: "eve" }));
    await ada.initialize();
    await eve.initialize();
    await ada.call("tool_execute", { tool_id: READ, args: { path: "/a" } });
    await eve.call("tool_execute", { tool_id: READ, args: { path: "/a" } });
    await ada.call("tool_execute", { tool_id: PEEK });
    expect(upstream.seen.filter(({ method }) => method === "initialize").length).toBe(3);
    ada.rotate("another-upstream-secret");
    await ada.call("tool_execute", { tool_id: READ, args: { path: "/a" } });
    const initializations = upstream.seen.filter(({ method }) => method === "initialize");
    expect(initializations.at(-1)?.key).toBe("another-upstream-secret");
    expect(initializations.length).toBe(4);
    expect(
      upstream.seen.filter(({ host }) => host === "other.example.com").every(({ key }) => key === null),
    ).toBe(true);
  });

  it("asks one object once before the answer, and R2 only where something is kept back or viewed", async () => {
    const results = [small, small, large];
    const { client, counts } = worker(() => (results.shift() ?? small)(), evict);
    const lovelace = client(await bearerFor({ principal: "lovelace" }));
    await lovelace.initialize();
    const cost = async (name: string, args: unknown) => {
      counts.length = 0;
      const answer = await lovelace.call(name, args);
      return { answer, counts: [...counts] };
    };
    const execute = () => cost("tool_execute", { tool_id: READ, args: { path: "/a" } });
    // How a call ended is told behind the answer, together with all else that there is to report. Where a session was opened
    // for it, that is noted meanwhile: nobody waits for it.
    expect((await execute()).counts).toEqual(["do.admit", "do.noteFlight", "do.settle"]);
    expect((await execute()).counts).toEqual(["do.admit", "do.settle"]);
    const kept = await execute();
    expect(kept.counts).toEqual(["do.admit", "r2.head", "r2.put", "do.settle"]);
    const handle = handleIn(kept.answer);
    expect((await cost("tool_view", { handle, selector: { type: "head" } })).counts).toEqual([
      "do.admit",
      "r2.get",
      "do.settle",
    ]);
    expect((await cost("tool_browse", { query: "read" })).counts).toEqual(["do.admit", "do.settle"]);
    const listed = await env.ARTIFACTS.list();
    expect(listed.objects.map(({ key }) => key)).toEqual([
      expect.stringMatching(new RegExp(`^d7/[\\w-]+/${handle}$`)),
    ]);
    expect(JSON.stringify(listed)).not.toContain("lovelace");
  });

  it("gives a whole artifact by following next, out of real range reads", async () => {
    const { client } = worker(large, evict);
    const ada = client(await bearerFor());
    await ada.initialize();
    const handle = handleIn(await ada.call("tool_execute", { tool_id: READ, args: { path: "/a" } }));
    for (const first of [
      { type: "lines", start: 0, end: 900 },
      { type: "head", chars: 9000 },
    ]) {
      let all = "";
      let selector: unknown = { ...first };
      while (selector !== undefined) {
        const answer = await ada.call("tool_view", { handle, selector, render: "json" });
        const shown = memberOf(answer, "structuredContent");
        all += String(memberOf(shown, "text"));
        const next = memberOf(shown, "next");
        selector = memberOf(next, "type") === "bytes" ? Object.assign({}, next, { length: 16_384 }) : next;
      }
      expect(all).toBe(LARGE);
    }
  });

  it("keeps an artifact from every other principal, whose guesses are answered alike", async () => {
    const { client } = worker(large, evict);
    const ada = client(await bearerFor({ principal: "ada" }));
    const eve = client(await bearerFor({ principal: "eve" }));
    await ada.initialize();
    await eve.initialize();
    const handle = handleIn(await ada.call("tool_execute", { tool_id: READ, args: { path: "/a" } }));
    const miss = async (asked: string) =>
      textIn(await eve.call("tool_view", { handle: asked, selector: { type: "head" } })).replace(asked, "");
    const plain = await miss("0".repeat(27));
    expect(plain).toContain("VIEW_FAILED");
    expect(await miss(handle)).toBe(plain);
  });

  it("refuses a revoked bearer and an ended session at any tool call, whatever it asks", async () => {
    const { client, upstream } = worker(small, evict);
    const bearer = await bearerFor();
    const ada = client(bearer);
    await ada.initialize();
    const tokenId = await tokenIdOf(bearer);
    const expiresAtMs = Date.now() + 86_400_000;
    await principalPort(env.PRINCIPALS, "ada").revoke({ version: 1, tokenId, expiresAtMs });
    for (const [name, args] of [
      ["tool_browse", {}],
      ["tool_execute", { tool_id: READ, args: {} }],
      ["tool_execute", { tool_id: READ, args: { path: "/a" } }],
      ["tool_view", { handle: "x", selector: { type: "head" } }],
      ["no_such_tool", {}],
    ] as const) {
      const response = await ada.post("tools/call", { name, arguments: args });
      expect(response.status).toBe(401);
    }
    expect(upstream.seen).toEqual([]);
  });

  it("lets no configured secret out", async () => {
    const echo = (args: unknown) => ({
      content: [{ type: "text", text: `${SECRET} ${KEY} ${OPERATOR} ${JSON.stringify(args)}` }],
      structuredContent: { [SECRET]: KEY },
    });
    const { client } = worker(echo, evict);
    const ada = client(await bearerFor());
    await ada.initialize();
    const answer = await ada.call("tool_execute", { tool_id: READ, args: { path: SECRET } });
    expect(textIn(answer)).toContain("[REDACTED-SECRET]");
    for (const secret of [SECRET, KEY, OPERATOR]) expect(JSON.stringify(answer)).not.toContain(secret);
  });
});

describe("a tool that the protocol does not know", () => {
  it("is a JSON-RPC error", async () => {
    const { client } = worker(small);
    const ada = client(await bearerFor());
    await ada.initialize();
    const response = await ada.post("tools/call", { name: "github__create_issue", arguments: {} });
    expect(memberOf(memberOf(await response.json(), "error"), "code")).toBe(-32602);
  });
});

describe("a view that the ledger has no row for", () => {
  it("finds what it needs beside the bytes, until the artifact's time is up", async () => {
    const { client, counts } = worker(large);
    const ada = client(await bearerFor());
    await ada.initialize();
    const handle = handleIn(await ada.call("tool_execute", { tool_id: READ, args: { path: "/a" } }));
    const rows = await runInDurableObject(env.PRINCIPALS.getByName(principalObjectName("ada")), (_, state) =>
      state.storage.sql.exec("DELETE FROM artifacts RETURNING handle, lines").toArray(),
    );
    expect(rows).toEqual([{ handle, lines: LINES.length }]);
    counts.length = 0;
    const view = () => ada.call("tool_view", { handle, selector: { type: "lines", start: -1 } });
    expect(textIn(await view())).toBe(LINES.at(-1));
    expect(counts).toEqual(["do.admit", "r2.head", "r2.get", "do.settle"]);

    const { objects } = await env.ARTIFACTS.list({ include: ["customMetadata"] });
    const [object] = objects;
    const { customMetadata, key } = object ?? { key: "" };
    await env.ARTIFACTS.put(key, LARGE, {
      customMetadata: { ...customMetadata, expires: String(Date.now() - 1) },
    });
    expect(textIn(await view())).toContain("VIEW_FAILED");
  });
});
