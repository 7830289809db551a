import type { BearerKind } from "./bearer.ts";

/** The kinds of route, as CONTRACTS "Routes and who may use them" groups them. */
export type RouteClass =
  | "mcp"
  | "mcp_proxy"
  | "api"
  | "mcp_records"
  | "v1_read"
  | "v1_ingest"
  | "admin"
  | "metrics"
  | "public";

/** `none` is an absent bearer or a bad one. */
export type CallerKind = "none" | BearerKind | "operator";

/** `grant_needed`: allowed to a principal with a grant, else forbidden. */
type Entry = "allowed" | "unauthorized" | "forbidden" | "grant_needed";

export type RouteVerdict = "allowed" | "unauthorized" | "forbidden";

const CLIENTS_ONLY: Readonly<Record<CallerKind, Entry>> = {
  none: "unauthorized",
  client: "allowed",
  package: "forbidden",
  owner: "forbidden",
  operator: "forbidden",
};

const OPERATOR_ONLY: Readonly<Record<CallerKind, Entry>> = {
  none: "unauthorized",
  client: "forbidden",
  package: "forbidden",
  owner: "forbidden",
  operator: "allowed",
};

const RECORD_READERS: Readonly<Record<CallerKind, Entry>> = {
  none: "unauthorized",
  client: "grant_needed",
  package: "allowed",
  owner: "forbidden",
  operator: "forbidden",
};

/** Exhaustive by its type: a new route or a new kind of bearer does not compile until every cell is decided. */
const TABLE: Readonly<Record<RouteClass, Readonly<Record<CallerKind, Entry>>>> = {
  mcp: CLIENTS_ONLY,
  mcp_proxy: CLIENTS_ONLY,
  api: CLIENTS_ONLY,
  mcp_records: RECORD_READERS,
  v1_read: { ...RECORD_READERS, owner: "allowed" },
  v1_ingest: { ...OPERATOR_ONLY, owner: "allowed", operator: "forbidden" },
  admin: OPERATOR_ONLY,
  metrics: OPERATOR_ONLY,
  public: { none: "allowed", client: "allowed", package: "allowed", owner: "allowed", operator: "allowed" },
};

/** Whether the answer depends on a grant, so that nobody looks one up in vain. */
export function needsGrant(route: RouteClass, caller: CallerKind): boolean {
  return TABLE[route][caller] === "grant_needed";
}

/** Who may use what: `unauthorized` is 401, `forbidden` is 403. `hasGrant` matters where `needsGrant` says so. */
export function judgeRoute(route: RouteClass, caller: CallerKind, hasGrant: boolean): RouteVerdict {
  const entry = TABLE[route][caller];
  if (entry !== "grant_needed") return entry;
  return hasGrant ? "allowed" : "forbidden";
}
