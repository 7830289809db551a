import { Hono } from "hono";
import type { RequestContext } from "../gateway/request-context.ts";
import type { SelectionApi } from "../gateway/selection-api.ts";
import type { Surface } from "../surface.ts";
import { readCatalog, refreshCatalog } from "./admin-catalog.ts";
import { createToken, listTokens, revokeToken } from "./admin-tokens.ts";
import { NOT_FOUND } from "./answers.ts";
import { apiEndpoint } from "./api.ts";
import { authenticate } from "./authenticate.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";
import { configSource } from "./config-source.ts";
import { health } from "./health.ts";
import { logFor } from "./log.ts";
import { mcpEndpoint } from "./mcp-endpoint.ts";
import { allowOrigins, guardOrigin } from "./origin.ts";
import { protectedResource } from "./protected-resource.ts";
import { drainInDevelopment, limitBody } from "./request-body.ts";
import { settings } from "./settings.ts";

export interface AppOptions {
  /** The bundled `loomgate.jsonc`; the variable `LOOMGATE_CONFIG` replaces it. */
  readonly configText: string;
  /** The gateway's surface over the bindings of one request. */
  readonly gateway: (c: HttpContext) => Surface<RequestContext>;
  /** The selection contract over the same. */
  readonly api: (c: HttpContext) => SelectionApi;
}

/** All routes, each behind what has to be judged first, in this order: size, settings, origin, caller. */
export function createApp({ configText, gateway, api }: AppOptions): Hono<HttpEnv> {
  const config = configSource(configText);
  const app = new Hono<HttpEnv>();
  app.use(drainInDevelopment, limitBody);
  app.get("/health", health(config));

  app.use(settings(config, configText), guardOrigin, allowOrigins);
  app.get("/.well-known/oauth-protected-resource/*", protectedResource);
  app.all("/mcp", authenticate("mcp"), mcpEndpoint(gateway));
  app.use("/api/*", authenticate("api"));
  app.all("/api/route", apiEndpoint(api, "route"));
  app.all("/api/validate-selection", apiEndpoint(api, "validateSelection"));
  app.use("/admin/*", authenticate("admin"));
  app.get("/admin/tokens", listTokens);
  app.post("/admin/tokens", createToken);
  app.delete("/admin/tokens/:id", revokeToken);
  app.post("/admin/refresh", refreshCatalog);
  app.get("/admin/catalog", readCatalog);

  app.notFound((c) => c.json(NOT_FOUND, 404));
  app.onError((error, c) => {
    logFor(c)(error.stack ?? error.message);
    return c.json({ error: "internal" }, 500);
  });
  return app;
}
