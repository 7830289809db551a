import { beforeEach, describe, expect, it } from "vitest";
import { bearerFor, OPERATOR, ORIGIN, RawClient, send } from "./client.ts";
import { freshDatabase } from "../fresh-storage.ts";

beforeEach(async () => {
  await freshDatabase();
});

const bearers: Record<string, () => Promise<string | null>> = {
  none: async () => null,
  bad: async () => "lg_client_nonsense",
  client: () => bearerFor({ kind: "client" }),
  package: () => bearerFor({ kind: "package" }),
  owner: () => bearerFor({ kind: "owner" }),
  operator: async () => OPERATOR,
};

async function statusOf(path: string, caller: string, init: RequestInit = {}): Promise<number> {
  const bearer = await bearers[caller]?.();
  const headers = bearer === null ? {} : { Authorization: `Bearer ${bearer}` };
  return (await send(path, { ...init, headers })).status;
}

describe("who may use what", () => {
  it.each([
    // A client is let in here and then told that GET is no way to use it.
    ["/mcp", { none: 401, bad: 401, client: 405, package: 403, owner: 403, operator: 403 }],
    ["/mcp/proxy", { none: 401, bad: 401, client: 405, package: 403, owner: 403, operator: 403 }],
    ["/mcp/proxy?names=none", { none: 401, bad: 401, client: 400, package: 403, owner: 403, operator: 403 }],
    ["/admin/tokens", { none: 401, bad: 401, client: 403, package: 403, owner: 403, operator: 200 }],
    ["/health", { none: 200, bad: 200, client: 200, package: 200, owner: 200, operator: 200 }],
    [
      "/.well-known/oauth-protected-resource",
      { none: 200, bad: 200, client: 200, package: 200, owner: 200, operator: 200 },
    ],
  ])("%s", async (path, expected) => {
    const statuses = new Map<string, number>();
    for (const caller of Object.keys(expected)) statuses.set(caller, await statusOf(path, caller));
    expect(Object.fromEntries(statuses)).toEqual(expected);
  });

  it.each([
    ["/mcp", "/.well-known/oauth-protected-resource/mcp", "/mcp"],
    ["/mcp/proxy", "/.well-known/oauth-protected-resource/mcp/proxy", "/mcp/proxy"],
    ["/mcp/proxy?names=url", "/.well-known/oauth-protected-resource/mcp/proxy", "/mcp/proxy"],
    ["/admin/tokens", "/.well-known/oauth-protected-resource", "/"],
  ])("a 401 of %s leads to its metadata", async (path, metadata, resourcePath) => {
    const response = await send(path);
    expect(await response.json()).toEqual({ error: "unauthorized" });
    expect(response.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${ORIGIN}${metadata}"`);
    const resource: unknown = await (await send(metadata)).json();
    expect(resource).toEqual({
      resource: `${ORIGIN}${resourcePath}`,
      bearer_methods_supported: ["header"],
    });
  });

  it("has no metadata for what is no resource", async () => {
    expect((await send("/.well-known/oauth-protected-resource/elsewhere")).status).toBe(404);
  });
});

describe("origins and hosts", () => {
  const config = JSON.stringify({ gateway: { allowed_origins: ["https://app.example"] } });

  it.each(["https://evil.example", "null", "https://app.example.evil.example", "http://app.example"])(
    "a page of %s is refused",
    async (origin) => {
      const response = await send("/mcp", { headers: { Origin: origin } }, { LOOMGATE_CONFIG: config });
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({ error: "forbidden" });
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  it("a page of an allowed origin may ask and read the answer", async () => {
    const headers = { Origin: "https://app.example" };
    const preflight = await send(
      "/mcp",
      { method: "OPTIONS", headers: { ...headers, "Access-Control-Request-Method": "POST" } },
      { LOOMGATE_CONFIG: config },
    );
    expect(preflight.status).toBe(204);
    const answer = await send("/mcp", { headers }, { LOOMGATE_CONFIG: config });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(answer.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
  });

  it("a name rebound to a development machine is refused", async () => {
    const development = { LOOMGATE_DEVELOPMENT: "1" };
    expect((await send("http://rebound.example/mcp", {}, development)).status).toBe(403);
    for (const host of ["127.0.0.1:8787", "localhost:8787", "[::1]:8787"]) {
      expect((await send(`http://${host}/mcp`, {}, development)).status).toBe(401);
    }
  });
});

describe("a deployment that is not set up", () => {
  it.each([
    ["with an unusable configuration", { LOOMGATE_CONFIG: "{" }],
    ["with a short key", { LOOMGATE_KEY: "short" }],
  ])("serves nothing %s", async (_name, bindings) => {
    expect((await send("/mcp", {}, bindings)).status).toBe(503);
  });

  it("says so in its health", async () => {
    expect(await (await send("/health", {}, { LOOMGATE_CONFIG: "{" })).json()).toMatchObject({
      status: "misconfigured",
    });
  });

  it("has no operator without the secret", async () => {
    const headers = { Authorization: "Bearer " };
    expect((await send("/admin/tokens", { headers }, { OPERATOR_TOKEN: "" })).status).toBe(401);
  });
});

describe("tokens", () => {
  const admin = { Authorization: `Bearer ${OPERATOR}` };
  const create = (body: unknown) =>
    send("/admin/tokens", { method: "POST", headers: admin, body: JSON.stringify(body) });

  it("are shown once, listed without the bearer, and revoked for the next call", async () => {
    const created: { token: string; id: string } = await (await create({ name: "laptop" })).json();
    const client = new RawClient(created.token);
    expect((await client.initialize()).status).toBe(200);
    const list = await (await send("/admin/tokens", { headers: admin })).text();
    expect(list).toContain(created.id);
    expect(list).not.toContain(created.token);
    const revoked = await send(`/admin/tokens/${created.id}`, { method: "DELETE", headers: admin });
    expect(await revoked.json()).toMatchObject({
      id: created.id,
      revoked_at_s: expect.any(Number) as unknown,
    });
    expect((await client.request("tools/call", { name: "echo" })).status).toBe(401);
  });

  it.each([
    {},
    { name: "" },
    { name: "x", kind: "root" },
    { name: "x", scopes: [] },
    { name: "x", lifetime_s: -1 },
    { name: "x", extra: 1 },
    "text",
  ])("are refused for %j", async (body) => {
    const response = await create(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid" });
  });

  it("that do not exist cannot be revoked", async () => {
    expect((await send("/admin/tokens/none", { method: "DELETE", headers: admin })).status).toBe(404);
  });
});

describe("the outer shield", () => {
  it("answers 429 past its limit, for forged bearers by address and without waking anything", async () => {
    const refuse = { limit: async () => ({ success: false }) };
    const response = await send("/mcp", {}, { SHIELD_ANONYMOUS: refuse });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("60");
    expect(await response.json()).toEqual({ error: "rate_limited" });
  });

  it("counts every message of a batch by the bearer's token", async () => {
    const keys: string[] = [];
    const client = new RawClient(await bearerFor());
    await client.initialize("2025-03-26");
    const batch = [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    const count = {
      limit: async ({ key }: { key: string }) => {
        keys.push(key);
        return { success: true };
      },
    };
    await client.post(batch, {}, { SHIELD: count });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });
});
