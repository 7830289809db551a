import { VIEW_BYTES_DEFAULT_BYTES, VIEW_MAX_BYTES } from "../../../limits.ts";
import { ok, type Result } from "../../../result.ts";
import { atBoundary, decodeUtf8, utf8Bytes } from "../../result/utf8.ts";
import { gridCells } from "../../summary/table/grid-lines.ts";
import { shownNames } from "../names.ts";
import { bytesFrom, type TextShape, textView, type View, viewProblem, type ViewProblem } from "../plan.ts";
import {
  type AnyRecords,
  fieldsOf,
  recordOf,
  recordsOf,
  type RecordSpan,
  type TableForm,
} from "./records.ts";
import { appliedRows, behindRows, rowsFrom, type RowsSelector, windowOf, type RowWindow } from "./window.ts";

/** What the read begins with: the artifact itself, or a row in the middle of a large one. */
export interface TableStart {
  readonly delimiter: TableForm;
  /** The number of the row that begins at the read's first byte; `undefined` for the header. */
  readonly row: number | undefined;
  /** Of the columns asked for, where the header was read before. */
  readonly positions: readonly number[] | undefined;
}

/**
 * Rows of a table: the header, if it was read, then the rows as they were written, or of each the columns asked for. Row 0
 * follows the header, which every table is taken to have.
 */
export function tableRows(
  shape: TextShape,
  selector: RowsSelector,
  bytes: Uint8Array,
  begun: TableStart,
): Result<View, ViewProblem> {
  const { delimiter } = begun;
  const offset = selector.offset ?? 0;
  const isLast = offset + bytes.length >= shape.sizeBytes;
  const isWhole = begun.row === undefined && isLast;
  const textOf = ({ start, end }: RecordSpan): string => decodeUtf8(bytes.subarray(start, end));
  const scanner = recordsOf(bytes, delimiter, isLast);
  const header = begun.row === undefined ? scanner.next() : undefined;
  if (begun.row === undefined && header === undefined && !isLast) return tooLong();
  if (header !== undefined && delimiter === "pipe") passRule(scanner, textOf);
  const names = header === undefined ? [] : cellsOf(textOf(header).replace(/^\uFEFF/, ""), delimiter);
  const positions = begun.positions ?? selector.columns?.map((column) => names.indexOf(column));
  const missing = positions?.indexOf(-1) ?? -1;
  if (positions !== undefined && missing >= 0) return noColumn(names.filter((name) => name !== ""));
  const pick = (fields: readonly string[], places: readonly number[]): string =>
    recordOf(
      places.map((place) => fields[place] ?? ""),
      delimiter,
    );
  const rendered = (record: RecordSpan): string =>
    positions === undefined ? textOf(record) : pick(cellsOf(textOf(record), delimiter), positions);
  const total = isWhole ? countFrom(bytes, delimiter, scanner.at) : undefined;
  const window = windowOf(selector, total);
  if (window === undefined) return noEnd(shape);
  const behind = behindRows(selector, total);
  if (behind !== undefined) return behind;

  let row = begun.row ?? 0;
  const resumed = (at: number): { readonly offset: number; readonly resume: string } | undefined => {
    if (isWhole) return undefined;
    const columns = positions === undefined ? "" : `:${positions.join(",")}`;
    return { offset: offset + at, resume: `${delimiter}:${row}${columns}` };
  };
  while (row < window.start && scanner.next() !== undefined) row += 1;
  if (row < window.start)
    return furtherOn(shape, selector, window, row, isLast ? undefined : resumed(scanner.at));
  const shown: string[] = [];
  const headerText = positions === undefined ? header && textOf(header) : header && pick(names, positions);
  const top = headerText === undefined ? "" : headerOf(headerText);
  let room = VIEW_MAX_BYTES - utf8Bytes(top);
  while (row < window.end) {
    const at = scanner.at;
    const record = scanner.next();
    if (record === undefined) {
      if (shown.length === 0 && !isLast && at === 0) return tooLong();
      break;
    }
    const text = rendered(record);
    const size = utf8Bytes(text);
    if (size > room) {
      if (shown.length === 0) return asBytes(shape, bytes, offset, record.start);
      scanner.at = at;
      break;
    }
    room -= size;
    shown.push(text);
    row += 1;
  }
  const atEnd = isLast && scanner.at >= bytes.length;
  const next = atEnd ? undefined : rowsFrom(selector, window, row, resumed(scanner.at));
  const applied = appliedRows(selector, window.start, row);
  return ok(textView(shape, top + shown.join(""), applied, next, total));
}

/** Fields, and where bars stand between them what is in them: Markdown's tables have spaces around it. */
function cellsOf(record: string, delimiter: TableForm): readonly string[] {
  if (delimiter === "grid" || delimiter === "frame") return gridCells(record, delimiter) ?? [];
  const fields = fieldsOf(record, delimiter);
  return delimiter === "pipe" ? fields.map((field) => field.trim()) : fields;
}

/** Goes by the line of dashes below the header of Markdown's tables: it is no row. */
function passRule(scanner: AnyRecords, textOf: (record: RecordSpan) => string): void {
  const { at } = scanner;
  const record = scanner.next();
  if (record !== undefined && isRule(textOf(record))) return;
  scanner.at = at;
}

function isRule(record: string): boolean {
  return record.includes("|") && record.includes("-") && /^[-|: \t\r\n]+$/.test(record);
}

/** A header that would take half of every answer is left to whoever asks for it. */
function headerOf(text: string): string {
  if (utf8Bytes(text) > VIEW_MAX_BYTES / 2) return "";
  return text.endsWith("\n") ? text : `${text}\n`;
}

function countFrom(bytes: Uint8Array, delimiter: TableForm, at: number): number {
  const scanner = recordsOf(bytes, delimiter, true, at);
  let count = 0;
  while (scanner.next() !== undefined) count += 1;
  return count;
}

/** The row asked for is behind what one read holds. */
function furtherOn(
  shape: TextShape,
  selector: RowsSelector,
  window: RowWindow,
  row: number,
  resume: { readonly offset: number; readonly resume: string } | undefined,
): Result<View, ViewProblem> {
  if (resume === undefined && selector.resume !== undefined) {
    // Whoever followed `next` is told in an answer, as its end.
    const text = `the table ends before row ${window.start}: it has ${row} rows`;
    return ok(textView(shape, text, appliedRows(selector, row, row), undefined));
  }
  if (resume === undefined) return behindRows(selector, row) ?? tooLong();
  if (resume.offset === (selector.offset ?? 0)) return tooLong();
  const text = `row ${window.start} is further on: ${row} rows passed`;
  const next = rowsFrom(selector, window, window.start, resume);
  return ok(textView(shape, text, appliedRows(selector, window.start, window.start), next));
}

/** A row too long for an answer, as it was written, from its beginning. */
export function asBytes(
  shape: TextShape,
  bytes: Uint8Array,
  offset: number,
  start: number,
): Result<View, ViewProblem> {
  const cut = atBoundary(bytes, Math.min(start + VIEW_MAX_BYTES, bytes.length));
  const applied = { type: "bytes", offset: offset + start, length: cut - start } as const;
  return ok(textView(shape, bytes.subarray(start, cut), applied, bytesFrom(shape, offset + cut)));
}

function noColumn(names: readonly string[]): Result<never, ViewProblem> {
  return viewProblem(
    "the table has no such column",
    [{ type: "rows", start: 0, end: 10 }],
    shownNames(names),
  );
}

export function tooLong(): Result<never, ViewProblem> {
  return viewProblem("a row is longer than one read", ["bytes", "grep"]);
}

/** What shows the end all the same: lines, or bytes where all is in a few long lines. */
export function noEnd(shape: TextShape): Result<never, ViewProblem> {
  const last = Math.max(0, shape.sizeBytes - VIEW_BYTES_DEFAULT_BYTES);
  const hasLines = shape.lines * VIEW_MAX_BYTES >= shape.sizeBytes;
  return viewProblem("the artifact is too large to count its rows from the end", [
    hasLines
      ? { type: "lines", start: -10 }
      : { type: "bytes", offset: last, length: VIEW_BYTES_DEFAULT_BYTES },
    { type: "rows", start: 0, end: 10 },
  ]);
}
