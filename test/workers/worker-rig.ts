import { abortAllDurableObjects, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "../../src/http/app.ts";
import type { Bindings } from "../../src/http/bindings.ts";
import { gatewayFor, proxyFor, selectionApiFor } from "../../src/http/gateway-ports.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { ok } from "../../src/result.ts";
import { type FakeParts, type FakeTool, fakeCatalog, fakeCatalogs } from "../support/fake-catalog.ts";
import { KEY, OPERATOR, ORIGIN } from "./http/client.ts";

/** What a test settles about the Worker, its one server `bank` and its objects. */
export interface RigSettings {
  /** Of the server's entry in the config, beside its address. */
  readonly server?: object;
  readonly gateway?: object;
  /** Objects lose their memory before every request. */
  readonly evict?: boolean;
}

export interface RigOptions extends RigSettings {
  readonly tools: readonly FakeTool[];
  /** What the catalog holds besides tools. */
  readonly primitives?: Omit<FakeParts, "tools">;
  /** The way to every upstream. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly bindings?: Partial<Bindings>;
}

/** Where a call comes from: without an id it gets one of its own, without a key it carries none. */
export interface CallOrigin {
  readonly id?: unknown;
  readonly key?: unknown;
}

/** The whole Worker over real objects, D1 and R2, with a catalog in memory. Bodies are texts, as they stand. */
export function workerRig({
  tools,
  primitives = {},
  fetch,
  server,
  gateway = {},
  evict = false,
  bindings,
}: RigOptions) {
  const configText = JSON.stringify({
    mcpServers: { bank: { url: "https://bank.example.com/mcp", ...server } },
    gateway,
  });
  const catalogs = fakeCatalogs(ok(fakeCatalog({ tools, ...primitives })));
  const app = createApp({
    configText,
    gateway: (c) => gatewayFor(c, catalogs, { fetch }),
    proxy: (c, names) => proxyFor(c, catalogs, names, { fetch }),
    api: (c) => selectionApiFor(c, catalogs),
  });
  const all: Bindings = {
    ...env,
    LOOMGATE_KEY: KEY,
    OPERATOR_TOKEN: OPERATOR,
    LOOMGATE_CONFIG: configText,
    ...bindings,
  };
  /** Sends a request and waits for nothing; `settled` ends with what the Worker was asked to stay alive for. */
  const begin = async (path: string, init: RequestInit) => {
    if (evict) await abortAllDurableObjects();
    const context = createExecutionContext();
    const response = app.fetch(new Request(new URL(path, ORIGIN), init), all, context);
    return { response: Promise.resolve(response), settled: () => waitOnExecutionContext(context) };
  };
  /** Ends once the answer has been read and nothing is left running. */
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const { response, settled } = await begin(path, init);
    const answer = await response;
    const body = await answer.text();
    await settled();
    return new Response(answer.status === 204 ? null : body, answer);
  };
  /** One session of whoever bears this. */
  const openSession = async (bearer: string) => {
    let session: string | null = null;
    // Above those that tests write themselves: an id that came before would be the same call again.
    let lastId = 1000;
    const request = (body: string): RequestInit => ({
      method: "POST",
      headers: {
        Authorization: `Bearer ${bearer}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(session === null ? {} : { "Mcp-Session-Id": session }),
      },
      body,
    });
    const post = (body: string): Promise<Response> => send("/mcp", request(body));
    /** A `tools/call`; arguments that are a text already stand in it as they are. */
    const message = (tool: string, args: object | string, origin: CallOrigin = {}): string => {
      const { id = (lastId += 1), key } = origin;
      const meta = key === undefined ? "" : `,"_meta":${JSON.stringify({ "loomgate/idempotency-key": key })}`;
      const params = `{"name":"${tool}","arguments":${typeof args === "string" ? args : JSON.stringify(args)}${meta}}`;
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}`;
    };
    const clientInfo = { name: "t", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const opened = await post(JSON.stringify({ jsonrpc: "2.0", id: "open", method: "initialize", params }));
    session = opened.headers.get("mcp-session-id");
    return {
      post,
      begin: (body: string, signal: AbortSignal) => begin("/mcp", { ...request(body), signal }),
      message,
      /** The call's result, or the error of the protocol that it met. */
      call: async (tool: string, args: object | string, origin?: CallOrigin): Promise<unknown> => {
        const reply: unknown = await (await post(message(tool, args, origin))).json();
        return memberOf(reply, "result") ?? memberOf(reply, "error");
      },
    };
  };
  return { begin, send, openSession };
}

let principals = 0;

/** Objects that were aborted may leave rows behind a reset, so that nobody comes twice. */
export function freshPrincipal(stem: string): string {
  return `${stem}-${(principals += 1)}`;
}

export function textIn(answer: unknown): string {
  const content = memberOf(answer, "content");
  return String(memberOf(isJsonArray(content) ? content[0] : undefined, "text"));
}

/** What a tool's answer says went wrong; `undefined` where it tells of no error. */
export function errorIn(answer: unknown): unknown {
  return memberOf(answer, "isError") === true ? JSON.parse(textIn(answer)) : undefined;
}
