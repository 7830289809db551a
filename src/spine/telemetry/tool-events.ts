import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { HOT_ROWS_MAX_COUNT } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { isCount } from "./counters.ts";
import type { HotFigures, HotLine } from "./hot-paths.ts";
import { isErrorCode, isPathName, isRecordedRequestId } from "./identifiers.ts";
import { isMethodName } from "./method-name.ts";

export const TOOL_OUTCOMES = ["ok", "error"] as const;

/** One finished call as the spine itself logs it, in the shape of seed 004's original. */
export interface ToolCallEvent {
  readonly event: "tool_call";
  readonly ts_unix_ms: number;
  /** Percent-encoded like every path here: see `pathName`. */
  readonly repo_root: string;
  readonly request_id: string | number;
  readonly tool_name: string;
  readonly lsp_method: string | null;
  readonly path_hint: string | null;
  readonly latency_ms: number;
  readonly replay_attempts: number;
  readonly outcome: (typeof TOOL_OUTCOMES)[number];
  readonly error_code: number | null;
  readonly error_kind: string | null;
  /** The shape has it, and nothing but null goes in: an error's text is the backend's. */
  readonly error_message: null;
}

export interface HotPathLine extends HotFigures {
  readonly path: string;
}

/** The most called and the slowest paths so far. */
export interface HotPathsSnapshotEvent {
  readonly event: "hot_paths_snapshot";
  readonly ts_unix_ms: number;
  readonly repo_root: string;
  readonly total_tool_events: number;
  readonly hottest_paths: readonly HotPathLine[];
  readonly slowest_paths: readonly HotPathLine[];
  /** Calls whose path has no row, where there are any. */
  readonly other_paths?: HotFigures;
}

export type ToolEvent = ToolCallEvent | HotPathsSnapshotEvent;

export type ToolEventProblem =
  | { readonly reason: "not_an_object" | "unknown_event" | "unknown_member" }
  | { readonly reason: "invalid_member"; readonly member: string };

/** A row of hot calls as the snapshot has it. */
export function hotPathLine({ key, ...figures }: HotLine): HotPathLine {
  return { path: key, ...figures };
}

/** Judges an event of the spine's own, and makes it anew in one order from what was checked. */
export function readToolEvent(value: unknown): Result<ToolEvent, ToolEventProblem> {
  if (!isRecord(value)) return fail({ reason: "not_an_object" });
  switch (memberOf(value, "event")) {
    case "tool_call":
      return readToolCall(value);
    case "hot_paths_snapshot":
      return readHotPathsSnapshot(value);
    default:
      return fail({ reason: "unknown_event" });
  }
}

/** The event as one line of JSON without its end. */
export function toolEventLine(event: unknown): Result<string, ToolEventProblem> {
  const read = readToolEvent(event);
  return read.ok ? ok(JSON.stringify(read.value)) : read;
}

/** How many tool events lie between two snapshots of the hot paths: at least one. */
export function readSnapshotEvery(value: unknown): Result<number, "invalid_snapshot_every"> {
  return isCount(value) && value >= 1 ? ok(value) : fail("invalid_snapshot_every");
}

/** Whether a snapshot falls due when the count of tool events goes from `before` to `after`. */
export function isSnapshotDue(before: number, after: number, every: number): boolean {
  return after - (after % every) > before;
}

const TOOL_CALL_MEMBERS = [
  "event",
  "ts_unix_ms",
  "repo_root",
  "request_id",
  "tool_name",
  "lsp_method",
  "path_hint",
  "latency_ms",
  "replay_attempts",
  "outcome",
  "error_code",
  "error_kind",
  "error_message",
] as const satisfies readonly (keyof ToolCallEvent)[];

function readToolCall(value: Record<string, unknown>): Result<ToolCallEvent, ToolEventProblem> {
  if (!hasOnly(value, TOOL_CALL_MEMBERS)) return fail({ reason: "unknown_member" });
  const ts = memberOf(value, "ts_unix_ms");
  if (!isCount(ts)) return invalid("ts_unix_ms");
  const root = memberOf(value, "repo_root");
  if (!isPathName(root)) return invalid("repo_root");
  const id = memberOf(value, "request_id");
  if (!isRecordedRequestId(id)) return invalid("request_id");
  const tool = memberOf(value, "tool_name");
  if (!isMethodName(tool)) return invalid("tool_name");
  const method = memberOf(value, "lsp_method");
  if (method !== null && !isMethodName(method)) return invalid("lsp_method");
  const path = memberOf(value, "path_hint");
  if (path !== null && !isPathName(path)) return invalid("path_hint");
  const latency = memberOf(value, "latency_ms");
  if (!isCount(latency)) return invalid("latency_ms");
  const replays = memberOf(value, "replay_attempts");
  if (!isCount(replays)) return invalid("replay_attempts");
  const outcome = TOOL_OUTCOMES.find((known) => known === memberOf(value, "outcome"));
  if (outcome === undefined) return invalid("outcome");
  const code = memberOf(value, "error_code");
  if (code !== null && !isErrorNumber(code, outcome)) return invalid("error_code");
  const kind = memberOf(value, "error_kind");
  if (kind !== null && (!isErrorCode(kind) || outcome === "ok")) return invalid("error_kind");
  if (memberOf(value, "error_message") !== null) return invalid("error_message");
  return ok({
    event: "tool_call",
    ts_unix_ms: ts,
    repo_root: root,
    request_id: id,
    tool_name: tool,
    lsp_method: method,
    path_hint: path,
    latency_ms: latency,
    replay_attempts: replays,
    outcome,
    error_code: code,
    error_kind: kind,
    error_message: null,
  });
}

const SNAPSHOT_MEMBERS = [
  "event",
  "ts_unix_ms",
  "repo_root",
  "total_tool_events",
  "hottest_paths",
  "slowest_paths",
  "other_paths",
] as const satisfies readonly (keyof HotPathsSnapshotEvent)[];

function readHotPathsSnapshot(
  value: Record<string, unknown>,
): Result<HotPathsSnapshotEvent, ToolEventProblem> {
  if (!hasOnly(value, SNAPSHOT_MEMBERS)) return fail({ reason: "unknown_member" });
  const ts = memberOf(value, "ts_unix_ms");
  if (!isCount(ts)) return invalid("ts_unix_ms");
  const root = memberOf(value, "repo_root");
  if (!isPathName(root)) return invalid("repo_root");
  const total = memberOf(value, "total_tool_events");
  if (!isCount(total)) return invalid("total_tool_events");
  const hottest = readPathLines(memberOf(value, "hottest_paths"));
  if (hottest === undefined) return invalid("hottest_paths");
  const slowest = readPathLines(memberOf(value, "slowest_paths"));
  if (slowest === undefined) return invalid("slowest_paths");
  const written = memberOf(value, "other_paths");
  const other = written === undefined ? undefined : readFigures(written, []);
  if (written !== undefined && other === undefined) return invalid("other_paths");
  return ok({
    event: "hot_paths_snapshot",
    ts_unix_ms: ts,
    repo_root: root,
    total_tool_events: total,
    hottest_paths: hottest,
    slowest_paths: slowest,
    ...(other === undefined ? {} : { other_paths: other }),
  });
}

function readPathLines(value: unknown): readonly HotPathLine[] | undefined {
  if (!isJsonArray(value) || value.length > HOT_ROWS_MAX_COUNT) return undefined;
  const lines: HotPathLine[] = [];
  for (const row of value) {
    const path = memberOf(row, "path");
    const figures = readFigures(row, ["path"]);
    if (!isPathName(path) || figures === undefined) return undefined;
    lines.push({ path, ...figures });
  }
  return lines;
}

const FIGURES = ["request_count", "error_count", "avg_latency_ms", "max_latency_ms"] as const;

function readFigures(value: unknown, beside: readonly string[]): HotFigures | undefined {
  if (!isRecord(value) || !hasOnly(value, [...FIGURES, ...beside])) return undefined;
  const figures = { request_count: 0, error_count: 0, avg_latency_ms: 0, max_latency_ms: 0 };
  for (const name of FIGURES) {
    const count = memberOf(value, name);
    if (!isCount(count)) return undefined;
    figures[name] = count;
  }
  return figures;
}

function isErrorNumber(value: unknown, outcome: ToolCallEvent["outcome"]): value is number {
  return outcome === "error" && typeof value === "number" && Number.isSafeInteger(value);
}

function hasOnly(value: Record<string, unknown>, members: readonly string[]): boolean {
  return Object.keys(value).every((key) => members.includes(key));
}

function invalid(member: string): Result<never, ToolEventProblem> {
  return fail({ reason: "invalid_member", member });
}
