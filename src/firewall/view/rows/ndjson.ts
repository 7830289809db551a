import { VIEW_MAX_BYTES, VIEW_ROWS_PROJECTED_READ_BYTES } from "../../../limits.ts";
import { ok, type Result } from "../../../result.ts";
import { indexStep, startNear } from "../../artifacts/line-index.ts";
import { skipLines } from "../lines.ts";
import { documentStart, Room, skipSpace } from "../json/scan.ts";
import { NEWLINE, type TextShape, textView, type View, type ViewPlan, type ViewProblem } from "../plan.ts";
import { ElementWriter } from "./project.ts";
import { asBytes, tooLong } from "./table.ts";
import { appliedRows, behindRows, rowsFrom, type RowsSelector, type RowWindow, windowOf } from "./window.ts";

/** What `resume` says where a read in the middle cannot see that lines are JSON. */
const RESUME = "ndjson";

/** Rows of newline-delimited JSON: each line is one, so that the line index finds them in a text of any size. */
export function planNdjson(shape: TextShape, selector: RowsSelector): Result<ViewPlan, ViewProblem> {
  const { lines, lineIndex, sizeBytes } = shape;
  const behind = behindRows(selector, lines);
  if (behind !== undefined) return behind;
  // All is known from the start, so the window always is.
  const window = windowOf(selector, lines) ?? { start: 0, end: 0, total: lines };
  const near = startNear(lineIndex, window.start);
  const reach =
    indexStep(sizeBytes) +
    (selector.columns === undefined ? 2 * VIEW_MAX_BYTES : VIEW_ROWS_PROJECTED_READ_BYTES);
  const isEmpty = window.start >= window.end;
  return ok({
    offset: isEmpty ? 0 : near.offset,
    length: isEmpty ? 0 : Math.max(0, Math.min(reach, sizeBytes - near.offset)),
    finish: (bytes) =>
      ndjsonRows(shape, selector, window, bytes, {
        offset: near.offset,
        skip: window.start - near.line,
        isFirst: false,
      }),
  });
}

/** The same from bytes that begin at `offset`, with so many lines before the window's first. */
export function ndjsonRows(
  shape: TextShape,
  selector: RowsSelector,
  window: RowWindow,
  bytes: Uint8Array,
  from: { readonly offset: number; readonly skip: number; readonly isFirst: boolean },
): Result<View, ViewProblem> {
  const isLast = from.offset + bytes.length >= shape.sizeBytes;
  const writer = new ElementWriter(selector.columns);
  const room = new Room(VIEW_MAX_BYTES);
  let at = bytes.length === 0 ? 0 : skipLines(bytes, from.skip);
  let row = window.start;
  while (row < window.end && at < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0 && !isLast) break;
    const end = newline < 0 ? bytes.length : newline;
    // An empty line is a row of nothing, or lines and rows would be numbered apart.
    const isBlank = skipSpace(bytes, at) >= end;
    const begin = from.offset + at === 0 ? documentStart(bytes) : at;
    const line = isBlank ? EMPTY : writer.write(bytes.subarray(Math.min(begin, end), end));
    if (line === undefined || line.length > room.left) {
      if (row === window.start) return asBytes(shape, bytes, from.offset, at);
      break;
    }
    room.put(line);
    at = end + 1;
    row += 1;
  }
  const isNone = row === window.start && row < window.end;
  if (isNone && at < bytes.length) return asBytes(shape, bytes, from.offset, at);
  // The index leads to the row, unless it was lost.
  if (isNone && !from.isFirst) return tooLong();
  const next = rowsFrom(selector, window, row, undefined);
  const marked = next?.type === "rows" ? { ...next, resume: RESUME } : undefined;
  const text = isNone ? `row ${row} is further on` : room.take();
  const applied = appliedRows(selector, window.start, row);
  const problem = selector.resume === undefined ? writer.problem(window, marked) : undefined;
  return problem ?? ok(textView(shape, text, applied, marked, shape.lines));
}

const EMPTY = new Uint8Array();
