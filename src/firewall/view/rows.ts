import { VIEW_SCAN_MAX_BYTES } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { readResume } from "./json/resume.ts";
import type { WalkState } from "./json/walk.ts";
import { type TextShape, type View, type ViewPlan, viewProblem, type ViewProblem } from "./plan.ts";
import { isNdjsonType, rowFormat } from "./rows/format.ts";
import { arrayRows, noRowsInObject } from "./rows/json-array.ts";
import { ndjsonRows, planNdjson } from "./rows/ndjson.ts";
import type { TableForm } from "./rows/records.ts";
import { tableRows } from "./rows/table.ts";
import { behindRows, type RowsSelector, windowOf } from "./rows/window.ts";

/** What `next` knew of the place that it goes on from. */
type Resumed =
  | { readonly format: "ndjson" }
  | { readonly format: "json"; readonly state: WalkState }
  | { readonly format: TableForm; readonly row: number; readonly positions: readonly number[] | undefined };

/**
 * Rows of a table (CSV, TSV, and with semicolons or bars), of a top-level JSON array, or of newline-delimited JSON. An
 * artifact that one read holds is read whole, so that its rows can be counted; in a larger one `next` carries where to go on.
 */
export function planRows(shape: TextShape, selector: RowsSelector): Result<ViewPlan, ViewProblem> {
  const { offset = 0 } = selector;
  const resumed = selector.resume === undefined ? undefined : readRowsResume(selector.resume);
  const isBroken = selector.resume === undefined ? offset > 0 : resumed === undefined;
  if (isBroken || offset > shape.sizeBytes) {
    return viewProblem("offset and resume come from next, both or neither", [
      { type: "rows", start: 0, end: 100 },
    ]);
  }
  if (resumed?.format === "ndjson" || isNdjsonType(shape.mediaType)) return planNdjson(shape, selector);
  return ok({
    offset,
    length: Math.min(VIEW_SCAN_MAX_BYTES, shape.sizeBytes - offset),
    finish: (bytes) =>
      resumed === undefined
        ? firstRows(shape, selector, bytes)
        : furtherRows(shape, selector, bytes, resumed),
  });
}

function firstRows(shape: TextShape, selector: RowsSelector, bytes: Uint8Array): Result<View, ViewProblem> {
  const format = rowFormat(shape.mediaType, bytes, bytes.length >= shape.sizeBytes);
  switch (format) {
    case undefined:
      return viewProblem("the artifact is neither a table nor a JSON array nor lines of JSON", [
        "lines",
        "grep",
      ]);
    case "object":
      return noRowsInObject(shape, bytes);
    case "json":
      return arrayRows(shape, selector, bytes, undefined);
    case "ndjson": {
      const behind = behindRows(selector, shape.lines);
      if (behind !== undefined) return behind;
      const window = windowOf(selector, shape.lines) ?? { start: 0, end: 0, total: shape.lines };
      return ndjsonRows(shape, selector, window, bytes, { offset: 0, skip: window.start, isFirst: true });
    }
    case "comma":
    case "tab":
    case "semicolon":
    case "pipe":
    case "grid":
    case "frame":
      return tableRows(shape, selector, bytes, { delimiter: format, row: undefined, positions: undefined });
  }
}

function furtherRows(
  shape: TextShape,
  selector: RowsSelector,
  bytes: Uint8Array,
  resumed: Exclude<Resumed, { format: "ndjson" }>,
): Result<View, ViewProblem> {
  if (resumed.format === "json") return arrayRows(shape, selector, bytes, resumed.state);
  const { format, row, positions } = resumed;
  return tableRows(shape, selector, bytes, { delimiter: format, row, positions });
}

const TABLE =
  /^(?<format>comma|tab|semicolon|pipe|grid|frame):(?<row>\d{1,15})(?::(?<positions>\d{1,6}(?:,\d{1,6}){0,63}))?$/;

function readRowsResume(text: string): Resumed | undefined {
  if (text === "ndjson") return { format: "ndjson" };
  if (text.startsWith("json:")) {
    const state = readResume(text.slice("json:".length));
    return state?.levels.length === 1 ? { format: "json", state } : undefined;
  }
  const groups = TABLE.exec(text)?.groups;
  const format = DELIMITED.find((each) => each === groups?.["format"]);
  if (groups === undefined || format === undefined) return undefined;
  const positions = groups["positions"]?.split(",").map(Number);
  return { format, row: Number(groups["row"]), positions };
}

const DELIMITED: readonly TableForm[] = ["comma", "tab", "semicolon", "pipe", "grid", "frame"];
