import { ok } from "../../../result.ts";
import { metaOf, selfLink, type ServerAnswer } from "../answer.ts";
import { feedsOfStream } from "../feeds.ts";
import type { Parsed } from "../parameters.ts";
import type { ServerPorts } from "../ports.ts";
import { groupsOf, groupsStatement, type Group } from "./groups.ts";
import {
  countOf,
  countStatement,
  distinctStatement,
  extremeOf,
  extremeStatement,
  sumOf,
  sumStatement,
} from "./metrics.ts";
import { parseQuery, type AggregateQuery } from "./query.ts";
import { shapesOf, type Shape } from "./scan.ts";
import { timeGroups } from "./time-groups.ts";

/** What the records come to: one value, or groups. */
type Outcome = { readonly total: number } & (
  | { readonly value: unknown }
  | { readonly groups: readonly Group[] }
);

/** `GET /v1/streams/{stream}/aggregate`: over all covered connections that have the stream, or over one. */
export async function answerAggregate(parsed: Parsed, ports: ServerPorts): Promise<ServerAnswer> {
  const { request, stream, parameters, connectionId, warnings } = parsed;
  const feeds = feedsOfStream(ports.coverage, stream, connectionId);
  if (!feeds.ok) return feeds;
  const read = parseQuery(parameters);
  if (!read.ok) return read;
  const query = read.value;
  const shapes = shapesOf(query, parameters.keyed("filter"), feeds.value);
  if (!shapes.ok) return shapes;
  const { total, ...rest } = await aggregate(query, shapes.value, ports);
  const shown = "groups" in rest ? rest.groups.reduce((sum, { count }) => sum + count, 0) : 0;
  return ok({
    body: {
      object: "aggregation",
      stream,
      metric: query.metric,
      field: query.field,
      group_by: query.groupBy,
      group_by_time: query.time?.field ?? null,
      granularity: query.time?.granularity ?? null,
      time_zone: query.time?.zoneName ?? null,
      ...rest,
      ...("groups" in rest ? { limit: query.limit, other_count: total - shown } : {}),
      filtered_record_count: total,
      approximate: query.metric === "sum" && "value" in rest && isRounded(rest.value),
      links: selfLink(request),
      meta: metaOf(warnings),
    },
  });
}

/** Whether a sum is one of doubles that have no room for its last digits; whole ones of 64 bits come out to the last. */
function isRounded(sum: unknown): boolean {
  return typeof sum === "number" && Math.abs(sum) > Number.MAX_SAFE_INTEGER;
}

async function aggregate(
  { metric, groupBy, time, limit }: AggregateQuery,
  shapes: readonly Shape[],
  { sql, bodies }: ServerPorts,
): Promise<Outcome> {
  if (time !== null) return timeGroups(shapes, time, limit ?? 0, sql);
  const counts = shapes.map(countStatement);
  const wanted = groupBy === null ? metricStatements(metric, shapes) : [groupsStatement(shapes, limit ?? 0)];
  const results = await sql.read([...counts, ...wanted]);
  const total = results.slice(0, counts.length).reduce((sum, rows) => sum + countOf(rows), 0);
  const rows = results.slice(counts.length);
  if (groupBy !== null) {
    return { total, groups: await groupsOf(shapes, rows[0] ?? [], total, limit ?? 0, bodies) };
  }
  switch (metric) {
    case "count":
      return { total, value: total };
    case "sum":
      return { total, value: sumOf(rows) };
    case "count_distinct":
      return { total, value: countOf(rows[0]) };
    case "min":
    case "max":
      return { total, value: await extremeOf(shapes, rows, metric, bodies) };
  }
}

function metricStatements(metric: AggregateQuery["metric"], shapes: readonly Shape[]) {
  switch (metric) {
    case "count":
      return [];
    case "sum":
      return shapes.map(sumStatement);
    case "count_distinct":
      return [distinctStatement(shapes)];
    case "min":
    case "max":
      return shapes.map((shape) => extremeStatement(shape, metric));
  }
}
