import { canonicalSecond, type OffsetSegment } from "./zones.ts";

/** Calendar units; weeks begin on Monday. */
export const GRANULARITIES = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

const UNIT_SECONDS = { minute: 60, hour: 3_600, day: 86_400, week: 604_800 } as const;
/** The Monday before the year -1 ends: from there on no local time is negative, and SQL's division rounds as it should. */
const BASE_SECONDS = 719_533 * 86_400;

/**
 * The number of the bucket that a local time is in, in SQL. `seconds` is the SQL of its seconds since 1970 by local clocks.
 * Buckets sort as time does. SQLite's calendar ends with the year 9999, beyond which a zone reaches by hours.
 */
export function bucketSql(granularity: Granularity, seconds: string): string {
  const part = (format: string) => `CAST(strftime('${format}', ${seconds}, 'unixepoch') AS INTEGER)`;
  switch (granularity) {
    case "month":
      return `coalesce(${part("%Y%m")}, 1000001)`;
    case "quarter":
      return `coalesce(${part("%Y")} * 4 + (${part("%m")} - 1) / 3, 40000)`;
    case "year":
      return `coalesce(${part("%Y")}, 10000)`;
    case "minute":
    case "hour":
    case "day":
    case "week":
      return `(${seconds} + ${BASE_SECONDS}) / ${UNIT_SECONDS[granularity]}`;
  }
}

/** Canonical times: from, before; and the number of the bucket that they are in. */
export type BucketRange = readonly [from: string, to: string, bucket: number];

/** Whether the unit is a day or longer. */
export function isCalendar(granularity: Granularity): boolean {
  return granularity !== "minute" && granularity !== "hour";
}

/** The segments cut where buckets end; null for units below a day and where that makes more than `maxCount` ranges. */
export function bucketRanges(
  granularity: Granularity,
  segments: readonly OffsetSegment[],
  maxCount: number,
): readonly BucketRange[] | null {
  if (!isCalendar(granularity)) return null;
  const ranges: BucketRange[] = [];
  for (const { from, to, offsetSeconds } of segments) {
    for (let at = from; at < to;) {
      if (ranges.length === maxCount) return null;
      const local = Date.parse(`${at}Z`) / 1000 + offsetSeconds;
      const [bucket, next] = bucketAt(granularity, local);
      const end = canonicalSecond(next - offsetSeconds);
      ranges.push([at, end < to ? end : to, bucket]);
      at = end;
    }
  }
  return ranges;
}

/** The bucket of a local time, and the local second that begins the next one. */
function bucketAt(granularity: Granularity, local: number): readonly [bucket: number, next: number] {
  if (granularity === "day" || granularity === "week") {
    const unit = UNIT_SECONDS[granularity];
    const bucket = Math.floor((local + BASE_SECONDS) / unit);
    return [bucket, (bucket + 1) * unit - BASE_SECONDS];
  }
  const date = new Date(local * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const first = (year: number, month: number): number => new Date(0).setUTCFullYear(year, month, 1) / 1000;
  if (granularity === "year") return [year, first(year + 1, 0)];
  const quarter = Math.floor(month / 3);
  if (granularity === "quarter") return [year * 4 + quarter, first(year, quarter * 3 + 3)];
  return [year * 100 + (year < 0 ? -1 : 1) * (month + 1), first(year, month + 1)];
}

/** The bucket's beginning by local clocks: `2026-01-01T10:05`, `2026-01-01T10:00`, `2026-01-01`. */
export function bucketKey(granularity: Granularity, bucket: number): string {
  switch (granularity) {
    case "month":
      // December of the year -1 is -112.
      return dayKey(Math.trunc(bucket / 100), Math.abs(bucket) % 100);
    case "quarter":
      return dayKey(Math.floor(bucket / 4), (bucket - Math.floor(bucket / 4) * 4) * 3 + 1);
    case "year":
      return dayKey(bucket, 1);
    case "minute":
    case "hour":
    case "day":
    case "week": {
      const start = new Date((bucket * UNIT_SECONDS[granularity] - BASE_SECONDS) * 1000);
      const day = dayKey(start.getUTCFullYear(), start.getUTCMonth() + 1, start.getUTCDate());
      if (granularity === "day" || granularity === "week") return day;
      return `${day}T${padded(start.getUTCHours())}:${padded(start.getUTCMinutes())}`;
    }
  }
}

function dayKey(year: number, month: number, day = 1): string {
  const digits = String(Math.abs(year)).padStart(4, "0");
  return `${year < 0 ? "-" : ""}${digits}-${padded(month)}-${padded(day)}`;
}

function padded(part: number): string {
  return String(part).padStart(2, "0");
}
