import { fail, ok } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { metaOf, selfLink, type ServerAnswer, wholeList } from "../answer.ts";
import { ambiguousConnection, feedsOfConnection, feedsOfStream } from "../feeds.ts";
import type { Parsed } from "../parameters.ts";
import type { ServerPorts } from "../ports.ts";
import { connectionMembers } from "../records/record-object.ts";
import { connectorEntries, fullStream } from "./entries.ts";
import { type FeedState, feedStates, freshnessOf } from "./freshness.ts";

/** `GET /v1/streams`: each stream of each connection, with how many records of it may be read. */
export async function answerStreams(request: Parsed, ports: ServerPorts): Promise<ServerAnswer> {
  const feeds = feedsOfConnection(ports.coverage, request.connectionId);
  if (!feeds.ok) return feeds;
  const states = await feedStates(feeds.value, true, ports);
  const data = feeds.value.map((feed) => streamObject(feed, states.get(feed)));
  return wholeList(request, data);
}

function streamObject(feed: CoveredFeed, state: FeedState | undefined): object {
  return {
    last_updated: state?.lastUpdated ?? null,
    name: feed.stream.name,
    object: "stream",
    record_count: state?.recordCount ?? 0,
    ...connectionMembers(feed),
    freshness: freshnessOf([state]),
  };
}

/** `GET /v1/streams/{stream}`: one stream at length. */
export async function answerStream(request: Parsed, ports: ServerPorts): Promise<ServerAnswer> {
  const feeds = feedsOfStream(ports.coverage, request.stream, request.connectionId);
  if (!feeds.ok) return feeds;
  const entries = connectorEntries(ports.coverage, feeds.value).flatMap(({ streams }) => streams);
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) return fail(ambiguousConnection(feeds.value));
  const states = await feedStates(entry.feeds, false, ports);
  return ok({
    body: {
      ...fullStream(ports.coverage, entry, freshnessOf([...states.values()])),
      links: selfLink(request.request),
      meta: metaOf(request.warnings),
    },
  });
}
