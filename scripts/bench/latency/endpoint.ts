import { memberOf } from "../../../src/json.ts";
import { Told } from "../../command-line.ts";

const PROTOCOL = "2025-11-25";
const TIMEOUT_MS = 10_000;

/** One tool call over Streamable HTTP, ready to be sent again and again in one session. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request's body under a JSON-RPC id. */
  body(id: string): string;
}

/** Opens a session, and gives what is needed to call tools in it. */
export async function openSession(
  url: string,
  credential: Readonly<Record<string, string>>,
): Promise<(name: string, args: object) => Endpoint> {
  const headers = {
    ...credential,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const clientInfo = { name: "loomgate-bench", version: "1.0.0" };
  const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
  const opened = await post(url, headers, { id: "open", method: "initialize", params });
  const session = opened.headers.get("mcp-session-id");
  const answer = await opened.text();
  const version = memberOf(memberOf(messageOf(answer), "result"), "protocolVersion");
  if (!opened.ok || typeof version !== "string") {
    throw new Told(`${url} opened no session: HTTP ${opened.status} ${answer.slice(0, 200)}`);
  }
  const inSession = {
    ...headers,
    "mcp-protocol-version": version,
    ...(session === null ? {} : { "mcp-session-id": session }),
  };
  await (await post(url, inSession, { method: "notifications/initialized" })).text();
  return (name, args) => ({
    url,
    headers: inSession,
    body: (id) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } }),
  });
}

/** Ends a session; one that is gone already is no fault. */
export async function closeSession({ url, headers }: Endpoint): Promise<void> {
  const response = await fetch(url, { method: "DELETE", headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.body?.cancel();
}

/** Calls once; the result, or `Told` where there is none. The connection is kept for the next call. */
export async function callOnce(endpoint: Endpoint, id: string): Promise<unknown> {
  const response = await fetch(endpoint.url, {
    method: "POST",
    headers: endpoint.headers,
    body: endpoint.body(id),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  const fault = response.ok ? faultOf(text) : `HTTP ${response.status}: ${text}`;
  if (fault !== undefined) throw new Told(`${endpoint.url}: ${fault}`);
  return memberOf(messageOf(text), "result");
}

/** What is wrong with an answer's body; undefined for a tool's result that is no error. */
export function faultOf(body: string): string | undefined {
  const result = memberOf(messageOf(body), "result");
  const isGood = result !== undefined && memberOf(result, "isError") !== true;
  return isGood ? undefined : body.slice(0, 200);
}

/** The JSON-RPC message of a body: JSON, or the data of its last event (an empty one may come before). */
export function messageOf(body: string): unknown {
  const data = body.startsWith("{") ? body : [...body.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1];
  try {
    return JSON.parse(data ?? "");
  } catch {
    return undefined;
  }
}

function post(url: string, headers: Readonly<Record<string, string>>, message: object): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
}
