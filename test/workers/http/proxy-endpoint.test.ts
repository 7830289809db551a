import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { principalPort } from "../../../src/principal/principals-store.ts";
import { appWith, bearerFor, echoSurface, RawClient, send, tokenIdOf } from "./client.ts";
import { freshStorage } from "../fresh-storage.ts";

afterEach(async () => {
  await freshStorage();
});

const nothing = async () => undefined;
const proxyClient = async (path = "/mcp/proxy") => new RawClient(await bearerFor(), nothing, { path });

describe("the endpoint without sessions", () => {
  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"])(
    "opens none with the handshake of %s, and serves without one",
    async (version) => {
      const ada = await proxyClient();
      const opened = await ada.initialize(version);
      expect(opened.status).toBe(200);
      expect(opened.headers.get("mcp-session-id")).toBeNull();
      expect(await opened.json()).toMatchObject({ result: { protocolVersion: version } });
      expect((await ada.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
      const called = await ada.request("tools/call", { name: "echo", arguments: { a: 1 } });
      expect(await called.json()).toMatchObject({ result: { content: [{ text: '{"a":1}' }] } });
      expect(await (await ada.request("tools/list")).json()).toMatchObject({
        result: { tools: [{ name: "echo" }] },
      });
    },
  );

  it("serves who never shook hands, and whatever session they think they have", async () => {
    const ada = await proxyClient();
    for (const session of [null, "x", "lgs_forged", ""]) {
      ada.session = session;
      for (const method of ["tools/list", "tools/call", "ping"]) {
        const response = await ada.request(method, { name: "echo" });
        expect(response.status).toBe(200);
        expect(response.headers.get("mcp-session-id")).toBeNull();
      }
    }
  });

  it.each(["GET", "DELETE", "PUT"])(
    "answers %s with 405, which opens no stream and ends nothing",
    async (method) => {
      const headers = { Authorization: `Bearer ${await bearerFor()}` };
      const response = await send("/mcp/proxy", { method, headers });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST");
      expect(await response.json()).toMatchObject({ id: null, error: { code: -32000 } });
    },
  );

  it("hands its tools a caller without a session", async () => {
    const seen: unknown[] = [];
    const to = appWith({
      proxy: () => ({
        ...echoSurface,
        call: async (name, args, context) => {
          seen.push([context.principal, context.sessionKey]);
          return echoSurface.call(name, args, context);
        },
      }),
    });
    const ada = new RawClient(await bearerFor({ principal: "ada" }), nothing, { path: "/mcp/proxy", to });
    await ada.request("tools/call", { name: "echo" });
    expect(seen).toEqual([["ada", null]]);
  });

  it("refuses a revoked bearer at its next message, whatever that is", async () => {
    const bearer = await bearerFor({ principal: "revoked without a session" });
    const ada = new RawClient(bearer, nothing, { path: "/mcp/proxy" });
    expect((await ada.request("tools/call", { name: "echo" })).status).toBe(200);
    await principalPort(env.PRINCIPALS, "revoked without a session").revoke({
      version: 1,
      tokenId: await tokenIdOf(bearer),
      expiresAtMs: Date.now() + 60_000,
    });
    const token = { _meta: { progressToken: 1 } };
    const refused = [
      await ada.initialize(),
      await ada.request("tools/list"),
      await ada.request("tools/call", { name: "echo" }),
      await ada.request("tools/call", { name: "echo", arguments: { steps: 3 }, ...token }),
      await ada.request("tools/call", { name: 5 }),
      await ada.request("prompts/list"),
      await ada.request("ping"),
      await ada.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }),
    ];
    for (const response of refused) {
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toContain("/oauth-protected-resource/mcp/proxy");
    }
  });

  it("wakes no object for what it cannot read, and one for what it answers", async () => {
    const before = (await listDurableObjectIds(env.PRINCIPALS)).length;
    const ada = new RawClient(await bearerFor({ principal: "wakes one" }), nothing, { path: "/mcp/proxy" });
    expect((await ada.post([])).status).toBe(400);
    expect((await listDurableObjectIds(env.PRINCIPALS)).length).toBe(before);
    await ada.request("tools/list");
    expect((await listDurableObjectIds(env.PRINCIPALS)).length).toBe(before + 1);
  });

  it("refuses a page of another origin", async () => {
    const headers = { Authorization: `Bearer ${await bearerFor()}`, Origin: "https://evil.example" };
    expect((await send("/mcp/proxy", { method: "POST", body: "{}", headers })).status).toBe(403);
  });

  it("takes batches at 2025-03-26 alone", async () => {
    const ada = await proxyClient();
    const batch = [1, 2].map((id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "echo" },
    }));
    const version = (value: string) => ({ "MCP-Protocol-Version": value });
    expect(await (await ada.post(batch, version("2025-03-26"))).json()).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect((await ada.post(batch, version("2025-11-25"))).status).toBe(400);
  });
});

describe("the form of listed names", () => {
  const named = async (query: string): Promise<unknown> => {
    const to = appWith({ proxy: (names) => ({ ...echoSurface, name: names }) });
    const ada = new RawClient(await bearerFor(), nothing, { path: `/mcp/proxy${query}`, to });
    return (await ada.initialize()).json();
  };

  it.each([
    ["", "safe"],
    ["?names=safe", "safe"],
    ["?names=url", "url"],
    ["?names=canonical", "canonical"],
    ["?other=1", "safe"],
    ["?other=1&names=url", "url"],
  ])("is what the address says: %s", async (query, form) => {
    expect(await named(query)).toMatchObject({ result: { serverInfo: { name: form } } });
  });

  it.each(["?names=", "?names", "?names=Safe", "?names=toString", "?names=safe&names=url", "?names=safe%00"])(
    "is refused where it is none: %s",
    async (query) => {
      const ada = await proxyClient(`/mcp/proxy${query}`);
      const response = await ada.initialize();
      expect(response.status).toBe(400);
      const message = "Invalid Request: names must be one of canonical, url, safe";
      expect(await response.json()).toEqual({ jsonrpc: "2.0", error: { code: -32600, message }, id: null });
    },
  );

  it("means nothing to the other endpoint", async () => {
    const ada = new RawClient(await bearerFor(), nothing, { path: "/mcp?names=none" });
    expect((await ada.initialize()).status).toBe(200);
  });
});
