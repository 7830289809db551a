import { aggregateOf } from "./aggregate.ts";
import { type Covered, type Feed, type Grant, type Json, liveRecords } from "./data.ts";
import { expansionOf, recordsPage, refuseUnknown, shownFields, shownRecord } from "./records.ts";
import { badRequest, Refusal } from "./refusal.ts";
import { compactStream, streamMetadata } from "./schema.ts";
import { searchPage } from "./search.ts";

export type Profile = "full" | "core-v0.1-client";

export interface Asked {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly grant: Grant;
  readonly profile: Profile;
  readonly feeds: readonly Feed[];
}

/** What a real resource server answers, as it was recorded; throws a {@link Refusal}. */
export function answerOf({ path, query, grant, profile, feeds }: Asked): Json {
  const strict = profile !== "full" && grant.kind !== "owner";
  if (strict && path[0] !== "schema") refuseStrict(query);
  const connection = query.get("connection_id");
  const all = coveredBy(grant, feeds);
  const covered = connection === null ? all : all.filter(({ feed }) => feed.connectionId === connection);
  if (connection !== null && covered.length === 0) {
    throw strict
      ? contextRefusal("context.instance_mismatch")
      : new Refusal(404, "connection_not_found", "not_found_error");
  }
  const [head, stream, part, key] = path;
  if (path.length === 1 && head === "schema") return schemaOf(covered, grant, query, strict);
  if (path.length === 1 && head === "search") return searchPage(covered, query);
  if (path.length === 1 && head === "streams")
    return { data: covered.map(streamRow), has_more: false, object: "list" };
  if (head !== "streams") throw new Refusal(404, "not_found", "not_found_error");
  const named = covered.filter(({ feed }) => feed.stream === stream);
  const [one] = named;
  if (one === undefined) {
    throw strict
      ? contextRefusal("context.stream_not_allowed")
      : new Refusal(500, "stream_not_declared", "api_error");
  }
  if (named.length > 1) throw new Refusal(409, "ambiguous_connection", "api_error");
  if (path.length === 2) return streamMetadata(one, covered, strict);
  if (path.length === 3 && part === "records") return recordsPage(one, covered, query);
  if (path.length === 3 && part === "aggregate") return aggregateOf(one, query);
  if (path.length === 4 && part === "records") return oneRecord(one, covered, key ?? "", query);
  throw new Refusal(404, "not_found", "not_found_error");
}

/** What the stricter servers refuse to clients. */
function refuseStrict(query: URLSearchParams): void {
  for (const name of query.keys()) {
    if (name.startsWith("filter")) throw badRequest("invalid_request", "filter");
    if (name.startsWith("expand")) throw badRequest("invalid_request", "expand");
    if (name === "view") throw badRequest("invalid_request", "view");
  }
}

function contextRefusal(code: string): Refusal {
  return new Refusal(401, code, "authentication_error");
}

function coveredBy({ kind, connections }: Grant, feeds: readonly Feed[]): readonly Covered[] {
  if (kind === "owner") return feeds.map((feed) => ({ feed, fields: null }));
  return connections.flatMap(({ connectionId, streams }) =>
    feeds.flatMap((feed): Covered[] => {
      if (feed.connectionId !== connectionId) return [];
      if (streams === "all") return [{ feed, fields: null }];
      const granted = streams.find(({ name }) => name === feed.stream);
      if (granted === undefined) return [];
      return [{ feed, fields: granted.fields === undefined ? null : new Set(granted.fields) }];
    }),
  );
}

function schemaOf(covered: readonly Covered[], grant: Grant, query: URLSearchParams, strict: boolean): Json {
  refuseUnknown(query, /^(?:view|detail|stream|connection_id|connector_id)$/);
  const stream = query.get("stream");
  if (query.get("detail") === "full" && stream === null) throw badRequest("invalid_request", "detail");
  const compact = query.get("view") === "compact";
  if (compact && strict) throw badRequest("invalid_request", "view");
  const matching = covered.filter(({ feed }) => stream === null || feed.stream === stream);
  if (stream !== null && matching.length === 0) {
    throw strict
      ? contextRefusal("context.stream_not_allowed")
      : new Refusal(404, "stream_not_declared", "not_found_error");
  }
  const groups = new Map<string, Covered[]>();
  for (const each of matching) {
    const id = `${each.feed.connectorKey} ${each.feed.connectionId}`;
    groups.set(id, [...(groups.get(id) ?? []), each]);
  }
  const connectors = [...groups.values()].map((group) => connectorOf(group, covered, { compact, strict }));
  return {
    bearer: {
      scope: grant.kind === "owner" ? "owner" : "grant",
      token_kind: grant.kind,
      ...(grant.grantId === null
        ? {}
        : { grant_id: grant.grantId, client_id: grant.grantId.replace("grt", "cli") }),
    },
    connectors,
    object: "schema",
    ...(compact || stream !== null
      ? {
          detail: compact ? "compact" : "full",
          connector_count: connectors.length,
          stream_count: matching.length,
        }
      : {}),
  };
}

function connectorOf(
  group: readonly Covered[],
  all: readonly Covered[],
  form: { compact: boolean; strict: boolean },
): Json {
  const [first] = group;
  const streams = group.map((each) => streamMetadata(each, all, form.strict));
  return {
    object: "connector",
    source: { id: first?.feed.connectorKey, kind: "connector" },
    stream_count: group.length,
    streams: form.compact ? streams.map(compactStream) : streams,
    connector_key: first?.feed.connectorKey,
    connector_id: first?.feed.connectorKey,
    ...(form.compact ? { granted_connections: [{ connection_id: first?.feed.connectionId }] } : {}),
  };
}

function streamRow({ feed }: Covered): Json {
  const live = liveRecords(feed, "desc");
  const ids = { connection_id: feed.connectionId, connector_instance_id: feed.connectionId };
  return {
    name: feed.stream,
    object: "stream",
    record_count: live.length,
    last_updated: live[0]?.emittedAt,
    ...ids,
  };
}

function oneRecord(covered: Covered, all: readonly Covered[], key: string, query: URLSearchParams): Json {
  refuseUnknown(query);
  const fields = shownFields(covered, query);
  const version = liveRecords(covered.feed, "asc").find((each) => each.key === key);
  if (version === undefined) throw new Refusal(404, "not_found", "not_found_error");
  return {
    connector_key: covered.feed.connectorKey,
    ...shownRecord(covered.feed, version, fields),
    ...expansionOf(covered, all, query)(version),
  };
}
