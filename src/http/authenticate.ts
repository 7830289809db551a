import type { MiddlewareHandler } from "hono";
import { identifyCaller } from "../access/caller.ts";
import { judgeRoute, type RouteClass } from "../access/routes.ts";
import { FORBIDDEN, RATE_LIMITED, UNAUTHORIZED } from "./answers.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";
import { challenge } from "./protected-resource.ts";
import { passShield } from "./shield.ts";

/**
 * Finds out who calls, from the bearer alone and without IO, and whether this kind of caller may use the route. What
 * passes here wakes an object at the earliest; what does not has cost a MAC.
 */
export function authenticate(route: RouteClass): MiddlewareHandler<HttpEnv> {
  return async function authenticate(c, next) {
    const { bearer } = c.get("keys");
    const caller = await identifyCaller(
      c.req.header("authorization"),
      bearer,
      c.env.OPERATOR_TOKEN,
      Date.now(),
    );
    if (!(await passShield(c, caller))) return c.json(RATE_LIMITED, 429, { "Retry-After": "60" });
    c.set("caller", caller);
    const kind = caller.kind === "bearer" ? caller.claims.kind : caller.kind;
    switch (judgeRoute(route, kind, false)) {
      case "allowed":
        return next();
      case "unauthorized":
        return unauthorized(c);
      case "forbidden":
        return c.json(FORBIDDEN, 403);
    }
  };
}

/** 401 with the challenge of RFC 9728 §5.1; absent and bad bearers look the same. */
export function unauthorized(c: HttpContext): Response {
  return c.json(UNAUTHORIZED, 401, { "WWW-Authenticate": challenge(c.req.url) });
}
