import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/worker.ts";
import { bearerFor, bindingsWith, OPERATOR, ORIGIN, send } from "./http/client.ts";
import { freshStorage } from "./fresh-storage.ts";

const CONFIG = JSON.stringify({
  mcpServers: {
    handbook: {
      type: "static",
      resources: [
        { uri: "docs://start", description: `Begins. ${env.LOOMGATE_KEY}`, text: "Start here." },
        { uri: `docs://${env.LOOMGATE_KEY}`, text: "Not to be read." },
      ],
      prompts: [
        {
          name: "greet",
          arguments: [{ name: "who", required: true }],
          messages: [{ role: "user", content: "Greet {{who}}." }],
        },
      ],
    },
  },
});

const bindings = { LOOMGATE_CONFIG: CONFIG };
const operator = { headers: { Authorization: `Bearer ${OPERATOR}` } };

const fetched: unknown[] = [];

beforeEach(() => {
  vi.stubGlobal("fetch", (url: unknown) => {
    fetched.push(url);
    return Promise.reject(new Error("there is no server"));
  });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await freshStorage();
});

/** A client of the whole Worker in one session. */
async function client() {
  const bearer = await bearerFor();
  let session: string | null = null;
  const ask = async (method: string, params: object): Promise<unknown> => {
    const headers = {
      Authorization: `Bearer ${bearer}`,
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      ...(session === null ? {} : { "Mcp-Session-Id": session }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const execution = createExecutionContext();
    const request = new Request(`${ORIGIN}/mcp`, { method: "POST", headers, body });
    const response = await worker.fetch(request, bindingsWith(bindings), execution);
    session ??= response.headers.get("Mcp-Session-Id");
    const answer = await response.json();
    await waitOnExecutionContext(execution);
    return answer;
  };
  const clientInfo = { name: "test", version: "1" };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  return (name: string, args: object) => ask("tools/call", { name, arguments: args });
}

describe("a block that is its own server", () => {
  it("is listed from the configuration, without secrets, and read without a request", async () => {
    const report = await send("/admin/refresh", { method: "POST", ...operator }, bindings);
    expect(await report.json()).toMatchObject({
      servers: [
        {
          name: "handbook",
          status: "ok",
          tools: 0,
          resources: 1,
          prompts: 1,
          skipped: [{ name: "#1", reason: "no_uri" }],
        },
      ],
    });
    const catalog = await send("/admin/catalog", operator, bindings);
    expect(await catalog.json()).toMatchObject({ tools: [], resources: 1, prompts: 1 });
    const call = await client();
    expect(await call("resource_read", { resource_id: "docs://start" })).toMatchObject({
      result: { content: [{ type: "text", text: "Start here." }] },
    });
    const [, id = ""] =
      /(prompt::handbook:greet#[0-9a-f]{8})/.exec(
        JSON.stringify(await call("prompt_browse", { query: "greet" })),
      ) ?? [];
    expect(await call("prompt_get", { prompt_id: id, args: { who: "Ann" } })).toMatchObject({
      result: { content: [{ type: "text", text: "Greet Ann." }] },
    });
    expect(fetched).toEqual([]);
  });
});
