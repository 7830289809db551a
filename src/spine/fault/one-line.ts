import { FAULT_DETAIL_MAX_CODE_POINTS } from "../../limits/spine.ts";

/** Runs of white space and of characters that move a cursor, colour a terminal or turn a line around. */
const BLANK_RUN = /[\s\p{Cc}\u200b\u2028-\u202e\u2066-\u2069\ufeff]+/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Any text as one line for a record, cut at {@link FAULT_DETAIL_MAX_CODE_POINTS}. Applied twice it changes nothing. */
export function oneLineDetail(text: string): string {
  const line = text.replace(LONE_SURROGATE, "\ufffd").replace(BLANK_RUN, " ").trim();
  // A code point is two units at most, so that this much tells whether the line is too long, whatever its length.
  const points = Array.from(line.slice(0, 2 * (FAULT_DETAIL_MAX_CODE_POINTS + 1)));
  if (points.length <= FAULT_DETAIL_MAX_CODE_POINTS) return line;
  return `${points
    .slice(0, FAULT_DETAIL_MAX_CODE_POINTS - 1)
    .join("")
    .trimEnd()}…`;
}
