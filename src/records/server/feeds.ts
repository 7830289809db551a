import { AMBIGUOUS_CANDIDATES_MAX_COUNT, RECORDS_PAGE_FEEDS_MAX_COUNT } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { Coverage, CoveredFeed } from "../grant/coverage.ts";
import { problem, type PdppProblem } from "../problem.ts";

/** The feeds of one connection, or all of them. A connection that is not covered is unknown. */
export function feedsOfConnection(
  { feeds }: Coverage,
  connectionId: string | null,
): Result<readonly CoveredFeed[], PdppProblem> {
  if (connectionId === null) return ok(feeds);
  const own = feeds.filter((feed) => feed.connectionId === connectionId);
  if (own.length > 0) return ok(own);
  return fail(
    problem("connection_not_found", "No such connection is covered: the schema lists those that are.", {
      param: "connection_id",
    }),
  );
}

/** The covered feeds of a stream, at least one. What a grant does not cover and what nobody declares is told alike. */
export function feedsOfStream(
  coverage: Coverage,
  stream: string,
  connectionId: string | null,
): Result<readonly CoveredFeed[], PdppProblem> {
  const found = feedsOfConnection(coverage, connectionId);
  if (!found.ok) return found;
  const feeds = found.value.filter((feed) => feed.stream.name === stream);
  if (feeds.length > 0) return ok(feeds);
  return fail(problem("stream_not_declared", "No such stream is covered: the schema lists those that are."));
}

/** Feeds that one answer may be merged from; more are chosen from. */
export function mergedFeeds(
  coverage: Coverage,
  stream: string,
  connectionId: string | null,
): Result<readonly CoveredFeed[], PdppProblem> {
  const feeds = feedsOfStream(coverage, stream, connectionId);
  return feeds.ok && feeds.value.length > RECORDS_PAGE_FEEDS_MAX_COUNT
    ? fail(ambiguousConnection(feeds.value))
    : feeds;
}

/** Refuses a list of what is being put in another order; of anything else there is nothing. */
export function orderProblem(feeds: readonly CoveredFeed[]): PdppProblem | undefined {
  return feeds.some(({ isReordered }) => isReordered === true) ? REORDERED : undefined;
}

const REORDERED = problem(
  "source_unavailable",
  "The stream's records are being put in another order: try again in a while.",
);

/** One feed, or a 409 that names the connections to choose from. */
export function soleFeed(feeds: readonly CoveredFeed[]): Result<CoveredFeed, PdppProblem> {
  const [feed, another] = feeds;
  return feed !== undefined && another === undefined ? ok(feed) : fail(ambiguousConnection(feeds));
}

export function ambiguousConnection(feeds: readonly CoveredFeed[]): PdppProblem {
  return problem("ambiguous_connection", "Several connections have it: choose one by connection_id.", {
    param: "connection_id",
    extra: connectionChoice(feeds),
  });
}

/** The members of a problem that lets the caller choose a connection. */
export function connectionChoice(feeds: readonly CoveredFeed[]): Readonly<Record<string, unknown>> {
  const connections = new Map(feeds.map((feed) => [feed.connectionId, feed]));
  const shown = [...connections.values()].slice(0, AMBIGUOUS_CANDIDATES_MAX_COUNT);
  const omitted = connections.size - shown.length;
  return {
    available_connections: shown.map(availableConnection),
    available_connection_count: connections.size,
    retry_with: "connection_id",
    ...(omitted === 0
      ? {}
      : {
          available_connections_truncated: true,
          available_connections_omitted: omitted,
          discovery_hint: "GET /v1/schema?view=compact lists every connection.",
        }),
  };
}

function availableConnection({ connectionId, connectorKey, grantId, displayName }: CoveredFeed): object {
  return {
    connection_id: connectionId,
    connector_key: connectorKey,
    ...(grantId === null ? {} : { grant_id: grantId }),
    ...(displayName === null ? {} : { display_name: displayName }),
  };
}
