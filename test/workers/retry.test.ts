import { createExecutionContext, reset, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Bindings } from "../../src/http/bindings.ts";
import { createApp } from "../../src/http/app.ts";
import { gatewayFor, selectionApiFor } from "../../src/http/gateway-ports.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { ok } from "../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakeId } from "../support/fake-catalog.ts";
import { bearerFor, KEY, OPERATOR, ORIGIN } from "./http/client.ts";

const PAY = { namespace: "bank", name: "pay", inputSchema: { type: "object" } };
const CATALOG = fakeCatalog([PAY]);

/** What the upstream does with a call: `hangs` ends only with the caller's patience. */
type Deed = "answers" | "refuses" | "breaks" | "hangs";

beforeEach(async () => {
  await reset();
});

/** Makes one call through the whole Worker to an upstream that does these things, one for each time it is called. */
async function callThrough(
  deeds: readonly Deed[],
  { replay = "never_replay", timeoutMs = 30_000, tries = 4 },
) {
  let calls = 0;
  const fetch = async (_: string | URL, init?: RequestInit): Promise<Response> => {
    const message: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "{}");
    const answer = (result: unknown) =>
      Response.json({ jsonrpc: "2.0", id: memberOf(message, "id"), result });
    if (memberOf(message, "method") === "initialize") {
      const serverInfo = { name: "bank", version: "1" };
      return answer({ protocolVersion: "2025-06-18", capabilities: {}, serverInfo });
    }
    if (memberOf(message, "method") !== "tools/call") return new Response(null, { status: 202 });
    calls += 1;
    switch (deeds[calls - 1] ?? "answers") {
      case "answers":
        return answer({ content: [{ type: "text", text: "paid" }] });
      case "refuses":
        return new Response(null, { status: 429 });
      case "breaks":
        return new Response(null, { status: 503 });
      case "hangs":
        return new Promise<never>((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => {
            reject(new DOMException("aborted", "AbortError"));
          });
        });
    }
  };
  const configText = JSON.stringify({
    mcpServers: {
      bank: { url: "https://bank.example.com/mcp", timeout_ms: timeoutMs, replay: { "*": replay } },
    },
    gateway: {
      retry: {
        max_attempts: tries,
        base_delay_ms: 1,
        retryable_codes: ["UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE", "RATE_LIMITED"],
      },
    },
  });
  const catalogs = fakeCatalogs(ok(CATALOG));
  const app = createApp({
    configText,
    gateway: (c) => gatewayFor(c, catalogs, { fetch }),
    api: (c) => selectionApiFor(c, catalogs),
  });
  const bindings: Bindings = {
    ...env,
    LOOMGATE_KEY: KEY,
    OPERATOR_TOKEN: OPERATOR,
    LOOMGATE_CONFIG: configText,
  };
  const post = async (session: string | null, method: string, params: object) => {
    const context = createExecutionContext();
    const headers = {
      Authorization: `Bearer ${await bearerFor()}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(session === null ? {} : { "Mcp-Session-Id": session }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await app.fetch(
      new Request(`${ORIGIN}/mcp`, { method: "POST", headers, body }),
      bindings,
      context,
    );
    const text = await response.text();
    await waitOnExecutionContext(context);
    const message: unknown = JSON.parse(text);
    return { session: response.headers.get("mcp-session-id"), result: memberOf(message, "result") };
  };
  const clientInfo = { name: "t", version: "1" };
  const opened = await post(null, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo,
  });
  const { result } = await post(opened.session, "tools/call", {
    name: "tool_execute",
    arguments: { tool_id: fakeId(PAY), args: {} },
  });
  const content = memberOf(result, "content");
  const text = String(memberOf(isJsonArray(content) ? content[0] : undefined, "text"));
  const envelope = memberOf(memberOf(result, "_meta"), "loomgate/envelope");
  return { calls, text, attempts: memberOf(memberOf(envelope, "provenance"), "attempts") };
}

describe("retry, over the real way to an upstream", () => {
  it("tries a convergent call until it is answered", async () => {
    const told = await callThrough(["breaks", "refuses", "breaks"], { replay: "convergent" });
    expect(told).toEqual({ calls: 4, text: "paid", attempts: 4 });
  });

  it("tries a call that may not run twice only while it was turned away unread", async () => {
    expect(await callThrough(["refuses"], {})).toEqual({ calls: 2, text: "paid", attempts: 2 });
    const lost = await callThrough(["refuses", "breaks"], {});
    expect(lost.calls).toBe(2);
    expect(JSON.parse(lost.text)).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      retryable: false,
      details: { outcome: "unknown", replay: "never_replay" },
    });
  });

  it("ends at its one deadline, with each try inside of its share", async () => {
    const told = await callThrough(["breaks", "hangs", "hangs", "hangs"], {
      replay: "convergent",
      timeoutMs: 1000,
    });
    expect(told.calls).toBe(4);
    expect(JSON.parse(told.text)).toMatchObject({
      error: "UPSTREAM_TIMEOUT",
      details: { outcome: "unknown" },
    });
  });

  it("says that the outcome is unknown where a try after a lost one was turned away", async () => {
    const told = await callThrough(["breaks", "refuses"], { replay: "convergent", tries: 2 });
    expect(told.calls).toBe(2);
    expect(JSON.parse(told.text)).toMatchObject({ error: "RATE_LIMITED", retryable: true });
  });
});
