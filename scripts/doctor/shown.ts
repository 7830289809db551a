import { oneLine } from "../../src/scrub/log-line.ts";
import { redactSecrets } from "../../src/scrub/secret-shapes.ts";
import { truncateChars } from "../../src/spine/render/truncate.ts";
import { LOOKED_AT_MAX_CHARS, SHOWN_MAX_CHARS } from "./bounds.ts";

/**
 * A foreign text as it may stand in a finding: on one line, without what moves a cursor, without what has the shape of a
 * secret, at most `SHOWN_MAX_CHARS` code points.
 */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value : wordFor(value);
  return cut(oneLine(redactSecrets(text.slice(0, LOOKED_AT_MAX_CHARS)).text), SHOWN_MAX_CHARS);
}

/** At most so many code points; an ellipsis says that something is missing. */
export function cut(text: string, maxChars: number): string {
  const whole = truncateChars(text, maxChars);
  return whole.truncated ? `${truncateChars(text, maxChars - 1).text}…` : text;
}

function wordFor(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return value === undefined ? "nothing" : "something that is no text";
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
