import { REDACT_TABLE_MAX_CHARS } from "../limits.ts";
import { hiddenText } from "./member-hiding.ts";
import { namesNeighbourSecret } from "./secret-names.ts";
import type { RedactedText } from "./secret-shapes.ts";

interface Column {
  readonly start: number;
  /** Where the next one begins. */
  readonly end: number | undefined;
  readonly name: string;
}

/** A line is not split before it is known to be a header. */
const HEADER_MAX_CHARS = 1_024;
const GAP = / {2,}/g;
const MAY_BE_HEADER = /^ *\S.* {2}/;
/** A sentence ends in a point. */
const NAME = /^[\p{L}\p{N}_#](?:[\p{L}\p{N}_ .-]{0,62}[\p{L}\p{N}_])?$/u;

/**
 * Takes the cells out of columns that are named like secrets, of tables aligned with two spaces and more, as command lines
 * print them. A row that does not stand under its header stays; an empty line ends the table. A cell that was taken out
 * may move what follows it, so that it stands under no header any more and is left alone.
 */
export function redactColumns(text: string): RedactedText {
  if (text.length > REDACT_TABLE_MAX_CHARS || !text.includes("  ")) return { text, count: 0 };
  const lines = text.split("\n");
  let columns: readonly Column[] = [];
  let count = 0;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") columns = [];
    else if (columns.length === 0) columns = secretColumns(line);
    else {
      const row = redactedRow(line, columns);
      lines[at] = row.text;
      count += row.count;
    }
  }
  return count === 0 ? { text, count } : { text: lines.join("\n"), count };
}

/** The columns of a header whose names say secret, the last one first. */
function secretColumns(line: string): readonly Column[] {
  if (line.length > HEADER_MAX_CHARS || !MAY_BE_HEADER.test(line)) return [];
  const header = line.trimEnd();
  const starts = [header.length - header.trimStart().length];
  for (const gap of header.matchAll(GAP)) if (gap.index > 0) starts.push(gap.index + gap[0].length);
  const columns = starts.map((start, index) => {
    const end = starts[index + 1];
    return { start, end, name: header.slice(start, end).trimEnd() };
  });
  if (columns.length < 2 || !columns.every(({ name }) => NAME.test(name))) return [];
  return columns.filter(({ name }) => namesNeighbourSecret(name)).toReversed();
}

function redactedRow(line: string, columns: readonly Column[]): RedactedText {
  let text = line;
  let count = 0;
  for (const { start, end, name } of columns) {
    if (!beginsAt(line, start) || (end !== undefined && line.length > end && !beginsAt(line, end))) continue;
    const value = line.slice(start, end).trimEnd();
    const hidden = hiddenText(name, value);
    if (hidden === undefined) continue;
    text = text.slice(0, start) + hidden + text.slice(start + value.length);
    count += 1;
  }
  return { text, count };
}

/** Whether a cell begins at a place, or is empty there. */
function beginsAt(line: string, at: number): boolean {
  return at === 0 || line.charAt(at - 1) === " ";
}
