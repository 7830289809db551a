import { type ServerAnswer, wholeList } from "../answer.ts";
import { feedsOfConnection } from "../feeds.ts";
import type { Parsed } from "../parameters.ts";
import type { ServerPorts } from "../ports.ts";
import { type ConnectorEntry, connectorEntries, grantedConnections } from "./entries.ts";

/** `GET /v1/connectors`: which connectors there is something to read of. */
export async function answerConnectors(request: Parsed, ports: ServerPorts): Promise<ServerAnswer> {
  const feeds = feedsOfConnection(ports.coverage, request.connectionId);
  if (!feeds.ok) return feeds;
  const data = connectorEntries(ports.coverage, feeds.value).map(connectorObject);
  return wholeList(request, data);
}

function connectorObject({ feed, feeds, streams }: ConnectorEntry): object {
  return {
    object: "connector",
    source: { id: feed.connectorId, kind: "connector" },
    stream_count: streams.length,
    connector_key: feed.connectorKey,
    connector_id: feed.connectorId,
    ...(feed.connectorName === null ? {} : { display_name: feed.connectorName }),
    granted_connections: grantedConnections(feeds),
  };
}
