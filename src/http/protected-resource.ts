import type { HttpContext } from "./bindings.ts";
import { NOT_FOUND } from "./answers.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** The resources that have metadata of their own (RFC 9728 §3.1: the resource's path after the well-known one). */
const RESOURCE_PATHS: ReadonlySet<string> = new Set(["", "/mcp", "/mcp/proxy", "/mcp/records"]);

/** `GET /.well-known/oauth-protected-resource[/mcp…]`. It lists no authorization server, since there is none yet. */
export function protectedResource(c: HttpContext): Response {
  const url = new URL(c.req.url);
  const path = url.pathname.slice(WELL_KNOWN.length);
  if (!RESOURCE_PATHS.has(path)) return c.json(NOT_FOUND, 404);
  return c.json({
    resource: `${url.origin}${path === "" ? "/" : path}`,
    bearer_methods_supported: ["header"],
  });
}

/** Where the metadata of the resource at `requestUrl` is. */
export function metadataUrl(requestUrl: string): string {
  const { origin, pathname } = new URL(requestUrl);
  return `${origin}${WELL_KNOWN}${RESOURCE_PATHS.has(pathname) ? pathname : ""}`;
}
