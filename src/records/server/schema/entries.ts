import { memberOf } from "../../../json.ts";
import type { Coverage, CoveredFeed } from "../../grant/coverage.ts";
import { groupBy } from "../group-by.ts";
import { expandCapabilities } from "./expand-capabilities.ts";
import { compactCapabilities, fieldCapabilities } from "./field-capabilities.ts";

/** A stream of a connector, in all the connections in which it may be read alike. */
export interface StreamEntry {
  readonly feed: CoveredFeed;
  readonly feeds: readonly CoveredFeed[];
}

export interface ConnectorEntry {
  readonly feed: CoveredFeed;
  readonly feeds: readonly CoveredFeed[];
  readonly streams: readonly StreamEntry[];
}

/** What is covered, by connector and stream. A stream whose connections may not be read alike has several entries. */
export function connectorEntries(
  coverage: Coverage,
  feeds: readonly CoveredFeed[],
): readonly ConnectorEntry[] {
  return [...groupBy(feeds, ({ connectorKey }) => connectorKey).values()].flatMap((own) => {
    const [feed] = own;
    return feed === undefined ? [] : [{ feed, feeds: own, streams: streamEntries(coverage, own) }];
  });
}

function streamEntries(coverage: Coverage, feeds: readonly CoveredFeed[]): readonly StreamEntry[] {
  const alike = groupBy(feeds, (feed) =>
    JSON.stringify([
      feed.stream.name,
      feed.fields === null ? null : [...feed.fields].toSorted(),
      expandCapabilities(coverage, feed, true),
    ]),
  );
  return [...alike.values()].flatMap((own) => {
    const [feed] = own;
    return feed === undefined ? [] : [{ feed, feeds: own }];
  });
}

export function grantedConnections(feeds: readonly CoveredFeed[]): readonly object[] {
  const connections = new Map(feeds.map((feed) => [feed.connectionId, feed]));
  return [...connections.values()].map(grantedConnection);
}

function grantedConnection({ connectionId, displayName }: CoveredFeed): object {
  return displayName === null
    ? { connection_id: connectionId }
    : { connection_id: connectionId, display_name: displayName };
}

/** A stream at length, but for what is known of its records. */
export function fullStream(coverage: Coverage, { feed }: StreamEntry, freshness: object): object {
  const { stream } = feed;
  return {
    consent_time_field: stream.consentTimeField,
    cursor_field: stream.cursorField,
    expand_capabilities: expandCapabilities(coverage, feed, false),
    field_capabilities: fieldCapabilities(feed),
    freshness,
    name: stream.name,
    object: "stream_metadata",
    primary_key: stream.primaryKey,
    query: lexicalQuery(stream.source["query"]),
    relationships: stream.source["relationships"] ?? [],
    schema: stream.source["schema"],
    selection: stream.source["selection"],
    semantics: stream.semantics,
    views: stream.source["views"] ?? [],
  };
}

/** What the manifest declares of queries, without what is not served: a search by meaning. */
function lexicalQuery(query: unknown): unknown {
  const search = memberOf(query, "search");
  if (typeof query !== "object" || typeof search !== "object" || search === null) return query ?? {};
  return {
    ...query,
    search: Object.fromEntries(Object.entries(search).filter(([name]) => name !== "semantic_fields")),
  };
}

/** A stream in a few lines; it names its connections where they are not all of its connector's. */
export function compactStream(
  coverage: Coverage,
  { feed, feeds }: StreamEntry,
  connector: ConnectorEntry,
): object {
  const connections = grantedConnections(feeds);
  const isEverywhere = connections.length === grantedConnections(connector.feeds).length;
  return {
    name: feed.stream.name,
    primary_key: feed.stream.primaryKey,
    cursor_field: feed.stream.cursorField,
    field_capabilities: compactCapabilities(feed),
    expand_capabilities: expandCapabilities(coverage, feed, true),
    ...(isEverywhere ? {} : { granted_connections: connections }),
  };
}
