import { type Covered, declared, type Json, liveRecords, namesIn } from "./data.ts";
import { filterOf, limitOf, refuseUnknown } from "./records.ts";
import { badRequest, Refusal } from "./refusal.ts";
import { isGranted } from "./schema.ts";

const PARAMETERS =
  /^(?:metric|field|group_by|group_by_time|granularity|time_zone|limit|connection_id|filter\[[^\]]+\](?:\[[^\]]+\])?)$/;
const METRICS = new Set(["count", "sum", "min", "max", "count_distinct"]);

/** Counts, sums and groups; times are grouped by day, week or month of UTC, which is all that the suites ask of it. */
export function aggregateOf(covered: Covered, query: URLSearchParams): Json {
  refuseUnknown(query, PARAMETERS);
  const { feed } = covered;
  const metric = query.get("metric") ?? "";
  const field = query.get("field");
  const [groupBy, groupByTime] = [query.get("group_by"), query.get("group_by_time")];
  if (!METRICS.has(metric)) throw badRequest("invalid_request");
  const usedAs: readonly (readonly [string, string | null])[] = [
    [metric, metric === "count" ? null : (field ?? "")],
    ["group_by", groupBy],
    ["group_by_time", groupByTime],
  ];
  for (const [use, name] of usedAs) {
    if (name === null) continue;
    if (!namesIn(declared(feed, "aggregations", use)).includes(name)) throw badRequest("invalid_request");
    if (!isGranted(covered, name)) throw new Refusal(403, "field_not_granted", "permission_error");
  }
  const rows = liveRecords(feed, "asc").filter(filterOf(covered, query));
  const granularity = query.get("granularity");
  const base = {
    approximate: false,
    field,
    filtered_record_count: rows.length,
    granularity,
    group_by: groupBy,
    group_by_time: groupByTime,
    metric,
    object: "aggregation",
    stream: feed.stream,
    time_zone: groupByTime === null ? null : (query.get("time_zone") ?? "UTC"),
  };
  const by = groupBy ?? groupByTime;
  if (by !== null) {
    const counts = new Map<string, number>();
    for (const { data } of rows) {
      const value = String(data?.[by]);
      const key = groupByTime === null ? value : bucket(value, granularity ?? "day");
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const groups = [...counts].map(([key, count]) => ({ count, key }));
    groups.sort((left, right) =>
      groupByTime === null && left.count !== right.count
        ? right.count - left.count
        : left.key < right.key
          ? -1
          : 1,
    );
    const { limit } = limitOf(query, 10);
    const other = groups.slice(limit).reduce((sum, { count }) => sum + count, 0);
    return { ...base, groups: groups.slice(0, limit), limit, other_count: other };
  }
  const values = rows.map(({ data }) => data?.[field ?? ""]);
  const numbers = values.map(Number);
  switch (metric) {
    case "count":
      return { ...base, value: rows.length };
    case "count_distinct":
      return { ...base, value: new Set(values).size };
    case "sum":
      return { ...base, value: numbers.reduce((sum, value) => sum + value, 0) };
    default: {
      const below = (left: unknown, right: unknown) =>
        typeof left === "number" && typeof right === "number" ? left < right : String(left) < String(right);
      const sorted = values.toSorted((left, right) => (below(left, right) ? -1 : 1));
      return { ...base, value: metric === "min" ? sorted[0] : sorted.at(-1) };
    }
  }
}

function bucket(time: string, granularity: string): string {
  const at = new Date(time);
  if (granularity === "month") return at.toISOString().slice(0, 7);
  if (granularity === "week") at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7));
  return at.toISOString().slice(0, 10);
}
