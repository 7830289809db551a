import { fail, ok, type Result } from "../../../result.ts";
import type { CoveredFeed, Holder } from "../../grant/coverage.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { metaOf, selfLink, type ServerAnswer } from "../answer.ts";
import { connectionChoice, feedsOfConnection, feedsOfStream } from "../feeds.ts";
import type { Parameters, Parsed } from "../parameters.ts";
import type { ServerPorts } from "../ports.ts";
import {
  compactStream,
  connectorEntries,
  fullStream,
  grantedConnections,
  type ConnectorEntry,
} from "./entries.ts";
import { feedStates, freshnessOf } from "./freshness.ts";

/** `GET /v1/schema`: everything at length, `view=compact` in lines, or one stream of either. */
export async function answerSchema(request: Parsed, ports: ServerPorts): Promise<ServerAnswer> {
  const detail = detailOf(request.parameters);
  if (!detail.ok) return detail;
  const feeds = schemaFeeds(request, ports);
  if (!feeds.ok) return feeds;
  const entries = connectorEntries(ports.coverage, feeds.value);
  const streamCount = entries.reduce((count, { streams }) => count + streams.length, 0);
  if (detail.value === "full" && streamCount > 1) {
    return fail(
      problem(
        "ambiguous_schema_detail",
        "Several connections have this stream, each its own: choose one by connection_id.",
        {
          param: "connection_id",
          extra: connectionChoice(feeds.value),
        },
      ),
    );
  }
  const isCompact = detail.value === "compact";
  const connectors = isCompact
    ? entries.map((entry) => compactConnector(entry, ports))
    : await fullConnectors(entries, feeds.value, ports);
  const isWhole = detail.value === "plain" && request.parameters.one("stream") === undefined;
  return ok({
    body: {
      bearer: bearerOf(ports.coverage.holder),
      connectors,
      object: "schema",
      ...(isCompact ? { detail: "compact" } : {}),
      ...(isWhole ? {} : { connector_count: entries.length, stream_count: streamCount }),
      links: selfLink(request.request),
      meta: metaOf(request.warnings),
    },
  });
}

type Detail = "plain" | "compact" | "full";

function detailOf(parameters: Parameters): Result<Detail, PdppProblem> {
  const [view, detail] = [parameters.one("view"), parameters.one("detail")];
  if (view !== undefined && view !== "compact") {
    return fail(problem("invalid_request", "view is compact, or absent.", { param: "view" }));
  }
  if (detail === undefined) return ok(view ?? "plain");
  if (detail !== "compact" && detail !== "full") {
    return fail(problem("invalid_request", "detail is compact or full.", { param: "detail" }));
  }
  if (view !== undefined && detail !== view) {
    return fail(
      problem("invalid_request", "view=compact and detail=full say different things.", { param: "detail" }),
    );
  }
  if (detail === "full" && parameters.one("stream") === undefined) {
    return fail(
      problem("invalid_request", "detail=full is given of one stream: add stream.", { param: "detail" }),
    );
  }
  return ok(detail);
}

function schemaFeeds(
  { parameters, connectionId }: Parsed,
  { coverage }: ServerPorts,
): Result<readonly CoveredFeed[], PdppProblem> {
  const stream = parameters.one("stream");
  const found =
    stream === undefined
      ? feedsOfConnection(coverage, connectionId)
      : feedsOfStream(coverage, stream, connectionId);
  const connectorId = parameters.one("connector_id");
  if (!found.ok || connectorId === undefined) return found;
  const own = found.value.filter(
    (feed) => feed.connectorId === connectorId || feed.connectorKey === connectorId,
  );
  return own.length > 0
    ? ok(own)
    : fail(problem("not_found", "No such connector is covered.", { param: "connector_id" }));
}

/** Who reads, as schema documents say it. */
export function bearerOf(holder: Holder): object {
  switch (holder.kind) {
    case "client":
      return { scope: "grant", token_kind: "client", grant_id: holder.grantId, client_id: holder.tokenId };
    case "package":
      return {
        scope: "grant",
        token_kind: "mcp_package",
        grant_package_id: holder.packageId,
        client_id: holder.tokenId,
      };
    case "owner":
      return { scope: "owner", token_kind: "owner" };
  }
}

function connectorMembers({ feed, streams }: ConnectorEntry, described: readonly object[]): object {
  return {
    object: "connector",
    source: { id: feed.connectorId, kind: "connector" },
    stream_count: streams.length,
    streams: described,
    connector_key: feed.connectorKey,
    connector_id: feed.connectorId,
  };
}

function compactConnector(entry: ConnectorEntry, { coverage }: ServerPorts): object {
  return {
    ...connectorMembers(
      entry,
      entry.streams.map((stream) => compactStream(coverage, stream, entry)),
    ),
    granted_connections: grantedConnections(entry.feeds),
  };
}

async function fullConnectors(
  entries: readonly ConnectorEntry[],
  feeds: readonly CoveredFeed[],
  ports: ServerPorts,
): Promise<readonly object[]> {
  const states = await feedStates(feeds, false, ports);
  return entries.map((entry) =>
    connectorMembers(
      entry,
      entry.streams.map((stream) => ({
        ...fullStream(ports.coverage, stream, freshnessOf(stream.feeds.map((feed) => states.get(feed)))),
        granted_connections: grantedConnections(stream.feeds),
      })),
    ),
  );
}
