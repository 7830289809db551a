import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { principalPort } from "../../../src/principal/principals-store.ts";
import { isRecord } from "../../../src/json.ts";
import {
  appWith,
  bearerFor,
  bindingsWith,
  echoSurface,
  ORIGIN,
  RawClient,
  type Surfaces,
  tokenIdOf,
} from "./client.ts";
import { freshStorage } from "../fresh-storage.ts";

afterEach(async () => {
  await freshStorage();
});

const nothing = async () => undefined;
const STEPS = { name: "echo", arguments: { steps: 2 }, _meta: { progressToken: "p" } };
const progress = (step: number) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: "p", progress: step },
});

function eventsOf(text: string): unknown[] {
  return text.split("\n\n").flatMap((block) => {
    const data = block.split("\n").find((line) => line.startsWith("data: "));
    return data === undefined ? [] : [JSON.parse(data.slice("data: ".length)) as unknown];
  });
}

describe.each(["/mcp", "/mcp/proxy"])("progress on %s", (path) => {
  const client = async (surfaces?: Surfaces, bearer?: string) => {
    const to = surfaces === undefined ? {} : { to: appWith(surfaces) };
    const ada = new RawClient(bearer ?? (await bearerFor()), nothing, { path, ...to });
    await ada.initialize();
    return ada;
  };

  it("comes ahead of the answer, in a stream for who asked and for nobody else", async () => {
    const ada = await client();
    const streamed = await ada.request("tools/call", STEPS);
    expect(streamed.status).toBe(200);
    expect(streamed.headers.get("content-type")).toBe("text/event-stream");
    const events = eventsOf(await streamed.text());
    expect(events.slice(0, 2)).toEqual([progress(1), progress(2)]);
    expect(events.slice(2)).toMatchObject([{ result: { content: [{ text: '{"steps":2}' }] } }]);
    const { _meta: _, ...silent } = STEPS;
    const plain = await ada.request("tools/call", silent);
    expect(plain.headers.get("content-type")).toBe("application/json");
    const same: unknown = await plain.json();
    expect(events.map((event) => isRecord(event) && event["result"]).at(-1)).toEqual(
      isRecord(same) && same["result"],
    );
  });

  it("tells a revoked bearer nothing: 401, as without it", async () => {
    const bearer = await bearerFor({ principal: `revoked at ${path}` });
    const ada = await client(undefined, bearer);
    await principalPort(env.PRINCIPALS, `revoked at ${path}`).revoke({
      version: 1,
      tokenId: await tokenIdOf(bearer),
      expiresAtMs: Date.now() + 60_000,
    });
    const response = await ada.request("tools/call", STEPS);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: "unauthorized" });
    expect(response.headers.get("www-authenticate")).toContain(`resource_metadata`);
  });

  it("stays within the stream where the caller is turned away after it began", async () => {
    const bearer = await bearerFor({ principal: `turned away at ${path}` });
    const revoke = async () =>
      principalPort(env.PRINCIPALS, `turned away at ${path}`).revoke({
        version: 1,
        tokenId: await tokenIdOf(bearer),
        expiresAtMs: Date.now() + 60_000,
      });
    const surface: typeof echoSurface = {
      ...echoSurface,
      call: async (_name, _args, context, _origin, line) => {
        await context.admit({});
        line?.onProgress?.({ progress: 1 });
        await revoke();
        await context.admit({});
        return { content: [] };
      },
    };
    const ada = await client({ gateway: surface, proxy: () => surface }, bearer);
    const response = await ada.request("tools/call", STEPS);
    expect(response.status).toBe(200);
    expect(eventsOf(await response.text())).toMatchObject([
      progress(1),
      { error: { code: -32000, message: "Unauthorized" } },
    ]);
  });

  it("leaves a call to go on whose client has gone", async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let isDone = false;
    const surface: typeof echoSurface = {
      ...echoSurface,
      call: async (_name, _args, context, _origin, line) => {
        await context.admit({});
        line?.onProgress?.({ progress: 1 });
        await gate;
        for (let step = 2; step <= 10_000; step += 1) line?.onProgress?.({ progress: step });
        isDone = true;
        return { content: [] };
      },
    };
    const to = appWith({ gateway: surface, proxy: () => surface });
    const bearer = await bearerFor();
    const ada = new RawClient(bearer, nothing, { path, to });
    await ada.initialize();
    const context = createExecutionContext();
    const response = await to.fetch(
      new Request(new URL(path, ORIGIN), {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 99, method: "tools/call", params: STEPS }),
        headers: {
          Authorization: `Bearer ${bearer}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          ...(ada.session === null ? {} : { "Mcp-Session-Id": ada.session }),
        },
      }),
      bindingsWith({}),
      context,
    );
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(isDone).toBe(false);
    open();
    await waitOnExecutionContext(context);
    expect(isDone).toBe(true);
  });
});

describe.each(["/mcp", "/mcp/proxy"])("a cancellation on %s", (path) => {
  const cancelling = async (bearer?: string) => {
    const cancels: unknown[] = [];
    const surface: typeof echoSurface = {
      ...echoSurface,
      cancel: async (requestKey, reason, context) => {
        cancels.push([requestKey, reason, context.principal, context.sessionKey !== null]);
      },
    };
    const to = appWith({ gateway: surface, proxy: () => surface });
    const ada = new RawClient(bearer ?? (await bearerFor({ principal: "ada" })), nothing, { path, to });
    await ada.initialize();
    return { ada, cancels };
  };
  const cancelled = (params: unknown) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params });

  it("reaches the surface with its caller, after 202", async () => {
    const { ada, cancels } = await cancelling();
    for (const params of [
      { requestId: 7, reason: "enough" },
      { requestId: "7" },
      { requestId: 0, reason: 5 },
    ]) {
      const response = await ada.post(cancelled(params));
      expect(response.status).toBe(202);
      expect(await response.text()).toBe("");
    }
    const inSession = path === "/mcp";
    expect(cancels).toEqual([
      ["number:7", "enough", "ada", inSession],
      ["string:7", undefined, "ada", inSession],
      ["number:0", undefined, "ada", inSession],
    ]);
  });

  it("is taken and means nothing where it names nothing, or comes in a batch", async () => {
    const { ada, cancels } = await cancelling();
    for (const params of [
      {},
      { requestId: null },
      { requestId: [1] },
      { requestId: { a: 1 } },
      { requestId: true },
    ]) {
      expect((await ada.post(cancelled(params))).status).toBe(202);
    }
    const version = { "MCP-Protocol-Version": "2025-03-26" };
    expect((await ada.post([cancelled({ requestId: 1 })], version)).status).toBe(202);
    expect(cancels).toEqual([]);
  });

  it("is refused where its caller is, and then cancels nothing", async () => {
    const bearer = await bearerFor({ principal: `cancels at ${path}` });
    const { ada, cancels } = await cancelling(bearer);
    await principalPort(env.PRINCIPALS, `cancels at ${path}`).revoke({
      version: 1,
      tokenId: await tokenIdOf(bearer),
      expiresAtMs: Date.now() + 60_000,
    });
    expect((await ada.post(cancelled({ requestId: 1 }))).status).toBe(401);
    expect(cancels).toEqual([]);
  });
});
