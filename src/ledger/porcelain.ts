import { STATUS_NOTE_MAX_CHARS, STATUS_NOTES_MAX_LINES, STATUS_TABLE_MAX_LINES } from "../limits.ts";
import { SURFACE_BOUNDS } from "../spine/render/bounds.ts";
import { renderNotes } from "../spine/render/notes.ts";
import { renderJsonPorcelain } from "../spine/render/porcelain.ts";
import { renderTable } from "../spine/render/table.ts";
import type { CallTelemetry } from "../spine/telemetry/snapshot.ts";
import type { CatalogStatus, OperatorStatus, ToolFigures } from "./status.ts";

const BOUNDS = SURFACE_BOUNDS.ops.full;

/**
 * The status as text for a person: what is wrong first, then a section for each part, `name:` above it and a blank line
 * between. Every section is bounded, and says what it leaves out; `?render=json` has all.
 */
export function renderStatus(status: OperatorStatus): string {
  const { version, as_of: asOf, reasons, catalog } = status;
  const told = asOf === null ? "nothing told yet" : `as of ${asOf}`;
  return [
    [`loomgate ${version}: ${status.status}, ${told}`, ...noteLines(reasons)].join("\n"),
    ...(catalog === null ? [] : catalogSections(catalog)),
    section("servers", serverTable(status)),
    section("calls", callTable(status)),
    section("hottest tools", toolTable(status.tools.hottest)),
    section("slowest tools", toolTable(status.tools.slowest)),
    section("events", eventTable(status)),
    section("kept", renderJsonPorcelain(status.kept, BOUNDS)),
    section("ledger", renderJsonPorcelain(status.ledger, BOUNDS)),
  ].join("\n\n");
}

/** In their own order, the worst first: those stay where there are too many. */
function noteLines(reasons: readonly string[]): readonly string[] {
  const isWhole = reasons.length <= STATUS_NOTES_MAX_LINES;
  const shown = isWhole ? reasons : reasons.slice(0, STATUS_NOTES_MAX_LINES - 1);
  // One at a time, since notes that are given together come back in the order of code points.
  const rendered = shown.flatMap((reason) => renderNotes([reason], { maxChars: STATUS_NOTE_MAX_CHARS }));
  const lines = Array.from(new Set(rendered));
  return isWhole ? lines : [...lines, `… ${reasons.length - shown.length} note(s) omitted`];
}

/** The change by itself: a line each, since ids are what an operator looks for. */
function catalogSections({ diff, ...catalog }: CatalogStatus): readonly string[] {
  const figures = section("catalog", renderJsonPorcelain(catalog, BOUNDS));
  if (diff === undefined) return [figures];
  const { generation, added, removed, changed, replaced, omitted = 0 } = diff;
  const rows = [
    ...changed.map(({ id, change }) => [change, id]),
    ...replaced.map(({ id, was }) => ["replaced", `${was} by ${id}`]),
    ...removed.map((id) => ["removed", id]),
    ...added.map((id) => ["added", id]),
  ];
  const title =
    generation === null ? "change that was not published" : `last change, generation ${generation}`;
  const more = omitted > 0 ? [`… ${omitted} more`] : [];
  return [figures, section(title, [table(["change", "tool"], rows), ...more].join("\n"))];
}

function section(name: string, text: string): string {
  return `${name}:\n${text}`;
}

function table(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return renderTable(columns, rows, { maxLines: STATUS_TABLE_MAX_LINES, maxColumns: columns.length });
}

function serverTable({ servers }: OperatorStatus): string {
  // Where no server has any of a kind there is no column for it.
  const kinds = (["resources", "prompts"] as const).filter((kind) =>
    servers.some((server) => server[kind] !== undefined),
  );
  return table(
    [
      "server",
      "listing",
      "tools",
      ...kinds,
      "skipped",
      "findings",
      "state",
      "failures",
      "calls",
      "errors",
      "target",
      "generation",
      "other",
      "last fault",
    ],
    servers.map(
      ({ name, status, tools, skipped, finding_count, target, candidate, calls, health, ...of }) => [
        name,
        status,
        tools,
        ...kinds.map((kind) => of[kind] ?? 0),
        skipped,
        finding_count,
        health.state,
        health.consecutive_failures,
        calls.requests,
        calls.errors,
        target,
        health.generation,
        candidate?.comparison ?? candidate?.status,
        health.last_fault === undefined ? undefined : `${health.last_fault.class}/${health.last_fault.code}`,
      ],
    ),
  );
}

function callTable({ telemetry }: OperatorStatus): string {
  const rows = telemetry.methods.map((method) => callRow(method.method, method));
  const other = telemetry.other_methods === undefined ? [] : [callRow("(others)", telemetry.other_methods)];
  return table(
    ["call", "requests", "successes", "errors", "retries", "avg ms", "max ms", "last error"],
    [...rows, ...other],
  );
}

function callRow(name: string, calls: CallTelemetry): readonly unknown[] {
  return [
    name,
    calls.request_count,
    calls.success_count,
    calls.error_count,
    calls.retry_count,
    calls.avg_latency_ms,
    calls.max_latency_ms,
    calls.last_error,
  ];
}

function toolTable(rows: readonly ToolFigures[]): string {
  return table(
    ["tool", "calls", "errors", "avg ms", "max ms"],
    rows.map((row) => [row.tool, row.request_count, row.error_count, row.avg_latency_ms, row.max_latency_ms]),
  );
}

function eventTable({ events }: OperatorStatus): string {
  const { kept, oldest, newest, counts } = events;
  const window = kept === 0 ? "0 kept" : `${kept} kept, ${oldest} to ${newest}`;
  return `${window}\n${table(["event", "in all"], Object.entries(counts))}`;
}
