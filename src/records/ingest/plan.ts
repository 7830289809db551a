import type { StreamForm, StreamManifest } from "../manifest/manifest.ts";
import { rowChanges } from "../manifest/row-changes.ts";
import { documentsOf, type FieldDocument } from "../search/documents.ts";
import { canonicalTime } from "../time/canonical-time.ts";
import type { DataLine, IngestLine, LineReport, LineStatus } from "./line.ts";
import { type ColumnValue, columnValues, consentTime, cursorValue, rowColumns } from "./row-values.ts";

/** A feed as a plan finds it. */
export interface FeedHead {
  readonly headVersion: number;
  readonly lastEmittedAt: string | null;
}

/** The newest version of a record; a tombstone has no hash. */
export interface NewestVersion {
  readonly version: number;
  readonly emittedAt: string;
  readonly hash: string | null;
}

export interface PlannedVersion {
  readonly version: number;
  readonly key: string;
  readonly emittedAt: string;
  readonly consentTime: string | null;
  /** Null for a tombstone. */
  readonly line: DataLine | null;
  readonly supersededBy: number | null;
}

export interface PlannedRow {
  readonly key: string;
  readonly version: number;
  readonly emittedAt: string;
  readonly cursorValue: ColumnValue;
  readonly consentTime: string | null;
  /** In the order of `rowColumns`. */
  readonly values: readonly ColumnValue[];
}

export interface PlannedDocument extends FieldDocument {
  readonly key: string;
  readonly consentTime: string | null;
}

/** Everything that one batch writes. Without versions there is nothing to write. */
export interface IngestPlan {
  readonly report: readonly LineReport[];
  readonly versions: readonly PlannedVersion[];
  /** Versions that were there, and that are not the newest of their record any more. */
  readonly superseded: readonly number[];
  /** Records that were live, and whose row and documents go. */
  readonly replacedKeys: readonly string[];
  readonly rows: readonly PlannedRow[];
  readonly documents: readonly PlannedDocument[];
  readonly headVersion: number;
  readonly lastEmittedAt: string | null;
  readonly countChange: number;
}

export interface PlanRequest extends FeedHead, StreamForm {
  /** The form that waits until all rows have it: new ones have both. */
  readonly next: StreamForm | null;
  /** Whether rows are being put in that form's order: nobody reads the order then. */
  readonly isReordered: boolean;
  /** By record key. */
  readonly newest: ReadonlyMap<string, NewestVersion>;
  readonly lines: readonly IngestLine[];
  readonly nowMs: number;
}

interface Step {
  readonly key: string;
  readonly emittedAt: string;
  readonly line: DataLine | null;
}

/**
 * What lines make of a feed, in their order: each that changes its record is a version. A line that says what the record is
 * already (data and emitted_at) changes nothing, and neither do the lines of a record whose last one says so: a batch that
 * is repeated, whatever it held, writes nothing twice. Pure.
 */
export function planIngest(request: PlanRequest): IngestPlan {
  const { stream, next, isReordered, headVersion, lastEmittedAt, newest, lines, nowMs } = request;
  const last = new Map(lines.map((line) => [line.key, line]));
  const standing = new Map(newest);
  const steps: (Step & { readonly version: number })[] = [];
  const report = lines.map((line): LineReport => {
    const state = standing.get(line.key);
    const isLive = state !== undefined && state.hash !== null;
    const outcome = last.get(line.key) ?? line;
    const isSettled = says(outcome, newest.get(line.key)) || says(line, state);
    if (isSettled || (line.kind === "delete" && !isLive))
      return { line: line.line, status: line.kind === "data" ? "unchanged" : "absent" };
    const version = headVersion + steps.length + 1;
    const emittedAt = line.emittedAt ?? new Date(nowMs).toISOString();
    steps.push({ version, key: line.key, emittedAt, line: line.kind === "data" ? line : null });
    standing.set(line.key, { version, emittedAt, hash: line.kind === "data" ? line.hash : null });
    return { line: line.line, status: statusOf(line, isLive) };
  });

  const superseded: number[] = [];
  const nextVersion = new Map<string, number>();
  const versions = steps
    .toReversed()
    .map(({ version, key, emittedAt, line }): PlannedVersion => {
      const supersededBy = nextVersion.get(key) ?? null;
      nextVersion.set(key, version);
      const time = line === null ? null : consentTime(stream, line.data);
      return { version, key, emittedAt, consentTime: time, line, supersededBy };
    })
    .toReversed();
  const replacedKeys: string[] = [];
  for (const key of nextVersion.keys()) {
    const before = newest.get(key);
    if (before === undefined) continue;
    superseded.push(before.version);
    if (before.hash !== null) replacedKeys.push(key);
  }

  const columns = rowColumns(request, next);
  const searched = next === null ? stream : searchedByBoth(request, next);
  const live = versions.filter(({ supersededBy }) => supersededBy === null);
  const rows: PlannedRow[] = [];
  const documents: PlannedDocument[] = [];
  for (const { key, version, emittedAt, consentTime: time, line } of live) {
    if (line === null) continue;
    rows.push({
      key,
      version,
      emittedAt,
      cursorValue: cursorValue(isReordered ? (next?.stream ?? stream) : stream, line.data),
      consentTime: time,
      values: columnValues(columns, line.data),
    });
    for (const document of documentsOf(searched, line.data))
      documents.push({ ...document, key, consentTime: time });
  }
  return {
    report,
    versions,
    superseded,
    replacedKeys,
    rows,
    documents,
    headVersion: headVersion + steps.length,
    lastEmittedAt: steps.reduce((latest, { emittedAt }) => later(latest, emittedAt), lastEmittedAt),
    countChange: rows.length - replacedKeys.length,
  };
}

function searchedByBoth(form: StreamForm, next: StreamForm): StreamManifest {
  const { lexicalFields } = form.stream;
  return { ...form.stream, lexicalFields: [...lexicalFields, ...rowChanges(form, next).lexicalFields] };
}

/** Whether a line says what the record is. A delete says nothing of when. */
function says(line: IngestLine, state: NewestVersion | undefined): boolean {
  if (state === undefined) return false;
  if (line.kind === "delete") return state.hash === null;
  return state.hash === line.hash && state.emittedAt === line.emittedAt;
}

function statusOf(line: IngestLine, isLive: boolean): LineStatus {
  if (line.kind === "delete") return "deleted";
  return isLive ? "updated" : "created";
}

function later(latest: string | null, emittedAt: string): string {
  const [before, now] = [canonicalTime(latest ?? "") ?? "", canonicalTime(emittedAt) ?? ""];
  return latest !== null && before >= now ? latest : emittedAt;
}
