import { abortAllDurableObjects, listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { principalPort } from "../../../src/principal/principals-store.ts";
import { bearerFor, KEY, PREVIOUS_KEY, RawClient, send, tokenIdOf } from "./client.ts";
import { freshStorage } from "../fresh-storage.ts";

afterEach(async () => {
  await freshStorage();
});

const wakes = async (): Promise<number> => (await listDurableObjectIds(env.PRINCIPALS)).length;

describe.each([
  ["with objects that stay", async () => undefined],
  ["with an eviction before every request", abortAllDurableObjects],
])("sessions on /mcp, %s", (_name, before) => {
  const client = async (principal = "ada") => new RawClient(await bearerFor({ principal }), before);

  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"])(
    "open with the handshake of %s and carry calls",
    async (version) => {
      const ada = await client();
      const opened = await ada.initialize(version);
      expect(opened.status).toBe(200);
      expect(await opened.json()).toMatchObject({
        result: { protocolVersion: version, serverInfo: { name: "echo" }, instructions: "Echoes." },
      });
      expect(ada.session).toMatch(/^[\x21-\x7e]+$/);
      const called = await ada.request("tools/call", { name: "echo", arguments: { a: 1 } });
      expect(await called.json()).toMatchObject({ result: { content: [{ type: "text", text: '{"a":1}' }] } });
    },
  );

  it("answer 400 without the header and 404 with a header that is not a session", async () => {
    const ada = await client();
    const missing = await ada.request("tools/list");
    expect(missing.status).toBe(400);
    expect(await missing.json()).toEqual({
      jsonrpc: "2.0",
      error: { code: -32000, message: "Mcp-Session-Id header is required" },
      id: null,
    });
    await ada.initialize();
    const real = ada.session ?? "";
    const forged = [
      `${real.slice(0, -1)}${real.endsWith("A") ? "Q" : "A"}`,
      `${real}A`,
      "x",
      real.toLowerCase(),
    ];
    for (const session of forged) {
      ada.session = session;
      const response = await ada.request("tools/call", { name: "echo" });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        jsonrpc: "2.0",
        error: { code: -32001, message: "Session not found" },
        id: null,
      });
    }
  });

  it("end with DELETE and never come back", async () => {
    const ada = await client();
    await ada.initialize();
    expect((await ada.delete()).status).toBe(204);
    expect((await ada.delete()).status).toBe(404);
    for (const method of ["tools/list", "tools/call", "ping", "notifications/initialized"]) {
      expect((await ada.request(method, { name: "echo" })).status).toBe(404);
    }
    const ended = ada.session;
    ada.session = null;
    await ada.initialize();
    expect(ada.session).not.toBe(ended);
    expect((await ada.request("tools/list")).status).toBe(200);
  });

  it("are one principal's own", async () => {
    const ada = await client("ada");
    const bob = await client("bob");
    await ada.initialize();
    await bob.initialize();
    bob.session = ada.session;
    expect((await bob.request("tools/list")).status).toBe(404);
    expect((await bob.delete()).status).toBe(404);
    expect((await ada.request("tools/list")).status).toBe(200);
  });

  it("survive a rotation of the key", async () => {
    const bearer = await bearerFor({}, PREVIOUS_KEY);
    const old = new RawClient(bearer, before);
    const rotated = { LOOMGATE_KEY: KEY, LOOMGATE_KEY_PREVIOUS: PREVIOUS_KEY };
    const opened = await old.post(
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      },
      {},
      { LOOMGATE_KEY: PREVIOUS_KEY },
    );
    old.session = opened.headers.get("mcp-session-id");
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    expect((await old.post(list, {}, rotated)).status).toBe(200);
    expect((await old.post(list, {}, { LOOMGATE_KEY: KEY })).status).toBe(401);
  });
});

describe("/mcp", () => {
  it("wakes no object for a forged bearer or session", async () => {
    const before = await wakes();
    const bearer = await bearerFor();
    const forged = new RawClient(`${bearer.slice(0, -1)}${bearer.endsWith("A") ? "Q" : "A"}`);
    expect((await forged.initialize()).status).toBe(401);
    const ada = new RawClient(bearer);
    ada.session = "lgs_forged";
    expect((await ada.request("tools/call", { name: "echo" })).status).toBe(404);
    expect(await wakes()).toBe(before);
    // The count does move for what is genuine.
    await new RawClient(await bearerFor({ principal: "never seen before" })).initialize();
    expect(await wakes()).toBe(before + 1);
  });

  it("opens no session for a handshake that fails", async () => {
    const before = await wakes();
    const ada = new RawClient(await bearerFor({ principal: "fails its handshake" }));
    const response = await ada.request("initialize", { protocolVersion: 5 });
    expect(await response.json()).toMatchObject({ error: { code: expect.any(Number) as unknown } });
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await wakes()).toBe(before);
  });

  it("answers GET with 405, which opens no stream", async () => {
    const response = await send("/mcp", { headers: { Authorization: `Bearer ${await bearerFor()}` } });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST, DELETE");
  });

  it("hands arguments on untouched, hostile member names included", async () => {
    const ada = new RawClient(await bearerFor());
    await ada.initialize();
    const body = `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"x":1},"constructor":null}}}`;
    const response = await send("/mcp", {
      method: "POST",
      body,
      headers: {
        Authorization: `Bearer ${await bearerFor()}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "Mcp-Session-Id": ada.session ?? "",
      },
    });
    expect(await response.json()).toMatchObject({
      result: { content: [{ text: '{"__proto__":{"x":1},"constructor":null}' }] },
    });
  });

  it("answers an unknown tool and an unknown method as JSON-RPC errors", async () => {
    const ada = new RawClient(await bearerFor());
    await ada.initialize();
    expect(await (await ada.request("tools/call", { name: "nope" })).json()).toMatchObject({
      error: { code: -32602 },
    });
    expect(await (await ada.request("tools/call", {})).json()).toMatchObject({ error: { code: -32602 } });
    expect(await (await ada.request("resources/list")).json()).toMatchObject({ error: { code: -32601 } });
  });

  it("answers each message of a batch, at 2025-03-26 alone", async () => {
    const ada = new RawClient(await bearerFor());
    await ada.initialize("2025-03-26");
    const batch = [1, 2].map((id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "echo", arguments: { id } },
    }));
    const answers: unknown = await (await ada.post(batch)).json();
    expect(answers).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect((await ada.post(batch, { "MCP-Protocol-Version": "2025-11-25" })).status).toBe(400);
  });

  it("answers a batch that cancels its own call", async () => {
    const ada = new RawClient(await bearerFor());
    await ada.initialize("2025-03-26");
    const answers: unknown = await (
      await ada.post([
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
      ])
    ).json();
    expect(answers).toMatchObject([{ id: 1, result: {} }]);
  });

  it("refuses a revoked bearer at its next message, also in an open session", async () => {
    const bearer = await bearerFor();
    const ada = new RawClient(bearer);
    await ada.initialize();
    const tokenId = await tokenIdOf(bearer);
    const revocation = { version: 1, tokenId, expiresAtMs: Date.now() + 60_000 } as const;
    await principalPort(env.PRINCIPALS, "ada").revoke(revocation);
    for (const method of ["tools/call", "tools/list", "initialize"]) {
      const response =
        method === "initialize" ? await ada.initialize() : await ada.request(method, { name: "echo" });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toContain("resource_metadata");
    }
  });
});

describe("messages that no tool gets to see", () => {
  const odd: readonly (readonly [string, Record<string, unknown>])[] = [
    ["a tool call as a notification", { jsonrpc: "2.0", method: "tools/call", params: { name: "echo" } }],
    ["a tool call without a name", { jsonrpc: "2.0", id: 1, method: "tools/call" }],
    [
      "a tool call with a number for a name",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 5 } },
    ],
    [
      "a tool call as a task",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", task: {} } },
    ],
    ["an unknown tool", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "nope" } }],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
  ];

  it.each(odd)("learn that the session has ended: %s", async (_name, message) => {
    const ada = new RawClient(await bearerFor());
    await ada.initialize();
    await ada.delete();
    expect((await ada.post(message)).status).toBe(404);
    expect((await ada.post(message, { Accept: "application/json" })).status).toBe(404);
  });

  it("are never a fault of ours", async () => {
    const ada = new RawClient(await bearerFor());
    await ada.initialize();
    const bodies: unknown[] = [
      ...odd.map(([, message]) => message),
      { jsonrpc: "2.0", method: "initialize" },
      { jsonrpc: "2.0", id: 1, method: "initialize" },
      { hello: "world" },
      null,
      7,
      "text",
      [null],
      [[]],
      {},
    ];
    for (const body of bodies) expect((await ada.post(body)).status).toBeLessThan(500);
  });

  it("say no more than that the parameters are wrong where a handshake cannot be read", async () => {
    const ada = new RawClient(await bearerFor());
    const answer: unknown = await (await ada.request("initialize", { protocolVersion: 5 })).json();
    expect(answer).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32602, message: "Invalid params" } });
  });

  it("keep the answers of a batch together", async () => {
    const ada = new RawClient(await bearerFor());
    await ada.initialize("2025-03-26");
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo" } });
    await ada.delete();
    expect((await ada.post([call(1), call(2)])).status).toBe(404);
  });
});

describe("the body of a request", () => {
  const post = async (body: BodyInit): Promise<Response> =>
    send("/mcp", {
      method: "POST",
      body,
      headers: { Authorization: `Bearer ${await bearerFor()}`, "Content-Type": "application/json" },
    });

  it("is bounded while it comes, whether it says its length or not", async () => {
    const piece = new Uint8Array(1024 * 1024).fill(0x20);
    let pieces = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pieces += 1;
        controller.enqueue(piece);
      },
    });
    expect((await post(endless)).status).toBe(413);
    expect(pieces).toBeLessThan(10);
  });

  it("is refused where it is no UTF-8", async () => {
    expect((await post(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
  });
});
