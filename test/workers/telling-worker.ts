import { abortAllDurableObjects, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "../../src/http/app.ts";
import type { Bindings } from "../../src/http/bindings.ts";
import { gatewayFor, selectionApiFor } from "../../src/http/gateway-ports.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { type LedgerEntry, readEntry } from "../../src/outbox/entry.ts";
import type { SettleReport } from "../../src/principal/admit-contract.ts";
import { ok } from "../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakeId } from "../support/fake-catalog.ts";
import { bearerFor, KEY, OPERATOR, ORIGIN } from "./http/client.ts";

const PAY = { namespace: "bank", name: "pay", description: "Pay.", inputSchema: { type: "object" } };
const RATES = {
  namespace: "bank",
  name: "rates",
  description: "Exchange rates.",
  inputSchema: { type: "object", properties: { day: { type: "string" } } },
  annotations: { readOnlyHint: true },
};
const CATALOG = fakeCatalog([PAY, RATES]);
export const PAY_ID = fakeId(PAY);
export const RATES_ID = fakeId(RATES);

/** What the upstream does with a call: the request's id, how many calls came before, and what ends it. */
export type Deed = (
  id: unknown,
  call: number,
  signal: AbortSignal | null | undefined,
) => Promise<Response> | Response;

export interface TellingOptions {
  readonly deed?: Deed;
  readonly server?: object;
  readonly gateway?: object;
  /** Objects lose their memory before every request. */
  readonly evict?: boolean;
  /** The artifact store does not answer. */
  readonly noStore?: boolean;
  /** How many reports find the principal's object away. */
  readonly lostSettles?: number;
  /** The handshake is answered like any call. */
  readonly deedToHandshake?: boolean;
}

export const result = (id: unknown, value: unknown): Response =>
  Response.json({ jsonrpc: "2.0", id, result: value });
export const text = (words: string): object => ({ content: [{ type: "text", text: words }] });

let principals = 0;

/** The whole Worker over real objects, with everything that is reported to a principal's object in view. */
export function tellingWorker(options: TellingOptions = {}) {
  const reports: SettleReport[] = [];
  let admits = 0;
  let calls = 0;
  let lost = options.lostSettles ?? 0;
  const deed: Deed = options.deed ?? ((id, call) => result(id, text(`done ${call}`)));
  const fetchUpstream = async (_: string | URL, init?: RequestInit): Promise<Response> => {
    const message: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "{}");
    const id = memberOf(message, "id");
    if (memberOf(message, "method") === "initialize" && options.deedToHandshake !== true) {
      const serverInfo = { name: "bank", version: "1" };
      return result(id, { protocolVersion: "2025-06-18", capabilities: {}, serverInfo });
    }
    if (memberOf(message, "method") === "notifications/initialized")
      return new Response(null, { status: 202 });
    if (id === undefined) return new Response(null, { status: 202 });
    return deed(id, (calls += 1), init?.signal);
  };
  const configText = JSON.stringify({
    mcpServers: { bank: { url: "https://bank.example.com/mcp", timeout_ms: 300, ...options.server } },
    gateway: options.gateway ?? {},
  });
  const catalogs = fakeCatalogs(ok(CATALOG));
  const app = createApp({
    configText,
    gateway: (c) => gatewayFor(c, catalogs, { fetch: fetchUpstream }),
    api: (c) => selectionApiFor(c, catalogs),
  });
  const watched = (name: string) => {
    const stub = env.PRINCIPALS.getByName(name);
    return new Proxy(stub, {
      get: (_target, method) => {
        if (method === "admit") {
          return (ask: Parameters<typeof stub.admit>[0]) => {
            admits += 1;
            return stub.admit(ask);
          };
        }
        if (method !== "settle") throw new Error(`nobody asks for ${String(method)}`);
        return (report: SettleReport) => {
          if ((lost -= 1) >= 0) return Promise.reject(new Error("the object is being moved"));
          reports.push(report);
          return stub.settle(report);
        };
      },
    });
  };
  const bindings: Bindings = {
    ...env,
    LOOMGATE_KEY: KEY,
    OPERATOR_TOKEN: OPERATOR,
    LOOMGATE_CONFIG: configText,
    PRINCIPALS: new Proxy(env.PRINCIPALS, { get: () => watched }),
    ...(options.noStore === true
      ? { ARTIFACTS: new Proxy(env.ARTIFACTS, { get: () => () => Promise.reject(new Error("R2 10001")) }) }
      : {}),
  };
  // Objects that were aborted may leave rows behind a reset, so that nobody comes twice.
  const principal = `teller-${(principals += 1)}`;
  const begin = async (
    path: string,
    headers: Record<string, string>,
    body: unknown,
    signal?: AbortSignal,
  ) => {
    if (options.evict === true) await abortAllDurableObjects();
    const context = createExecutionContext();
    const init = { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) };
    const response = app.fetch(new Request(new URL(path, ORIGIN), init), bindings, context);
    return { context, response: Promise.resolve(response) };
  };
  const send = async (path: string, headers: Record<string, string>, body: unknown): Promise<Response> => {
    const { context, response } = await begin(path, headers, body);
    const answer = await response;
    const answered = new Response(await answer.text(), answer);
    await waitOnExecutionContext(context);
    return answered;
  };
  /** One session of a principal. */
  const client = async (bearer?: string) => {
    const own = bearer ?? (await bearerFor({ principal }));
    let session: string | null = null;
    let next = 0;
    const headers = () => ({
      Authorization: `Bearer ${own}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(session === null ? {} : { "Mcp-Session-Id": session }),
    });
    const post = async (body: unknown): Promise<Response> => {
      const response = await send("/mcp", headers(), body);
      session ??= response.headers.get("mcp-session-id");
      return response;
    };
    const clientInfo = { name: "t", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await post({ jsonrpc: "2.0", id: "open", method: "initialize", params });
    const message = (tool: string, args: object, more: { id?: unknown; key?: string } = {}) => ({
      jsonrpc: "2.0",
      id: more.id ?? (next += 1),
      method: "tools/call",
      params: {
        name: tool,
        arguments: args,
        ...(more.key === undefined ? {} : { ["_meta"]: { "loomgate/idempotency-key": more.key } }),
      },
    });
    const call = async (
      tool: string,
      args: object,
      more: { id?: unknown; key?: string } = {},
    ): Promise<unknown> => {
      const json: unknown = await (await post(message(tool, args, more))).json();
      return memberOf(json, "result");
    };
    return {
      post,
      /** Sends and does not wait for the answer: ends with what the Worker was asked to stay alive for. */
      leave: async (body: unknown, whenGone: () => Promise<void>): Promise<void> => {
        const gone = new AbortController();
        const { context, response } = await begin("/mcp", headers(), body, gone.signal);
        response.catch(() => undefined);
        await whenGone();
        gone.abort();
        await waitOnExecutionContext(context);
      },
      message,
      call,
      pay: (more: { id?: unknown; key?: string; dry_run?: boolean } = {}) => {
        const { dry_run: dry, ...origin } = more;
        const args = { tool_id: PAY_ID, args: { amount: 1 } };
        return call("tool_execute", dry === undefined ? args : { ...args, dry_run: dry }, origin);
      },
    };
  };
  /** What was told so far, and is forgotten here. */
  const told = (): LedgerEntry[] =>
    reports.splice(0).flatMap((report) =>
      (report.told ?? []).map((entry) => {
        const read = readEntry(entry);
        if (!read.ok) throw new Error(`${read.reason}: ${entry}`);
        return read.value;
      }),
    );
  return { client, send, told, reports, principal, admits: () => admits, calls: () => calls };
}

export function textIn(answer: unknown): string {
  const content = memberOf(answer, "content");
  return String(memberOf(isJsonArray(content) ? content[0] : undefined, "text"));
}

export function errorIn(answer: unknown): unknown {
  return JSON.parse(textIn(answer));
}
