import { fail, ok } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { problem } from "../../problem.ts";
import { metaOf, selfLink, type ServerAnswer } from "../answer.ts";
import { coveredRows } from "../covered.ts";
import { mergedFeeds, soleFeed } from "../feeds.ts";
import type { Parsed } from "../parameters.ts";
import type { ServerPorts, Statement } from "../ports.ts";
import { giveRecords } from "./give.ts";
import { planRecord } from "./plan.ts";
import { orderColumns } from "./position.ts";
import { storedRecord } from "./stored.ts";

/** `GET /v1/streams/{stream}/records/{key}`: a record that several connections have is asked for with one of them. */
export async function answerRecord(request: Parsed, ports: ServerPorts): Promise<ServerAnswer> {
  const feeds = mergedFeeds(ports.coverage, request.stream, request.connectionId);
  if (!feeds.ok) return feeds;
  const answers = await ports.sql.read(feeds.value.map((feed) => recordStatement(feed, request.key)));
  const found = feeds.value.flatMap((feed, index) =>
    (answers[index] ?? []).map((row) => storedRecord(feed, row)),
  );
  const [record] = found;
  if (record === undefined) return fail(problem("not_found", "No such record is covered."));
  const sole = soleFeed(found.map(({ feed }) => feed));
  if (!sole.ok) return sole;
  const plan = planRecord(ports.coverage, record.feed, request.parameters);
  if (!plan.ok) return plan;
  const [object] = (await giveRecords([record], [plan.value], ports)).objects;
  if (object === undefined) return fail(problem("not_found", "No such record is covered."));
  return ok({
    body: {
      connector_key: record.feed.connectorKey,
      connection_id: record.feed.connectionId,
      ...object,
      links: selfLink(request.request),
      meta: metaOf(request.warnings),
    },
  });
}

function recordStatement(feed: CoveredFeed, key: string): Statement {
  const covered = coveredRows(feed);
  return {
    sql: `SELECT r.record_key, r.version, r.emitted_at, ${orderColumns(feed, "r")}, v.data_bytes FROM records r CROSS JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version WHERE ${covered.sql} AND r.record_key = ?`,
    values: [...covered.values, key],
  };
}
