import { compareCodePoints } from "../../code-points.ts";
import {
  HOT_PATHS_EVICTION_SHARE_COUNT,
  HOT_PATHS_MAX_COUNT,
  HOT_ROWS_MAX_COUNT,
} from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { wholeQuotient } from "./aggregate.ts";
import { addChecked, type CounterExhausted, isCount } from "./counters.ts";
import { isPathName } from "./identifiers.ts";

/** Calls under one key, or under none. Times are whole milliseconds. */
export interface HotCount {
  readonly requests: number;
  readonly errors: number;
  readonly totalLatencyMs: number;
  readonly maxLatencyMs: number;
}

/**
 * Which keys are called most and answer slowest: paths, tools, whatever is named. At most {@link HOT_PATHS_MAX_COUNT}
 * keys have a row. When another comes, the least called rows make room, and their calls go to `other`, as do calls
 * without a key; so the rows and `other` always make up every call, and a row counts its key since it was last let in.
 * While `other` is empty the rows are complete.
 */
export interface HotPaths {
  readonly rows: ReadonlyMap<string, HotCount>;
  readonly other: HotCount;
}

/** One finished call. A key that is none (null, too long, no path) is counted without its name. */
export interface HotCall {
  readonly key: string | null;
  readonly latencyMs: number;
  readonly failed: boolean;
}

/** A row as it is shown. */
export interface HotLine extends HotFigures {
  readonly key: string;
}

export interface HotFigures {
  readonly request_count: number;
  readonly error_count: number;
  /** Whole milliseconds, what is left over dropped. */
  readonly avg_latency_ms: number;
  readonly max_latency_ms: number;
}

export type HotProblem = CounterExhausted | { readonly reason: "invalid_latency" };

export const NO_HOT_CALLS: HotCount = Object.freeze({
  requests: 0,
  errors: 0,
  totalLatencyMs: 0,
  maxLatencyMs: 0,
});

export const NO_HOT_PATHS: HotPaths = Object.freeze({ rows: new Map(), other: NO_HOT_CALLS });

/** Counts calls in their order, all of them or none. */
export function recordHotCalls(paths: HotPaths, calls: readonly HotCall[]): Result<HotPaths, HotProblem> {
  const rows = new Map(paths.rows);
  let { other } = paths;
  for (const { key, latencyMs, failed } of calls) {
    if (!isCount(latencyMs)) return fail({ reason: "invalid_latency" });
    const call = { requests: 1, errors: failed ? 1 : 0, totalLatencyMs: latencyMs, maxLatencyMs: latencyMs };
    const named = isPathName(key) ? key : null;
    if (named !== null && !rows.has(named) && rows.size >= HOT_PATHS_MAX_COUNT) {
      const kept = makeRoom(rows, other);
      if (!kept.ok) return kept;
      other = kept.value;
    }
    const sum = addHot(named === null ? other : (rows.get(named) ?? NO_HOT_CALLS), call);
    if (!sum.ok) return sum;
    if (named === null) other = sum.value;
    else rows.set(named, sum.value);
  }
  return ok({ rows, other });
}

/** Every call there is, with and without a row. */
export function totalHotCalls(paths: HotPaths): Result<number, CounterExhausted> {
  let total = paths.other.requests;
  for (const { requests } of paths.rows.values()) {
    const sum = addChecked("request_count", total, requests);
    if (!sum.ok) return sum;
    total = sum.value;
  }
  return ok(total);
}

/** The most called: by calls, then by the longest latency, both falling, then by key. */
export function hottest(paths: HotPaths, limit: number = HOT_ROWS_MAX_COUNT): readonly HotLine[] {
  return ranked(paths, byHeat, limit);
}

/** The slowest on average: by average, then by calls, both falling, then by key. */
export function slowest(paths: HotPaths, limit: number = HOT_ROWS_MAX_COUNT): readonly HotLine[] {
  return ranked(paths, bySlowness, limit);
}

/** Calls without a row of their own, or nothing while every call has one. */
export function otherHotCalls(paths: HotPaths): HotFigures | undefined {
  return paths.other.requests === 0 ? undefined : figuresOf(paths.other);
}

/** Moves the least called rows out, and gives what they and `other` come to. */
function makeRoom(rows: Map<string, HotCount>, other: HotCount): Result<HotCount, CounterExhausted> {
  const coldest = lines(rows)
    .sort(byHeat)
    .slice(-Math.ceil(rows.size / HOT_PATHS_EVICTION_SHARE_COUNT));
  let sum = other;
  for (const { key } of coldest) {
    const added = addHot(sum, rows.get(key) ?? NO_HOT_CALLS);
    if (!added.ok) return added;
    sum = added.value;
    rows.delete(key);
  }
  return ok(sum);
}

function addHot(count: HotCount, more: HotCount): Result<HotCount, CounterExhausted> {
  const requests = addChecked("request_count", count.requests, more.requests);
  if (!requests.ok) return requests;
  const total = addChecked("total_latency_ms", count.totalLatencyMs, more.totalLatencyMs);
  if (!total.ok) return total;
  return ok({
    requests: requests.value,
    // Never more than the requests, which were just found to fit.
    errors: count.errors + more.errors,
    totalLatencyMs: total.value,
    maxLatencyMs: Math.max(count.maxLatencyMs, more.maxLatencyMs),
  });
}

function ranked(
  paths: HotPaths,
  compare: (left: HotLine, right: HotLine) => number,
  limit: number,
): readonly HotLine[] {
  return lines(paths.rows).sort(compare).slice(0, limit);
}

function lines(rows: ReadonlyMap<string, HotCount>): HotLine[] {
  return Array.from(rows, ([key, count]) => lineOf(key, count));
}

function lineOf(key: string, count: HotCount): HotLine {
  return { key, ...figuresOf(count) };
}

function figuresOf(count: HotCount): HotFigures {
  return {
    request_count: count.requests,
    error_count: count.errors,
    avg_latency_ms: wholeQuotient(count.totalLatencyMs, count.requests),
    max_latency_ms: count.maxLatencyMs,
  };
}

function byHeat(left: HotLine, right: HotLine): number {
  return (
    right.request_count - left.request_count ||
    right.max_latency_ms - left.max_latency_ms ||
    compareCodePoints(left.key, right.key)
  );
}

function bySlowness(left: HotLine, right: HotLine): number {
  return (
    right.avg_latency_ms - left.avg_latency_ms ||
    right.request_count - left.request_count ||
    compareCodePoints(left.key, right.key)
  );
}
