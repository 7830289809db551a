import { REDACT_TABLE_MAX_CHARS } from "../limits.ts";
import { hiddenText } from "./member-hiding.ts";
import { namesNeighbourSecret } from "./secret-names.ts";
import { mayHoldSecrets, type RedactedText } from "./secret-shapes.ts";

/** The columns of a table whose names say secret. */
interface Table {
  readonly delimiter: string;
  readonly cells: number;
  readonly names: ReadonlyMap<number, string>;
  /** A line below the header says that it is one: a row with more cells is a row all the same, with bars in it. */
  readonly isRuled: boolean;
}

/** A sentence ends in a point. */
const HEADER_NAME = /^[ \t]*"?\w(?:[\w .-]{0,62}\w)?"?[ \t]*$/;
const DELIMITERS = ["\t", ",", ";", "|"] as const;
/** Under the header of a table in Markdown, and in those that database clients draw. */
const RULE = /^[ \t|:-]*-[ \t|:-]*\|[ \t|:-]*$|^[ \t]*\|[ \t|:-]*-[ \t|:-]*$/;
const DRAWN_RULE = /^[ \t+|=-]*[+][ \t+|=-]*$|^[\s\u2500-\u257f]*[┼╪╫╬╋┿╂][\s\u2500-\u257f]*$/;
const BARS = ["|", "│", "┃", "║"] as const;
const BAR = /[|│┃║]/;
/** Above each row of psql's expanded display, in which every line has a column's name and its value. */
const EXPANDED = /^[-─]\[ RECORD \d{1,12} \][-+─┬┼]*\s*$/;
/** A line is not split before it is known to be a table's. */
const HEADER_MAX_CHARS = 4_096;

/**
 * Takes the cells out of columns that are named like secrets: of a table in CSV or TSV, if the whole text is one, and of
 * those in Markdown or drawn with bars, as database clients do. A row with fewer cells than its header stays, and one with more
 * but of those. Comes after all else: it adds no delimiters, so that what it gives is given back unchanged.
 */
export function redactTables(text: string): RedactedText {
  if (text.length > REDACT_TABLE_MAX_CHARS) return { text, count: 0 };
  const lines = text.split("\n");
  if (lines.length < 2) return { text, count: 0 };
  let count = 0;
  let table = DELIMITERS.map((delimiter) => tableOf(lines[0] ?? "", delimiter)).find(
    (found) => found !== undefined,
  );
  /** Of a row in lines, the name that stood last. */
  let expanded = EXPANDED.test(lines[0] ?? "") ? "" : undefined;
  for (let at = 1; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (EXPANDED.test(line)) [table, expanded] = [undefined, ""];
    else if (expanded !== undefined) {
      const member = redactedMember(line, expanded);
      expanded = member?.name;
      count += member?.count ?? 0;
      lines[at] = member?.text ?? line;
    } else if (line.includes("|") && RULE.test(line)) table = tableOf(lines[at - 1] ?? "", "|", true);
    else if (DRAWN_RULE.test(line)) table = drawnTableOf(lines[at - 1] ?? "") ?? table;
    else if (table !== undefined && isBar(table.delimiter) && !line.includes(table.delimiter))
      table = undefined;
    else if (table !== undefined) {
      const row = redactedRow(line, table);
      count += row.count;
      lines[at] = row.text;
    }
  }
  return count === 0 ? { text, count } : { text: lines.join("\n"), count };
}

function isBar(delimiter: string): boolean {
  return BARS.some((bar) => bar === delimiter);
}

/** A line may be drawn under each row: a row that names nothing leaves the table as it is. */
function drawnTableOf(header: string): Table | undefined {
  const bar = BARS.find((each) => header.includes(each));
  return bar === undefined ? undefined : tableOf(header, bar, true);
}

function tableOf(header: string, delimiter: string, isRuled = false): Table | undefined {
  if (header.length > HEADER_MAX_CHARS || !header.includes(delimiter) || !mayHoldSecrets(header))
    return undefined;
  const cells = cellsOf(header.trimEnd(), delimiter);
  const inner = isBar(delimiter) ? cells.filter((cell) => cell.trim() !== "") : cells;
  // What is ruled has columns of any name, such as `count(*)`, and in a frame one alone.
  if (isRuled ? cells.length < 2 : inner.length < 2 || !inner.every((cell) => HEADER_NAME.test(cell)))
    return undefined;
  const names = new Map<number, string>();
  for (const [index, cell] of cells.entries()) {
    const name = cell.replaceAll('"', "").trim();
    if (namesNeighbourSecret(name)) names.set(index, name);
  }
  return names.size === 0 ? undefined : { delimiter, cells: cells.length, names, isRuled };
}

function redactedRow(line: string, { delimiter, cells, names, isRuled }: Table): RedactedText {
  const row = cellsOf(line, delimiter);
  const more = row.length - cells;
  if (more < 0 || (more > 0 && !isRuled)) return { text: line, count: 0 };
  let count = 0;
  // Behind a bar that belongs to a cell, all others stand further on: which bar that is, nobody knows. Both go upwards.
  const columns = [...names];
  let next = 0;
  const clean = row.map((cell, index) => {
    while ((columns[next]?.[0] ?? index) + more < index) next += 1;
    const [at, name] = columns[next] ?? [];
    if (at === undefined || name === undefined || at > index) return cell;
    const { start, end } = valueSpan(cell);
    const hidden = start === end ? undefined : hiddenText(name, cell.slice(start, end));
    if (hidden === undefined) return cell;
    count += 1;
    return cell.slice(0, start) + hidden + cell.slice(end);
  });
  return { text: count === 0 ? line : clean.join(delimiter), count };
}

/** A column of an expanded row; without a name of its own it goes on with the one before. */
function redactedMember(
  line: string,
  before: string,
): (RedactedText & { readonly name: string }) | undefined {
  const at = line.search(BAR);
  if (at < 0) return undefined;
  const name = line.slice(0, at).trim() || before;
  const value = line.slice(at + 1);
  const { start, end } = valueSpan(value);
  const hidden =
    start < end && namesNeighbourSecret(name) ? hiddenText(name, value.slice(start, end)) : undefined;
  if (hidden === undefined) return { text: line, count: 0, name };
  return {
    text: `${line.slice(0, at + 1)}${value.slice(0, start)}${hidden}${value.slice(end)}`,
    count: 1,
    name,
  };
}

/** Where a cell's value is: without spaces, quotes, the end of the line around it. */
function valueSpan(cell: string): { readonly start: number; readonly end: number } {
  const start = CELL_START.exec(cell)?.[0].length ?? 0;
  const end = cell.trimEnd().length;
  const isQuoted = start < end && cell.charAt(start - 1) === '"' && cell.charAt(end - 1) === '"';
  return { start, end: Math.max(start, isQuoted ? end - 1 : end) };
}

const CELL_START = /^[ \t]*"?/;

/** A line's cells as they are written; a delimiter in quotes is none. */
function cellsOf(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const cells: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const unit = line.charAt(at);
    if (unit === '"') isQuoted = !isQuoted;
    else if (unit === delimiter && !isQuoted) {
      cells.push(line.slice(from, at));
      from = at + 1;
    }
  }
  cells.push(line.slice(from));
  return cells;
}
