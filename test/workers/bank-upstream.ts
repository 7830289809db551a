import { memberOf } from "../../src/json.ts";

/** What the upstream does with a call: the request's id, which call it is, counted from one, and what ends it. */
export type Deed = (
  id: unknown,
  call: number,
  signal: AbortSignal | null | undefined,
) => Promise<Response> | Response;

export const result = (id: unknown, value: unknown): Response =>
  Response.json({ jsonrpc: "2.0", id, result: value });
export const text = (words: string): object => ({ content: [{ type: "text", text: words }] });

/** Ends with the caller's patience only. */
export const hangs: Deed = (_id, _call, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => {
      reject(new DOMException("aborted", "AbortError"));
    });
  });

/** A notification that the upstream was sent, and the session in which. */
interface Notice {
  readonly method: unknown;
  readonly params: unknown;
  readonly session: string | null;
}

/**
 * One MCP server in this isolate, as the `fetch` that reaches it. The handshake is answered, notifications are taken,
 * and any other request is a call: its body is kept as it came, and the deed answers it. `deedToHandshake` makes the
 * handshake a call too; `session` is what it calls its sessions.
 */
export function bankUpstream(
  deed: Deed,
  {
    deedToHandshake = false,
    session,
  }: { readonly deedToHandshake?: boolean; readonly session?: string } = {},
) {
  const bodies: string[] = [];
  const notices: Notice[] = [];
  const fetch = async (_: string | URL, init?: RequestInit): Promise<Response> => {
    const body = typeof init?.body === "string" ? init.body : "{}";
    const message: unknown = JSON.parse(body);
    const id = memberOf(message, "id");
    if (id === undefined) {
      const { method, params } = { method: memberOf(message, "method"), params: memberOf(message, "params") };
      notices.push({ method, params, session: new Headers(init?.headers).get("mcp-session-id") });
      return new Response(null, { status: 202 });
    }
    if (memberOf(message, "method") === "initialize" && !deedToHandshake) {
      const serverInfo = { name: "bank", version: "1" };
      const answer = result(id, { protocolVersion: "2025-06-18", capabilities: {}, serverInfo });
      if (session !== undefined) answer.headers.set("mcp-session-id", session);
      return answer;
    }
    bodies.push(body);
    return deed(id, bodies.length, init?.signal);
  };
  return { fetch, bodies, notices };
}
