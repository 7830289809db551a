import { AGGREGATE_GROUPS_DEFAULT_COUNT, AGGREGATE_GROUPS_MAX_COUNT } from "../../../limits/records.ts";
import { fail, ok, type Result } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import type { AggregationDeclarations, FieldDeclaration, FieldKind } from "../../manifest/manifest.ts";
import { nameList } from "../../name-list.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { GRANULARITIES, type Granularity } from "../../time/buckets.ts";
import { ianaZone, type TimeZone } from "../../time/zones.ts";
import { readableField } from "../filter/filters.ts";
import type { Parameters } from "../parameters.ts";

const METRICS = ["count", "sum", "min", "max", "count_distinct"] as const;
export type Metric = (typeof METRICS)[number];

/** What is asked for, before any stream says whether it offers that. */
export interface AggregateQuery {
  readonly metric: Metric;
  readonly field: string | null;
  readonly groupBy: string | null;
  readonly time: TimeGrouping | null;
  /** Null without groups. */
  readonly limit: number | null;
}

export interface TimeGrouping {
  readonly field: string;
  readonly granularity: Granularity;
  readonly zoneName: string;
  readonly zone: TimeZone;
}

type Refusal = ReturnType<typeof refuse>;

function refuse(message: string, param: string) {
  return fail(problem("invalid_request", message, { param }));
}

export function parseQuery(parameters: Parameters): Result<AggregateQuery, PdppProblem> {
  const given = (name: string): string | null => parameters.one(name) || null;
  const metric = METRICS.find((known) => known === given("metric"));
  if (metric === undefined) return refuse(`metric is one of ${METRICS.join(", ")}.`, "metric");
  const [field, groupBy, groupByTime] = [given("field"), given("group_by"), given("group_by_time")];
  const grouped = groupBy ?? groupByTime;
  if (metric === "count" && field !== null) return refuse("count takes no field.", "field");
  if (metric !== "count" && field === null) return refuse(`${metric} takes a field.`, "field");
  if (metric !== "count" && grouped !== null) {
    return refuse(`${metric} has no groups: group_by and group_by_time go with count.`, "metric");
  }
  if (groupBy !== null && groupByTime !== null) {
    return refuse("group_by and group_by_time exclude each other.", "group_by_time");
  }
  const time = timeGrouping(groupByTime, given("granularity"), given("time_zone"));
  if (!time.ok) return time;
  const limit = groupLimit(given("limit"), grouped !== null);
  return limit.ok ? ok({ metric, field, groupBy, time: time.value, limit: limit.value }) : limit;
}

function timeGrouping(
  field: string | null,
  unit: string | null,
  zoneName: string | null,
): Result<TimeGrouping | null, PdppProblem> {
  if (field === null) {
    if (unit !== null) return refuse("granularity goes with group_by_time.", "granularity");
    return zoneName === null ? ok(null) : refuse("time_zone goes with group_by_time.", "time_zone");
  }
  const granularity = GRANULARITIES.find((known) => known === unit);
  if (granularity === undefined) {
    return refuse(`group_by_time takes a granularity: ${GRANULARITIES.join(", ")}.`, "granularity");
  }
  const zone = ianaZone(zoneName ?? "UTC");
  if (zone === undefined)
    return refuse("time_zone is a name of the IANA database: Europe/Berlin.", "time_zone");
  return ok({ field, granularity, zoneName: zoneName ?? "UTC", zone });
}

function groupLimit(text: string | null, grouped: boolean): Result<number | null, PdppProblem> {
  if (!grouped)
    return text === null ? ok(null) : refuse("limit goes with group_by and group_by_time.", "limit");
  if (text === null) return ok(AGGREGATE_GROUPS_DEFAULT_COUNT);
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= AGGREGATE_GROUPS_MAX_COUNT
    ? ok(limit)
    : refuse(`limit is a whole number from 1 to ${AGGREGATE_GROUPS_MAX_COUNT}.`, "limit");
}

const NUMERIC: readonly FieldKind[] = ["integer", "number"];
const TEMPORAL: readonly FieldKind[] = ["time", "date"];
const SCALAR: readonly FieldKind[] = [...NUMERIC, ...TEMPORAL, "text", "boolean"];

/** What a field must hold to be reckoned with, whatever a manifest declares; the schema says it too. */
export const AGGREGATED_KINDS = {
  sum: NUMERIC,
  min: [...NUMERIC, ...TEMPORAL],
  max: [...NUMERIC, ...TEMPORAL],
  groupBy: SCALAR,
  groupByTime: TEMPORAL,
  countDistinct: SCALAR,
} as const satisfies Readonly<Record<Exclude<keyof AggregationDeclarations, "count">, readonly FieldKind[]>>;

/** What a metric or a grouping asks of the one field that it is about. */
interface Demand {
  readonly name: string;
  readonly param: string;
  readonly what: string;
  readonly member: keyof typeof AGGREGATED_KINDS;
}

/** The one field that is read, null where records are only counted; or why this stream and grant do not offer it. */
export function fieldOf(
  query: AggregateQuery,
  feed: CoveredFeed,
): Result<FieldDeclaration | null, PdppProblem> {
  const { aggregations, name: stream } = feed.stream;
  if (aggregations === null) return refuse(`${stream} declares no aggregations.`, "metric");
  if (query.metric === "count" && !aggregations.count)
    return refuse(`${stream} declares no count.`, "metric");
  const demand = demandOf(query);
  if (demand === null) return ok(null);
  const found = readableField(feed, demand.name, demand.param);
  if (!found.ok) return found;
  const declared = aggregations[demand.member];
  const kinds: readonly FieldKind[] = AGGREGATED_KINDS[demand.member];
  if (declared.has(demand.name) && kinds.includes(found.value.kind)) return found;
  const granted = [...declared].filter((name) => feed.fields?.has(name) ?? true);
  return undeclared(demand, granted);
}

/** `granted` are the fields that it is declared for and that the grant covers. */
function undeclared({ what, name, param }: Demand, granted: readonly string[]): Refusal {
  const offer =
    granted.length === 0 ? "it is for no field that can be read" : `it is for ${nameList(granted)}`;
  return refuse(`${what} is not declared for ${name}: ${offer}.`, param);
}

function demandOf({ metric, field, groupBy, time }: AggregateQuery): Demand | null {
  if (groupBy !== null) {
    return { name: groupBy, param: "group_by", what: "group_by", member: "groupBy" };
  }
  if (time !== null) {
    const what = "group_by_time";
    return { name: time.field, param: what, what, member: "groupByTime" };
  }
  if (field === null) return null;
  const rest = { name: field, param: "field", what: metric };
  switch (metric) {
    case "sum":
    case "min":
    case "max":
      return { ...rest, member: metric };
    case "count_distinct":
      return { ...rest, member: "countDistinct" };
    case "count":
      return null;
  }
}
