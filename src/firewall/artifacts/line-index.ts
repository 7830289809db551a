import { LINE_INDEX_MAX_COUNT, LINE_INDEX_STEP_BYTES } from "../../limits.ts";

/** Where a line begins. */
interface LineStart {
  readonly line: number;
  readonly offset: number;
}

const NEWLINE = 10;
const RADIX = 36;

/**
 * Counts the lines of a text's bytes and notes where some of them begin, so that a range read can start near any line.
 * A line ends with `\n`; what follows the last one is a line too, unless it is empty. Entries are at least `indexStep`
 * apart, and a line begins less than that after the entry before it.
 */
export function indexLines(bytes: Uint8Array): { readonly lines: number; readonly index: string } {
  const step = indexStep(bytes.length);
  const entries: string[] = [];
  let last: LineStart = { line: 0, offset: 0 };
  let line = 0;
  let start = 0;
  while (start < bytes.length) {
    if (start - last.offset >= step) {
      entries.push(`${(line - last.line).toString(RADIX)}.${(start - last.offset).toString(RADIX)}`);
      last = { line, offset: start };
    }
    line += 1;
    const newline = bytes.indexOf(NEWLINE, start);
    start = newline < 0 ? bytes.length : newline + 1;
  }
  return { lines: line, index: entries.join(" ") };
}

/** The bytes between two entries: how far a line can begin behind the entry before it. */
export function indexStep(sizeBytes: number): number {
  return Math.max(LINE_INDEX_STEP_BYTES, Math.ceil(sizeBytes / LINE_INDEX_MAX_COUNT));
}

/** The last noted line that is not behind `line`; the beginning of the text where the index tells nothing. */
export function startNear(index: string, line: number): LineStart {
  let near: LineStart = { line: 0, offset: 0 };
  if (index === "") return near;
  for (const entry of index.split(" ")) {
    const [lines, bytes] = entry.split(".").map((digits) => Number.parseInt(digits, RADIX));
    if (lines === undefined || bytes === undefined || !(lines > 0) || !(bytes > 0)) break;
    if (near.line + lines > line) break;
    near = { line: near.line + lines, offset: near.offset + bytes };
  }
  return near;
}
