import { JSONL_LOG_MAX_BYTES, JSONL_RECORD_MAX_BYTES } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { isCount } from "./counters.ts";

export interface JsonlBounds {
  /** A record with its end of line. */
  readonly recordBytes: number;
  readonly logBytes: number;
}

export const JSONL_BOUNDS: JsonlBounds = Object.freeze({
  recordBytes: JSONL_RECORD_MAX_BYTES,
  logBytes: JSONL_LOG_MAX_BYTES,
});

/** One write: where `empties`, the log is emptied first, and `bytes` go behind what then is there, all at once. */
export interface JsonlAppend {
  readonly empties: boolean;
  /** The record and its end of line, in UTF-8. */
  readonly bytes: Uint8Array;
  /** The log's size afterwards. */
  readonly logBytes: number;
}

export type JsonlProblem =
  /** Empty, or with an end of line in it, which would make it two records or none. */
  "not_one_line" | "record_too_large" | "invalid_log_size";

const encoder = new TextEncoder();

/**
 * How a record, a line of JSON without its end, is added to a log of `currentBytes`. A log that would pass its bound is
 * emptied before the record, so it is a window on what came last and no archive; a record beyond a bound is refused and
 * the log stays as it is.
 */
export function judgeAppend(
  currentBytes: number,
  record: string,
  bounds: JsonlBounds = JSONL_BOUNDS,
): Result<JsonlAppend, JsonlProblem> {
  if (!isCount(currentBytes)) return fail("invalid_log_size");
  if (record === "" || /[\n\r]/.test(record)) return fail("not_one_line");
  const largest = Math.min(bounds.recordBytes, bounds.logBytes);
  // A UTF-16 unit is at least one byte, so that what is far too long is not encoded first.
  if (record.length >= largest) return fail("record_too_large");
  const bytes = encoder.encode(`${record}\n`);
  if (bytes.length > largest) return fail("record_too_large");
  const empties = currentBytes + bytes.length > bounds.logBytes;
  return ok({ empties, bytes, logBytes: (empties ? 0 : currentBytes) + bytes.length });
}
