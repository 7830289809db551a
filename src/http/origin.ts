import { cors } from "hono/cors";
import type { MiddlewareHandler } from "hono";
import { refuse } from "./answers.ts";
import type { HttpEnv } from "./bindings.ts";

const LOOPBACK_HOSTS = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Refuses a page of another origin, and, on a development machine, a name that was rebound to it (DNS rebinding): there
 * a browser's page would otherwise reach what listens on loopback. Programs send no `Origin` and pass.
 */
export const guardOrigin: MiddlewareHandler<HttpEnv> = async function guardOrigin(c, next) {
  const origin = c.req.header("origin");
  const { allowed_origins: allowed } = c.get("config").gateway;
  if (origin !== undefined && !allowed.includes(origin)) return refuse(c, "forbidden");
  if (c.env.LOOMGATE_DEVELOPMENT !== undefined && !LOOPBACK_HOSTS.has(new URL(c.req.url).hostname)) {
    return refuse(c, "forbidden");
  }
  return next();
};

/** Lets pages of the allowed origins read what they are answered. Stands behind `guardOrigin`. */
export const allowOrigins: MiddlewareHandler<HttpEnv> = cors({
  origin: (origin) => origin,
  allowMethods: ["GET", "POST", "DELETE"],
  allowHeaders: ["Authorization", "Content-Type", "Mcp-Session-Id", "MCP-Protocol-Version", "Last-Event-ID"],
  exposeHeaders: [
    "Mcp-Session-Id",
    "WWW-Authenticate",
    "Loomgate-Cursor",
    "Loomgate-Missed",
    "Link",
    "Request-Id",
    "PDPP-Version",
  ],
  maxAge: 600,
});
