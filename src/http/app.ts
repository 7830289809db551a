import { Hono } from "hono";
import type { RequestContext } from "../gateway/request-context.ts";
import type { SelectionApi } from "../gateway/selection-api.ts";
import type { ListedForm } from "../identity/listed-form.ts";
import type { RecordsContext } from "../records/adapter/context.ts";
import { recordsSurface } from "../records/adapter/surface.ts";
import type { Surface } from "../surface.ts";
import { createGrant, listGrants, revokeGrant } from "./admin-grants.ts";
import { freeArtifacts, listArtifacts } from "./admin-artifacts.ts";
import { decideApproval, listApprovals } from "./admin-approvals.ts";
import { readCatalog, refreshCatalog } from "./admin-catalog.ts";
import { readEvents } from "./admin-events.ts";
import { createConnection, listConnections, listManifests, loadManifests } from "./admin-records.ts";
import {
  collectBodies,
  deleteRecords,
  reindexRecords,
  removeConnection,
  removeManifest,
} from "./admin-records-upkeep.ts";
import { moveUpstream } from "./admin-rollout.ts";
import { readStatus } from "./admin-status.ts";
import { createToken, listTokens, revokeToken } from "./admin-tokens.ts";
import { refuse } from "./answers.ts";
import { apiEndpoint } from "./api.ts";
import { authenticate } from "./authenticate.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";
import { configSource } from "./config-source.ts";
import { health } from "./health.ts";
import { logFor } from "./log.ts";
import { mcpEndpoint } from "./mcp-endpoint.ts";
import { readMetrics } from "./metrics.ts";
import { listedFormOf, readNames } from "./names-query.ts";
import { allowOrigins, guardOrigin } from "./origin.ts";
import { markPdpp } from "./pdpp.ts";
import { protectedResource } from "./protected-resource.ts";
import { recordsEndpoint } from "./records-endpoint.ts";
import { admitReader, admitWriter } from "./records-reader.ts";
import { toldIngest } from "./records-telling.ts";
import { drainInDevelopment, limitBody } from "./request-body.ts";
import { mountRoutes, type Route } from "./route-table.ts";
import { settings } from "./settings.ts";
import { ingestRecords } from "./v1-ingest.ts";
import { readRecords, refuseMethod, v1Route } from "./v1-read.ts";

export interface AppOptions {
  /** The bundled `loomgate.jsonc`; the variable `LOOMGATE_CONFIG` replaces it. */
  readonly configText: string;
  /** The gateway's surface over the bindings of one request. */
  readonly gateway: (c: HttpContext) => Surface<RequestContext>;
  /** The proxy's surface over the same, with names of one form in its lists. */
  readonly proxy: (c: HttpContext, names: ListedForm) => Surface<RequestContext>;
  /** The selection contract over the same. */
  readonly api: (c: HttpContext) => SelectionApi;
  /** In place of the five tools over records. */
  readonly records?: Surface<RecordsContext>;
}

/** All routes, each behind what has to be judged first, in this order: size, settings, origin, caller. */
export function createApp({
  configText,
  gateway,
  proxy,
  api,
  records = recordsSurface(),
}: AppOptions): Hono<HttpEnv> {
  const config = configSource(configText);
  const app = new Hono<HttpEnv>();
  app.use(drainInDevelopment, markPdpp, limitBody);
  mountRoutes(app, "public", [
    { method: "GET", path: "/health", contract: "convergent", handler: health(config) },
  ]);

  app.use(settings(config, configText), guardOrigin, allowOrigins);
  mountRoutes(app, "metadata", [
    {
      method: "GET",
      path: "/.well-known/oauth-protected-resource/*",
      contract: "convergent",
      handler: protectedResource,
    },
  ]);
  app.use("/mcp", authenticate("mcp"));
  app.use("/mcp/proxy", authenticate("mcp_proxy"), readNames);
  // The endpoints themselves promise nothing: each tool that they serve has a contract of its own.
  mountRoutes(app, "mcp", [
    {
      method: "ALL",
      path: "/mcp",
      contract: "never_replay",
      handler: mcpEndpoint(gateway, { sessions: true }),
    },
    {
      method: "ALL",
      path: "/mcp/proxy",
      contract: "never_replay",
      handler: mcpEndpoint((c) => proxy(c, listedFormOf(c)), { sessions: false }),
    },
  ]);
  app.use("/mcp/records", authenticate("mcp_records"), admitReader);
  mountRoutes(app, "mcp", [
    { method: "ALL", path: "/mcp/records", contract: "convergent", handler: recordsEndpoint(records) },
  ]);
  app.use("/v1/*", authenticate(v1Route));
  app.post(INGEST_PATH, admitWriter);
  mountRoutes(app, "v1", [
    // The same lines again write nothing: each is known by its key, its data and its time.
    { method: "POST", path: INGEST_PATH, contract: "convergent", handler: toldIngest(ingestRecords) },
  ]);
  app.use("/v1/*", admitReader);
  mountRoutes(app, "v1", V1_READ_ROUTES);
  app.use("/api/*", authenticate("api"));
  mountRoutes(app, "api", apiRoutes(api));
  app.use("/admin/*", authenticate("admin"));
  mountRoutes(app, "admin", ADMIN_ROUTES);
  app.use("/metrics", authenticate("metrics"));
  mountRoutes(app, "metrics", [
    { method: "GET", path: "/metrics", contract: "convergent", handler: readMetrics },
  ]);

  app.notFound((c) => refuse(c, "not_found"));
  app.onError((error, c) => {
    logFor(c)(error.stack ?? error.message);
    return refuse(c, "internal");
  });
  return app;
}

function apiRoutes(api: AppOptions["api"]): Route[] {
  return [
    { method: "ALL", path: "/api/route", contract: "convergent", handler: apiEndpoint(api, "route") },
    {
      method: "ALL",
      path: "/api/validate-selection",
      contract: "convergent",
      handler: apiEndpoint(api, "validateSelection"),
    },
  ];
}

const INGEST_PATH = "/v1/ingest/:stream";

const V1_READ_ROUTES: readonly Route[] = [
  { method: "GET", path: "/v1/*", contract: "convergent", handler: readRecords },
  { method: "ALL", path: "/v1/*", contract: "convergent", handler: refuseMethod },
];

const ADMIN_ROUTES: readonly Route[] = [
  { method: "GET", path: "/admin/tokens", contract: "convergent", handler: listTokens },
  // Asked twice it makes two tokens.
  { method: "POST", path: "/admin/tokens", contract: "never_replay", handler: createToken },
  { method: "DELETE", path: "/admin/tokens/:id", contract: "convergent", handler: revokeToken },
  { method: "GET", path: "/admin/grants", contract: "convergent", handler: listGrants },
  // Asked twice it makes two bearers.
  { method: "POST", path: "/admin/grants", contract: "never_replay", handler: createGrant },
  { method: "DELETE", path: "/admin/grants/:id", contract: "convergent", handler: revokeGrant },
  { method: "GET", path: "/admin/records/manifests", contract: "convergent", handler: listManifests },
  { method: "POST", path: "/admin/records/manifests", contract: "convergent", handler: loadManifests },
  { method: "GET", path: "/admin/records/connections", contract: "convergent", handler: listConnections },
  {
    method: "DELETE",
    path: "/admin/records/manifests/:key",
    contract: "convergent",
    handler: removeManifest,
  },
  { method: "POST", path: "/admin/records/connections", contract: "convergent", handler: createConnection },
  // Each asks for the next step: what is gone is not there to go again.
  {
    method: "DELETE",
    path: "/admin/records/connections/:id",
    contract: "convergent",
    handler: removeConnection,
  },
  { method: "POST", path: "/admin/records/delete", contract: "convergent", handler: deleteRecords },
  { method: "POST", path: "/admin/records/reindex", contract: "convergent", handler: reindexRecords },
  { method: "POST", path: "/admin/records/collect", contract: "convergent", handler: collectBodies },
  { method: "GET", path: "/admin/artifacts", contract: "convergent", handler: listArtifacts },
  { method: "DELETE", path: "/admin/artifacts", contract: "convergent", handler: freeArtifacts },
  { method: "GET", path: "/admin/approvals", contract: "convergent", handler: listApprovals },
  {
    method: "POST",
    path: "/admin/approvals/:id/:decision{grant|refuse}",
    contract: "convergent",
    handler: decideApproval,
  },
  { method: "POST", path: "/admin/refresh", contract: "convergent", handler: refreshCatalog },
  { method: "GET", path: "/admin/catalog", contract: "convergent", handler: readCatalog },
  {
    method: "POST",
    path: "/admin/upstreams/:name/:move{promote|rollback}",
    // Asked again it finds the calls moved, and says so.
    contract: "convergent",
    handler: moveUpstream,
  },
  { method: "GET", path: "/admin/status", contract: "convergent", handler: readStatus },
  { method: "GET", path: "/admin/events", contract: "convergent", handler: readEvents },
];
