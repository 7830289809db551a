import { oneLine } from "../../src/scrub/log-line.ts";
import { redactSecrets } from "../../src/scrub/secret-shapes.ts";
import { truncateChars } from "../../src/spine/render/truncate.ts";
import { LOOKED_AT_MAX_CHARS, SHOWN_MAX_CHARS } from "./bounds.ts";

/**
 * A foreign text as it may stand in a finding: on one line, without what moves a cursor, without what has the shape of a
 * secret, at most `maxChars` code points.
 */
export function shown(value: unknown, maxChars = SHOWN_MAX_CHARS): string {
  const text = typeof value === "string" ? value : wordFor(value);
  return cut(oneLine(redactSecrets(text.slice(0, LOOKED_AT_MAX_CHARS)).text), maxChars);
}

/**
 * At most so many code points; an ellipsis says that something is missing. A hash is there whole or not at all: half of one
 * can be compared with nothing.
 */
export function cut(text: string, maxChars: number): string {
  if (!truncateChars(text, maxChars).truncated) return text;
  const { text: kept } = truncateChars(text, maxChars - 1);
  const tail = HEX_TAIL.exec(kept)?.[0] ?? "";
  const isHash = HASH.test(text.slice(kept.length - tail.length)) && tail.length < HASH_CHARS;
  return `${isHash ? kept.slice(0, kept.length - tail.length) : kept}…`;
}

const HASH_CHARS = 64;
const HASH = /^[0-9a-f]{64}(?![0-9a-f])/;
const HEX_TAIL = /(?<![0-9a-f])[0-9a-f]{1,63}$/;

function wordFor(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return value === undefined ? "nothing" : "something that is no text";
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
