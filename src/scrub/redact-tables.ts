import { REDACT_HEADER_MAX_CHARS, REDACT_RECORD_MAX_CHARS } from "../limits.ts";
import type { HiddenCount } from "./hidden-count.ts";
import type { GiveLine, LineRedaction } from "./line-redaction.ts";
import { hiddenText } from "./member-hiding.ts";
import { type NamedColumns, namedColumns, secretCells } from "./named-columns.ts";
import { SCRUBBED } from "./secret-places.ts";
import { namesNeighbourSecret } from "./secret-names.ts";
import { cellsOfLine, RecordCells, valueSpan } from "./table-cells.ts";

/** A table that has columns of secrets. */
interface Table {
  readonly delimiter: string;
  readonly cells: number;
  readonly columns: NamedColumns;
  /** A line below the header says that it is one: a row with more cells is a row all the same, with bars in it. */
  readonly isRuled: boolean;
  /** Two lines drawn in a row may have ended it: a header behind them is one. */
  readonly mayBeOver: boolean;
}

/** A sentence ends in a point. */
const HEADER_NAME = /^[ \t]*"?[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_ .-]{0,62}[\p{L}\p{M}\p{N}_])?"?[ \t]*$/u;
const DELIMITERS = ["\t", ",", ";", "|"] as const;
/** All that is in a line under the header of a table in Markdown, and in those that database clients draw. */
const RULE_SIGNS = /^[ \t|:-]*\r?$/;
const DRAWN_SIGNS = /^[ \t+|=-]*\r?$/;
const BOX_SIGNS = /^[\s\u2500-\u257f]*$/;
const CROSSING = /[┼╪╫╬╋┿╂]/;
/** Under the name of a column that is the only one. */
const SINGLE_RULE = /^-{3,}\s*$/;
const BARS = ["|", "│", "┃", "║"] as const;
const BAR = /[|│┃║]/;
/** Above each row of psql's expanded display, in which every line has a column's name and its value. */
const EXPANDED = /^[-─]\[ RECORD \d{1,12} \][-+─┬┼]*\s*$/;
/** All of these begin so. */
const MAY_RULE = /^[\s|:+=\-\u2500-\u257f]/;

/**
 * Takes the cells out of columns that are named like secrets, and those that the name in another cell of their row says are
 * one: of a table in CSV or TSV, if the whole text is one, and of those in Markdown or drawn, as database clients do. A row with
 * fewer cells than its header stays, and one with more but of those. Comes after all else: it adds no delimiters, so that what
 * it gives is given back unchanged.
 */
export class TableRedaction implements LineRedaction {
  readonly #hidden: HiddenCount;
  #isFirst = true;
  /** The line before, as it was given: it may be a header. */
  #before = "";
  #table: Table | undefined;
  /** The only column of a table without bars, and whether its lines are indented. */
  #single: { readonly name: string; readonly isIndented: boolean } | undefined;
  /** Of a row in lines, the name that stood last. */
  #expanded: string | undefined;
  /** A record that goes on, and its lines. */
  #record: RecordCells | undefined;
  #recordLines: string[] = [];
  #recordChars = 0;

  constructor(hidden: HiddenCount) {
    this.#hidden = hidden;
  }

  get isInside(): boolean {
    return (this.#table ?? this.#single ?? this.#expanded) !== undefined;
  }

  line(line: string, give: GiveLine): void {
    if (this.#record !== undefined) {
      this.#goOn(this.#record, line, give);
      return;
    }
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#table = DELIMITERS.map((delimiter) => tableOf(line, delimiter)).find(
        (found) => found !== undefined,
      );
      if (EXPANDED.test(line)) this.#expanded = "";
      this.#give(line, give);
      return;
    }
    if (MAY_RULE.test(line) && this.#isRule(line)) this.#give(line, give);
    else if (this.#single !== undefined) this.#give(this.#singleCell(line, this.#single), give);
    else if (this.#expanded !== undefined) this.#give(this.#member(line, this.#expanded), give);
    else if (this.#table !== undefined) this.#row(line, this.#table, give);
    else this.#give(line, give);
  }

  release(give: GiveLine): void {
    this.#isFirst = false;
    if (this.#record !== undefined) this.#apart(give);
  }

  #give(line: string, give: GiveLine): void {
    this.#before = line;
    give(line);
  }

  /** Whether a line is drawn, and not written; says of it which table it begins. */
  #isRule(line: string): boolean {
    if (EXPANDED.test(line)) {
      [this.#table, this.#single, this.#expanded] = [undefined, undefined, ""];
      return true;
    }
    if (this.#expanded !== undefined) return false;
    if (isMarkdownRule(line)) this.#table = this.#markdownTable(line);
    else if (isDrawnRule(line)) this.#table = this.#drawnTable();
    else if (SINGLE_RULE.test(line)) this.#single = singleOf(this.#before, line);
    else return false;
    return true;
  }

  /** What stands in a table already and has one dash in each cell is a row. */
  #markdownTable(line: string): Table | undefined {
    const table = this.#table?.isRuled === true ? this.#table : undefined;
    if (table !== undefined && !line.includes("--")) return table;
    return tableOf(this.#before, "|", true) ?? table;
  }

  /** A line may be drawn under each row, and two where one table ends and the next begins. */
  #drawnTable(): Table | undefined {
    const table = this.#table;
    if (isDrawnRule(this.#before)) return table === undefined ? undefined : { ...table, mayBeOver: true };
    const found = drawnTableOf(this.#before);
    if (table?.isRuled !== true || table.mayBeOver || found === undefined) return found ?? table;
    // A row has as many cells as its header, or more where bars are in them: whatever it says, it is no header.
    return found.cells < table.cells ? found : table;
  }

  #singleCell(
    line: string,
    { name, isIndented }: { readonly name: string; readonly isIndented: boolean },
  ): string {
    const value = line.trim();
    // A heading in Markdown is underlined in the same way, and sentences follow it.
    if (isIndented ? !line.startsWith(" ") : value === "" || /\s/.test(value)) {
      this.#single = undefined;
      return line;
    }
    const hidden = value === "" ? undefined : hiddenText(name, value);
    if (hidden === undefined) return line;
    this.#hidden.add(value);
    return line.replace(value, () => hidden);
  }

  /** A column of an expanded row; without a name of its own it goes on with the one before. */
  #member(line: string, before: string): string {
    const at = line.search(BAR);
    if (at < 0) {
      this.#expanded = undefined;
      return line;
    }
    const name = line.slice(0, at).trim() || before;
    this.#expanded = name;
    if (!namesNeighbourSecret(name)) return line;
    return line.slice(0, at + 1) + (this.#hiddenCell(line.slice(at + 1), name) ?? line.slice(at + 1));
  }

  #row(line: string, table: Table, give: GiveLine): void {
    const { delimiter } = table;
    if (isBar(delimiter) && !line.includes(delimiter)) {
      this.#table = undefined;
      this.#give(line, give);
      return;
    }
    if (!isBar(delimiter) && line.includes('"')) {
      const record = new RecordCells(delimiter);
      record.add(line);
      if (record.isOpen) {
        this.#record = record;
        this.#recordLines = [line];
        this.#recordChars = line.length;
        return;
      }
      this.#give(this.#redacted(line, record.cells, table), give);
      return;
    }
    this.#give(this.#redacted(line, line.split(delimiter), table), give);
  }

  #goOn(record: RecordCells, line: string, give: GiveLine): void {
    this.#recordLines.push(line);
    this.#recordChars += line.length + 1;
    if (this.#recordChars > REDACT_RECORD_MAX_CHARS) {
      this.#apart(give);
      return;
    }
    record.add(line);
    if (record.isOpen) return;
    const table = this.#table;
    // One that has a mark in a cell over several lines was taken apart before.
    const isRecord = record.cells.length === table?.cells && !record.cells.some(isMarkedOverLines);
    if (table === undefined || !isRecord) {
      this.#apart(give);
      return;
    }
    const clean = this.#redacted(this.#recordLines.join("\n"), record.cells, table);
    this.#record = undefined;
    for (const each of clean.split("\n")) this.#give(each, give);
  }

  /** What seemed to be a record is none: each of its lines by itself. */
  #apart(give: GiveLine): void {
    this.#record = undefined;
    const table = this.#table;
    for (const line of this.#recordLines)
      this.#give(
        table === undefined ? line : this.#redacted(line, cellsOfLine(line, table.delimiter, true), table),
        give,
      );
    this.#recordLines = [];
  }

  #redacted(line: string, row: readonly string[], { delimiter, cells, columns, isRuled }: Table): string {
    const more = row.length - cells;
    if (more < 0 || (more > 0 && !isRuled)) return line;
    const names = secretCells(columns, (index) => spelled(row[index] ?? ""));
    if (names.size === 0) return line;
    let isChanged = false;
    // Behind a bar that belongs to a cell, all others stand further on: which bar that is, nobody knows. Both go upwards.
    const ordered = [...names];
    let next = 0;
    const clean = row.map((cell, index) => {
      while ((ordered[next]?.[0] ?? index) + more < index) next += 1;
      const [at, name] = ordered[next] ?? [];
      if (at === undefined || name === undefined || at > index) return cell;
      const hidden = this.#hiddenCell(cell, name);
      isChanged ||= hidden !== undefined;
      return hidden ?? cell;
    });
    return isChanged ? clean.join(delimiter) : line;
  }

  #hiddenCell(cell: string, name: string): string | undefined {
    const { start, end } = valueSpan(cell);
    const hidden = start === end ? undefined : hiddenText(name, cell.slice(start, end));
    if (hidden === undefined) return undefined;
    this.#hidden.add(cell.slice(start, end));
    return cell.slice(0, start) + hidden + cell.slice(end);
  }
}

/** A bar stands behind a dash, or before all of them: one expression for both would try each sign with each other. */
function isMarkdownRule(line: string): boolean {
  const dash = line.indexOf("-");
  const isRule = dash !== -1 && (line.lastIndexOf("|") > dash || line.trimStart().startsWith("|"));
  return isRule && RULE_SIGNS.test(line);
}

function isDrawnRule(line: string): boolean {
  return (line.includes("+") && DRAWN_SIGNS.test(line)) || (CROSSING.test(line) && BOX_SIGNS.test(line));
}

function isMarkedOverLines(cell: string): boolean {
  return cell.includes("\n") && cell.includes(SCRUBBED);
}

function isBar(delimiter: string): boolean {
  return BARS.some((bar) => bar === delimiter);
}

function spelled(cell: string): string {
  return cell.replaceAll('"', "").trim();
}

function drawnTableOf(header: string): Table | undefined {
  const bar = BARS.find((each) => header.includes(each));
  return bar === undefined ? undefined : tableOf(header, bar, true);
}

function tableOf(header: string, delimiter: string, isRuled = false): Table | undefined {
  if (header.length > REDACT_HEADER_MAX_CHARS || !header.includes(delimiter)) return undefined;
  const cells = cellsOfLine(header.trimEnd(), delimiter, !isBar(delimiter));
  const inner = isBar(delimiter) ? cells.filter((cell) => cell.trim() !== "") : cells;
  // What is ruled has columns of any name, such as `count(*)`, and in a frame one alone.
  if (isRuled ? cells.length < 2 : inner.length < 2 || !inner.every((cell) => HEADER_NAME.test(cell)))
    return undefined;
  const columns = namedColumns(cells.map(spelled));
  return columns === undefined
    ? undefined
    : { delimiter, cells: cells.length, columns, isRuled, mayBeOver: false };
}

/** The column above a line as wide as it, of which psql writes one space before each of its lines. */
function singleOf(
  header: string,
  rule: string,
): { readonly name: string; readonly isIndented: boolean } | undefined {
  const name = header.trim();
  if (name.length > rule.trimEnd().length || !namesNeighbourSecret(name)) return undefined;
  return { name, isIndented: header.startsWith(" ") };
}
