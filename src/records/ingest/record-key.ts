import { RECORD_KEY_MAX_CODE_POINTS } from "../../limits/records.ts";

/** Any text of 1 to 512 code points that UTF-8 can say, but for NUL, at which C ends a text. */
export function isRecordKey(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.length > 2 * RECORD_KEY_MAX_CODE_POINTS)
    return false;
  if (UNFIT.test(value)) return false;
  return value.length <= RECORD_KEY_MAX_CODE_POINTS || Array.from(value).length <= RECORD_KEY_MAX_CODE_POINTS;
}

const UNFIT = /[\p{Surrogate}\0]/u;
