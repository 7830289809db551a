import type { BearerClaims } from "../access/bearer.ts";
import { type PostedMessages, readMessages } from "../mcp/messages.ts";
import { refuse, rpcError } from "./answers.ts";
import { rateLimited } from "./authenticate.ts";
import type { HttpContext } from "./bindings.ts";
import { readBody } from "./request-body.ts";
import { passShieldAgain } from "./shield.ts";

/** What an endpoint of MCP's Streamable HTTP does with what it is sent. */
export interface McpEndpoint {
  /** Answers a POST that could be read and was counted. */
  post(c: HttpContext, claims: BearerClaims, messages: PostedMessages): Promise<Response>;
  /** Ends a session; absent where none is kept. */
  delete?(c: HttpContext, claims: BearerClaims): Promise<Response>;
  methodNotAllowed(c: HttpContext): Response;
}

/** Streamable HTTP (MCP 2025-11-25, "Transports") as far as it is the same everywhere. */
export function serveMcp(endpoint: McpEndpoint) {
  return async function serveMcp(c: HttpContext): Promise<Response> {
    const caller = c.get("caller");
    if (caller.kind !== "bearer") return refuse(c, "forbidden");
    if (c.req.method === "POST") return post(c, caller.claims, endpoint);
    const end = c.req.method === "DELETE" ? endpoint.delete?.(c, caller.claims) : undefined;
    return end ?? endpoint.methodNotAllowed(c);
  };
}

async function post(c: HttpContext, claims: BearerClaims, endpoint: McpEndpoint): Promise<Response> {
  const body = await readBody(c);
  if (!body.ok && body.reason === "too_large") return refuse(c, "too_large");
  const messages = readMessages(body.ok ? body.value : "", c.req.header("mcp-protocol-version") ?? null);
  if (!messages.ok) return rpcError(400, messages.reason.code, messages.reason.message);
  if (!(await passShieldAgain(c, c.get("caller"), messages.value.count - 1))) return rateLimited(c);
  return endpoint.post(c, claims, messages.value);
}
