import type { MiddlewareHandler } from "hono";
import { identifyCaller } from "../access/caller.ts";
import { judgeRoute, type RouteClass } from "../access/routes.ts";
import { refuse } from "./answers.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";
import { metadataUrl } from "./protected-resource.ts";
import { passShield } from "./shield.ts";

/**
 * Finds out who calls, from the bearer alone and without IO, and whether this kind of caller may use the route; `routeOf`
 * where that depends on the request. What passes here wakes an object at the earliest; what does not has cost a MAC.
 */
export function authenticate(
  routeOf: RouteClass | ((c: HttpContext) => RouteClass),
): MiddlewareHandler<HttpEnv> {
  return async function authenticate(c, next) {
    const { bearer } = c.get("keys");
    const caller = await identifyCaller(
      c.req.header("authorization"),
      bearer,
      c.env.OPERATOR_TOKEN,
      Date.now(),
    );
    if (!(await passShield(c, caller))) return rateLimited(c);
    c.set("caller", caller);
    const kind = caller.kind === "bearer" ? caller.claims.kind : caller.kind;
    const route = typeof routeOf === "string" ? routeOf : routeOf(c);
    // Whether there is a grant is known to D1 alone: `admitReader` asks, behind this.
    switch (judgeRoute(route, kind, true)) {
      case "allowed":
        return next();
      case "unauthorized":
        return unauthorized(c);
      case "forbidden":
        return refuse(c, "forbidden");
    }
  };
}

export function rateLimited(c: HttpContext): Response {
  return refuse(c, "rate_limited", { headers: { "Retry-After": "60" } });
}

/** 401 with the challenge of RFC 9728 §5.1; absent and bad bearers look the same. */
export function unauthorized(c: HttpContext): Response {
  const metadata = metadataUrl(c.req.url);
  return refuse(c, "unauthorized", {
    headers: { "WWW-Authenticate": `Bearer resource_metadata="${metadata}"` },
    extra: {
      resource_metadata: metadata,
      next_step: "Send a bearer that covers what you want to read, as Authorization: Bearer …",
    },
  });
}
