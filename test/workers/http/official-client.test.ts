import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { fail, ok } from "../../../src/result.ts";
import { GatewayClient } from "../../support/mcp-client.ts";
import { appWith, bearerFor, bindingsWith, echoSurface, ORIGIN } from "./client.ts";
import { freshStorage } from "../fresh-storage.ts";

afterEach(async () => {
  await freshStorage();
});

/** What the endpoint was asked, and what it answered, beside what the client makes of it. */
interface Exchange {
  readonly method: string;
  readonly status: number;
  readonly sentSession: boolean;
  readonly type: string | null;
}

async function connected(path: string, surface = echoSurface) {
  const to = appWith({ gateway: surface, proxy: () => surface });
  const exchanges: Exchange[] = [];
  const left: Promise<void>[] = [];
  const client = new GatewayClient(`${ORIGIN}${path}`, await bearerFor(), async (url, init) => {
    const context = createExecutionContext();
    const request = new Request(url, init);
    const response = await to.fetch(request, bindingsWith({}), context);
    left.push(waitOnExecutionContext(context));
    exchanges.push({
      method: request.method,
      status: response.status,
      sentSession: request.headers.has("mcp-session-id"),
      type: response.headers.get("content-type"),
    });
    return response;
  });
  await client.connect();
  return { client, exchanges, settled: () => Promise.all(left) };
}

describe.each([
  ["/mcp", true],
  ["/mcp/proxy", false],
])("the official client on %s", (path, sessions) => {
  it("shakes hands, lists, calls and is told of progress", async () => {
    const { client, exchanges, settled } = await connected(path);
    expect(client.sessionId !== undefined).toBe(sessions);
    expect(client.client.getServerCapabilities()).toEqual({ tools: {} });
    expect((await client.client.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
    expect((await client.call("echo", { a: 1 })).text).toBe('{"a":1}');
    const told: unknown[] = [];
    const onprogress = (progress: unknown): void => {
      told.push(progress);
    };
    await client.client.callTool({ name: "echo", arguments: { steps: 3 } }, undefined, { onprogress });
    expect(told).toEqual([{ progress: 1 }, { progress: 2 }, { progress: 3 }]);
    await client.client.ping();
    await client.close();
    await settled();
    // The client asks for a stream of its own, and takes no for an answer.
    expect(exchanges.filter(({ method }) => method === "GET").map(({ status }) => status)).toEqual([405]);
    expect(exchanges.slice(1).every(({ sentSession }) => sentSession === sessions)).toBe(true);
    expect(exchanges.filter(({ type }) => type === "text/event-stream")).toHaveLength(1);
  });

  it("finds what the surface serves besides tools, and its errors", async () => {
    const { client, settled } = await connected(path, {
      ...echoSurface,
      capabilities: async () => ({ resources: true, prompts: true, completions: true }),
      tools: async (_context, cursor) => {
        const tool = (name: string) => ({ name, description: "d", inputSchema: { type: "object" as const } });
        if (cursor === undefined) return ok({ tools: [tool("first")], nextCursor: "second" });
        return cursor === "second"
          ? ok({ tools: [tool("second")] })
          : fail({ code: -32602, message: "no page" });
      },
      request: async (method) => {
        if (method === "resources/list") return ok({ resources: [{ uri: "a://b", name: "b" }] });
        if (method === "prompts/get")
          return fail({ code: -32602, message: "no prompt", data: { did_you_mean: ["x"] } });
        return undefined;
      },
    });
    const { client: official } = client;
    expect(official.getServerCapabilities()).toEqual({
      tools: {},
      resources: {},
      prompts: {},
      completions: {},
    });
    const page = await official.listTools();
    expect(page.nextCursor).toBe("second");
    expect((await official.listTools({ cursor: "second" })).tools).toMatchObject([{ name: "second" }]);
    await expect(official.listTools({ cursor: "x" })).rejects.toMatchObject({
      code: ErrorCode.InvalidParams,
    });
    expect(await official.listResources()).toEqual({ resources: [{ uri: "a://b", name: "b" }] });
    await expect(official.getPrompt({ name: "p" })).rejects.toMatchObject({
      code: ErrorCode.InvalidParams,
      data: { did_you_mean: ["x"] },
    });
    await expect(official.listPrompts()).rejects.toMatchObject({ code: ErrorCode.MethodNotFound });
    await client.close();
    await settled();
  });

  it("cancels the call that it made, by the key that the call came with", async () => {
    const called: unknown[] = [];
    const cancelled: unknown[] = [];
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { client, settled } = await connected(path, {
      ...echoSurface,
      call: async (_name, _args, context, origin, line) => {
        await context.admit({});
        called.push(origin?.requestKey);
        line?.onProgress?.({ progress: 1 });
        await gate;
        return { content: [] };
      },
      cancel: async (requestKey, reason) => {
        cancelled.push(requestKey, reason);
        open();
      },
    });
    const controller = new AbortController();
    const call = client.client.callTool({ name: "echo" }, undefined, {
      signal: controller.signal,
      onprogress: () => {
        controller.abort("enough");
      },
    });
    await expect(call).rejects.toThrow("enough");
    await gate;
    expect(cancelled).toEqual([called[0], "enough"]);
    await client.close();
    await settled();
  });
});
