import { VIEW_LINES_PROPOSED_COUNT, VIEW_ROWS_PROPOSED_COUNT } from "../../../limits.ts";
import type { Result } from "../../../result.ts";
import { fromEnd, viewProblem, type ViewProblem } from "../plan.ts";
import type { Selector, SelectorOf } from "../selector.ts";

export type RowsSelector = SelectorOf<"rows">;

/** Which rows are asked for. Without a known `total` the end may be open, and nothing counts from it. */
export interface RowWindow {
  readonly start: number;
  readonly end: number;
  readonly total: number | undefined;
}

/** `undefined` where positions count from an end that is not known. */
export function windowOf(selector: RowsSelector, total: number | undefined): RowWindow | undefined {
  const { start, end = Infinity } = selector;
  if (total === undefined) {
    return start < 0 || end < 0 ? undefined : { start, end: Math.max(start, end), total };
  }
  const first = fromEnd(start, total);
  return { start: first, end: Math.max(first, fromEnd(end, total)), total };
}

/** Says where the end is to whoever asks for rows behind it; `undefined` where the start is before it or no end is known. */
export function behindRows(
  { start }: Pick<RowsSelector, "start">,
  total: number | undefined,
): Result<never, ViewProblem> | undefined {
  if (total === undefined || total === 0 || start < total) return undefined;
  const last = Math.max(0, total - VIEW_ROWS_PROPOSED_COUNT);
  return viewProblem(`there are ${total} rows, numbered from 0`, [{ type: "rows", start: last, end: total }]);
}

/** What was shown of a window: rows from its start to `end`. */
export function appliedRows({ columns }: RowsSelector, start: number, end: number): Selector {
  return { type: "rows", start, end, ...(columns === undefined ? {} : { columns }) };
}

/**
 * The rows behind `row`, as many as were asked for at once; `undefined` where a known total says that there are none, and
 * where nothing was asked for, since nobody knows yet whether the columns are there.
 */
export function rowsFrom(
  { columns }: RowsSelector,
  { start, end, total }: RowWindow,
  row: number,
  resume: { readonly offset: number; readonly resume: string } | undefined,
): Selector | undefined {
  if (total !== undefined && row >= total) return undefined;
  if (columns !== undefined && start >= end && row === 0) return undefined;
  const length = end > start ? end - start : VIEW_LINES_PROPOSED_COUNT;
  const last = Math.min(total ?? Infinity, row + length);
  return {
    type: "rows",
    start: row,
    ...(last === Infinity ? {} : { end: last }),
    ...(columns === undefined ? {} : { columns }),
    ...resume,
  };
}
