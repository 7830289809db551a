import { compareCodePoints } from "../../code-points.ts";
import { isJsonArray, memberOf } from "../../json.ts";
import { HOT_PATHS_MAX_COUNT } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { isCount } from "./counters.ts";
import type { HotCount, HotPaths } from "./hot-paths.ts";
import { isPathName } from "./identifiers.ts";

export const HOT_PATHS_FORMAT_VERSION = 1;

interface StoredCount {
  readonly requests: number;
  readonly errors: number;
  readonly total_latency_ms: number;
  readonly max_latency_ms: number;
}

interface StoredRow extends StoredCount {
  readonly key: string;
}

/** The rows as plain JSON, for whoever stores them. */
export interface StoredHotPaths {
  readonly format_version: typeof HOT_PATHS_FORMAT_VERSION;
  /** By key in the order of code points, so that equal rows are equal bytes. */
  readonly rows: readonly StoredRow[];
  readonly other: StoredCount;
}

/** Writes the rows; `readHotPaths` is the inverse. */
export function writeHotPaths(paths: HotPaths): StoredHotPaths {
  return {
    format_version: HOT_PATHS_FORMAT_VERSION,
    rows: [...paths.rows]
      .sort(([left], [right]) => compareCodePoints(left, right))
      .map(([key, count]) => writeRow(key, count)),
    other: writeCount(paths.other),
  };
}

function writeRow(key: string, count: HotCount): StoredRow {
  return { key, ...writeCount(count) };
}

function writeCount(count: HotCount): StoredCount {
  return {
    requests: count.requests,
    errors: count.errors,
    total_latency_ms: count.totalLatencyMs,
    max_latency_ms: count.maxLatencyMs,
  };
}

/** Reads the rows back, all of them or none. */
export function readHotPaths(
  value: unknown,
): Result<HotPaths, "unknown_format_version" | "invalid_rows" | "invalid_other"> {
  if (memberOf(value, "format_version") !== HOT_PATHS_FORMAT_VERSION) return fail("unknown_format_version");
  const stored = memberOf(value, "rows");
  if (!isJsonArray(stored) || stored.length > HOT_PATHS_MAX_COUNT) return fail("invalid_rows");
  const rows = new Map<string, HotCount>();
  for (const row of stored) {
    const key = memberOf(row, "key");
    const count = readCount(row);
    if (!isPathName(key) || rows.has(key) || count === undefined || count.requests === 0) {
      return fail("invalid_rows");
    }
    rows.set(key, count);
  }
  const other = readCount(memberOf(value, "other"));
  return other === undefined ? fail("invalid_other") : ok({ rows, other });
}

function readCount(value: unknown): HotCount | undefined {
  const requests = memberOf(value, "requests");
  const errors = memberOf(value, "errors");
  const total = memberOf(value, "total_latency_ms");
  const max = memberOf(value, "max_latency_ms");
  if (!isCount(requests) || !isCount(errors) || !isCount(total) || !isCount(max)) return undefined;
  if (errors > requests || max > total || BigInt(total) > BigInt(max) * BigInt(requests)) return undefined;
  return { requests, errors, totalLatencyMs: total, maxLatencyMs: max };
}
