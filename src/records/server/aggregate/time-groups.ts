import {
  BUCKET_RANGES_MAX_COUNT,
  RANGES_MAX_COUNT,
  SEGMENTS_MAX_COUNT,
  YEARS_READ_MAX_COUNT,
} from "../../../limits/records.ts";
import {
  bucketKey,
  bucketRanges,
  bucketSql,
  isCalendar,
  type BucketRange,
  type Granularity,
} from "../../time/buckets.ts";
import { UNMOVED, UTC, type OffsetSegment, type TimeZone } from "../../time/zones.ts";
import type { Row, Sql, Statement } from "../ports.ts";
import type { Group } from "./groups.ts";
import { countOf, countStatement } from "./metrics.ts";
import type { TimeGrouping } from "./query.ts";
import { scanOf, type Scan, type Shape } from "./scan.ts";

export interface TimeGroups {
  readonly total: number;
  /** In order; the records without a time (`null`) come last. */
  readonly groups: readonly Group[];
}

/**
 * Counts by local time. Offsets and buckets are computed for the years that have records, which a first read tells; should a
 * record of another year come in between, it is read again.
 */
export async function timeGroups(
  shapes: readonly Shape[],
  time: TimeGrouping,
  limit: number,
  sql: Sql,
): Promise<TimeGroups> {
  const plans = shapes.map((shape) => planOf(shape, time));
  const yearReads = plans.filter(({ needsYears }) => needsYears).map(({ shape }) => yearStatement(shape));
  const years = new Set(yearsOf(await sql.read(yearReads)));
  for (let round = 1; ; round += 1) {
    const ascending = [...years].toSorted((a, b) => a - b);
    const counts = shapes.map(countStatement);
    const buckets = plans.flatMap((plan) => bucketStatements(plan, time.granularity, ascending, limit));
    const results = await sql.read([...counts, ...yearReads, ...buckets]);
    const seen = yearsOf(results.slice(counts.length, counts.length + yearReads.length));
    const isNew = seen.some((year) => !years.has(year));
    if (isNew && round < YEARS_READ_MAX_COUNT) {
      for (const year of seen) years.add(year);
      continue;
    }
    const total = results.slice(0, counts.length).reduce((sum, rows) => sum + countOf(rows), 0);
    return { total, groups: merged(results.slice(counts.length + yearReads.length), time, total, limit) };
  }
}

function merged(
  results: readonly (readonly Row[])[],
  { granularity }: TimeGrouping,
  total: number,
  limit: number,
): readonly Group[] {
  const counts = new Map<number, number>();
  let timed = 0;
  for (const rows of results) {
    timed += Number(rows[0]?.["s"] ?? 0);
    for (const { b, c } of rows) counts.set(Number(b), (counts.get(Number(b)) ?? 0) + Number(c));
  }
  const groups: Group[] = [...counts]
    .toSorted(([one], [other]) => one - other)
    .map(([bucket, count]) => ({ key: bucketKey(granularity, bucket), count }));
  if (total > timed) groups.push({ key: null, count: total - timed });
  return groups.slice(0, limit);
}

/** How a shape's records are counted. */
interface Plan {
  readonly shape: Shape;
  readonly scan: Scan;
  /** Null for what no zone moves. */
  readonly zone: TimeZone | null;
  readonly needsYears: boolean;
}

function planOf(shape: Shape, { zone, granularity }: TimeGrouping): Plan {
  const scan = scanOf(shape, "with value");
  // A plain date is no instant: no zone moves it to the day before.
  const moves = !zone.isUtc && shape.field?.kind !== "date";
  return {
    shape,
    scan,
    zone: moves ? zone : null,
    needsYears: moves || (scan.isByValue && isCalendar(granularity)),
  };
}

/**
 * Each bucket is a range of the time's index, if that is read and there are not too many; else each row's bucket is computed,
 * and they are sorted. A statement gives its first `limit` buckets, among which are all of the first `limit` overall that it
 * has; `s` counts the records of all its buckets.
 */
function bucketStatements(
  { scan, zone }: Plan,
  granularity: Granularity,
  years: readonly number[],
  limit: number,
): readonly Statement[] {
  const ranges = scan.isByValue
    ? bucketRanges(granularity, (zone ?? UTC).segmentsOf(years), BUCKET_RANGES_MAX_COUNT)
    : null;
  return ranges === null
    ? chunks(zone?.segmentsOf(years) ?? UNMOVED, SEGMENTS_MAX_COUNT).map((some) =>
        sortedBuckets(scan, granularity, some, limit),
      )
    : chunks(ranges, RANGES_MAX_COUNT).map((some) => rangedBuckets(scan, some, limit));
}

function rangedBuckets(
  { sql, values, value }: Scan,
  ranges: readonly BucketRange[],
  limit: number,
): Statement {
  return {
    sql: `WITH a AS MATERIALIZED (SELECT z.value ->> 2 AS b,
(SELECT count(*) ${sql} AND ${value} >= z.value ->> 0 AND ${value} < z.value ->> 1) AS c FROM json_each(?) z)
SELECT b, sum(c) AS c, (SELECT sum(c) FROM a) AS s FROM a WHERE c > 0 GROUP BY b ORDER BY b LIMIT ?`,
    values: [...values, JSON.stringify(ranges), limit],
  };
}

function sortedBuckets(
  { sql, values, value, hasColumn }: Scan,
  granularity: Granularity,
  segments: readonly OffsetSegment[],
  limit: number,
): Statement {
  // A value out of a body is long to say, and said often.
  const [k, before, from] = hasColumn
    ? [value, "", `${sql} AND`]
    : ["k", `m AS MATERIALIZED (SELECT ${value} AS k ${sql}), `, "FROM m WHERE"];
  const last = segments.at(-1);
  const cases = segments
    .slice(0, -1)
    .map(({ to, offsetSeconds }) => `WHEN ${k} < '${to}' THEN ${offsetSeconds}`);
  const lastOffset = String(last?.offsetSeconds ?? 0);
  const offset = cases.length === 0 ? lastOffset : `CASE ${cases.join(" ")} ELSE ${lastOffset} END`;
  return {
    // SQLite would round a fraction to milliseconds, and the last of a second into the next one.
    sql: `WITH ${before}a AS MATERIALIZED (SELECT ${bucketSql(granularity, "x")} AS b, count(*) AS c
FROM (SELECT unixepoch(substr(${k}, 1, 19)) + ${offset} AS x ${from} ${k} >= ? AND ${k} < ?) GROUP BY b)
SELECT b, c, (SELECT sum(c) FROM a) AS s FROM a ORDER BY b LIMIT ?`,
    values: [...values, segments[0]?.from ?? "", last?.to ?? "", limit],
  };
}

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The UTC years that have records, one look-up a year where there is a column. Of whole feeds: no number comes of them. */
function yearStatement(shape: Shape): Statement {
  const { field, feeds } = shape;
  const slot = field === null ? undefined : feeds[0].slots.get(field.name);
  if (slot === undefined) {
    const { sql, values, value } = scanOf(shape, "with value");
    return { sql: `SELECT DISTINCT substr(${value}, 1, 4) AS y ${sql}`, values };
  }
  const first = (feed: string, condition: string): string =>
    `(SELECT r.${slot} FROM records r INDEXED BY records_by_${slot} WHERE r.feed_id = ${feed} AND r.${slot} ${condition} ORDER BY r.${slot} LIMIT 1)`;
  return {
    sql: `WITH RECURSIVE y (f, d) AS (SELECT z.value, ${first("z.value", "IS NOT NULL")} FROM json_each(?) z
UNION ALL SELECT y.f, ${first("y.f", ">= printf('%04d', substr(y.d, 1, 4) + 1)")} FROM y WHERE y.d < '9999')
SELECT DISTINCT substr(d, 1, 4) AS y FROM y WHERE d IS NOT NULL`,
    values: [JSON.stringify(feeds.map(({ feedId }) => feedId))],
  };
}

function yearsOf(results: readonly (readonly Row[])[]): readonly number[] {
  return [...new Set(results.flatMap((rows) => rows.map((row) => Number(row["y"]))))];
}
