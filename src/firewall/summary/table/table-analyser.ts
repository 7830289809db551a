import { SUMMARY_COLUMNS_MAX_COUNT, VIEW_SCAN_MAX_BYTES } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary, SummaryKind } from "../analyser.ts";
import { counted, fitsIn, grouped, owned, SETTLE_CHARS, unitsWithin } from "../cut.ts";
import { fit, listed } from "../fit.ts";
import type { ScannedText } from "../json/scanner.ts";
import { keyText, stringText } from "../json/value-text.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { quoted } from "../neutral.ts";
import { Column, isHeader } from "./columns.ts";
import type { GridForm } from "./grid-lines.ts";
import { GRIDS, GridSplitter } from "./grid-splitter.ts";
import { SPACED, SpacedSplitter } from "./spaced-splitter.ts";
import { WORDS, type WordsForm, WordsSplitter } from "./words-splitter.ts";
import { RecordSplitter, type TableRecord } from "./record-splitter.ts";

const FIRST_COUNT = 2;
const LAST_COUNT = 2;
/** Fewer are no table. */
const RECORDS_MIN_COUNT = 2;
/** One row in so many may have another number of fields. */
const RAGGED_SHARE = 10;
const CELL_POINTS = 32;
const ROWS_COUNT = 20;
const COLUMN_ROWS_COUNT = 200;
const NAME_POINTS = 48;
const LINES_COUNT = 100;
const FORMS: ReadonlyMap<string, { readonly kind: SummaryKind; readonly name: string }> = new Map([
  [",", { kind: "csv", name: "CSV" }],
  ["\t", { kind: "tsv", name: "TSV" }],
  [SPACED, { kind: "table", name: "Table" }],
  [WORDS, { kind: "table", name: "Table" }],
  [GRIDS.grid, { kind: "table", name: "Table" }],
  [GRIDS.frame, { kind: "table", name: "Table" }],
]);

type Splitter = Pick<RecordSplitter, "push" | "finish" | "brokenAt" | "retainedChars"> &
  Partial<Pick<GridSplitter, "isBeside" | "remarks">>;

interface PlacedRow {
  readonly cells: readonly ScannedText[];
  readonly line: number;
}

/** A table of separated values: its columns with what is in them, its first and its last rows. */
export class TableAnalyser implements Analyser {
  readonly #delimiter: string;
  readonly #isAligned: boolean;
  readonly #splitter: Splitter;
  readonly #lines = new LineSplitter(() => {});
  /** Whether the text is said to be a table, so that uneven rows do not refute it. */
  readonly #said: boolean;
  readonly #preamble: number;
  readonly #columns: Column[] = [];
  #header: readonly ScannedText[] | undefined;
  #width = 0;
  #units = 0;
  #rows = 0;
  #records = 0;
  #ragged = 0;
  #first: PlacedRow[] = [];
  #last: PlacedRow[] = [];

  /** `preamble`: how many lines of comments stand above it, which `tool_view` would take for rows. */
  constructor(delimiter: string | WordsForm, said: boolean, preamble = 0) {
    this.#preamble = preamble;
    this.#delimiter = typeof delimiter === "string" ? delimiter : WORDS;
    this.#isAligned = this.#delimiter === SPACED || this.#delimiter === WORDS;
    this.#said = said;
    const onRecord = (record: TableRecord): void => this.#record(record);
    this.#splitter = splitterOf(delimiter, onRecord);
  }

  push(piece: string): void {
    this.#units += piece.length;
    this.#splitter.push(piece);
    if (piece.length >= SETTLE_CHARS) this.#settle();
    this.#lines.push(piece);
  }

  finish(): Summary | undefined {
    this.#splitter.finish();
    const lines = this.#lines.finish();
    if (this.#records < RECORDS_MIN_COUNT || this.#splitter.isBeside === true) return undefined;
    if (!this.#said && this.#ragged * RAGGED_SHARE > this.#rows) return undefined;
    const text = fit((room) => this.#compose(room, lines));
    return { kind: FORMS.get(this.#delimiter)?.kind ?? "csv", text, views: this.#views(lines) };
  }

  get retainedChars(): number {
    const cells = [this.#header ?? [], ...[...this.#first, ...this.#last].map((row) => row.cells)].flat();
    const columns = this.#columns.reduce((sum, column) => sum + column.retainedChars, 0);
    const held = this.#splitter.retainedChars + this.#lines.retainedChars;
    return cells.reduce((sum, { head }) => sum + head.length, columns + held);
  }

  #record({ cells, width, line }: TableRecord): void {
    if (line < this.#preamble) return;
    this.#records += 1;
    if (this.#records === 1) {
      this.#width = width;
      for (let index = 0; index < Math.min(width, SUMMARY_COLUMNS_MAX_COUNT); index += 1) {
        this.#columns.push(new Column());
      }
      if (isHeader(cells)) {
        this.#header = cells.map(own);
        return;
      }
    }
    this.#rows += 1;
    if (width !== this.#width) this.#ragged += 1;
    // Which of the cells is missing from a line of aligned columns is not known.
    if (width === this.#width || !this.#isAligned) {
      this.#columns.forEach((column, index) => {
        const cell = cells[index];
        if (cell !== undefined) column.add(cell);
      });
    }
    if (this.#first.length < FIRST_COUNT) this.#first.push({ cells, line });
    else {
      this.#last.push({ cells, line });
      if (this.#last.length > LAST_COUNT) this.#last.shift();
    }
  }

  #settle(): void {
    this.#first = this.#first.map(({ cells, line }) => ({ cells: cells.map(own), line }));
    this.#last = this.#last.map(({ cells, line }) => ({ cells: cells.map(own), line }));
  }

  #compose(room: number, lines: number): string[] {
    const name = FORMS.get(this.#delimiter)?.name ?? `Table split by "${this.#delimiter}"`;
    const size = `${counted(this.#rows, "row")} of ${counted(this.#width, "column")}`;
    // `tool_view` takes the first record for a header in any case, and counts the rows below it.
    const repeated = this.#repeats ? " in which names are repeated" : "";
    const header = this.#header === undefined ? "the first is no header" : `below a header${repeated}`;
    const above =
      this.#preamble === 0 ? "" : `, and ${counted(this.#preamble, "line")} of comments above (lines from 0)`;
    const shift = this.#header === undefined ? 1 : 0;
    const columns = this.#columns.map((column, index) => `${this.#name(index)}: ${column.describe()}`);
    const rows = this.#shownRows();
    const each = (room * 0.45) / Math.max(1, rows.length);
    return [
      `${name}: ${size}, ${header}${above}${this.#raggedText()}${this.#splitter.remarks ?? ""}${this.#brokenText(lines)}`,
      `columns: ${this.#listColumns(columns, room * 0.45)}`,
      ...rows.map(
        ({ index, cells, line }) =>
          `${this.#preamble > 0 ? `line ${line}` : index < shift ? "first record" : `row ${index - shift}`}: ${this.#rowText(cells, each)}`,
      ),
    ];
  }

  /** With what is in them while there is room, then the names alone. */
  #listColumns(columns: readonly string[], room: number): string {
    let shown = 0;
    let used = 0;
    for (const column of columns) {
      if (shown > 0 && used + column.length > room * 0.7) break;
      used += column.length + 2;
      shown += 1;
    }
    const told = columns.slice(0, shown).join(", ");
    if (shown === this.#width) return told;
    const names = columns.slice(shown).map((_, index) => this.#name(shown + index));
    return `${told}; also: ${listed(names, room - used, { total: this.#width - shown })}`;
  }

  #name(index: number): string {
    if (this.#header === undefined) return `column ${index}`;
    const cell = this.#header[index];
    if (cell === undefined || cell.head === "") return '""';
    return keyText(unitsWithin(cell.head, NAME_POINTS), cell.head.length <= NAME_POINTS);
  }

  #shownRows(): (PlacedRow & { readonly index: number })[] {
    const first = this.#first.map((row, index) => ({ ...row, index }));
    const before = this.#rows - this.#last.length;
    return [...first, ...this.#last.map((row, index) => ({ ...row, index: before + index }))];
  }

  get #repeats(): boolean {
    const names = (this.#header ?? []).map(({ head }) => head);
    return new Set(names).size < names.length;
  }

  #rowText(cells: readonly ScannedText[], room: number): string {
    const separator = this.#delimiter.trim() === "" ? " | " : this.#delimiter;
    return listed(
      cells.map((cell) => this.#cellText(cell)),
      room,
      { separator },
    );
  }

  /** As it is where nothing in it could be mistaken, else as a JSON string. */
  #cellText(cell: ScannedText): string {
    const text = stringText(cell, CELL_POINTS);
    const plain = cell.whole && text === `"${cell.head}"`;
    const apart = cell.head.includes(this.#delimiter) || cell.head.trim() !== cell.head;
    return plain && !apart ? cell.head : text;
  }

  #raggedText(): string {
    if (this.#ragged === 0) return "";
    const left = this.#isAligned ? ", left out of the columns" : "";
    return `, ${grouped(this.#ragged)} of them with more or fewer fields${left}`;
  }

  #brokenText(lines: number): string {
    const line = this.#splitter.brokenAt;
    if (line === undefined) return "";
    return `, as far as it can be read: the quotes in line ${line} of ${grouped(lines)} (from 0) do not match`;
  }

  #views(lines: number): ProposedView[] {
    const rows = this.#rows;
    if (this.#isAligned || this.#preamble > 0) {
      return [
        { selector: { type: "lines", start: 0, end: Math.min(lines, LINES_COUNT) }, label: "the first rows" },
        { selector: { type: "lines", start: -Math.min(lines, LINES_COUNT) }, label: "the last rows" },
      ];
    }
    const views: ProposedView[] = [
      { selector: { type: "rows", start: 0, end: Math.min(ROWS_COUNT, rows) }, label: "the first rows" },
    ];
    // Rows are counted from the end only in what one read holds.
    const type = fitsIn(this.#units, VIEW_SCAN_MAX_BYTES) ? "rows" : "lines";
    if (rows > ROWS_COUNT) views.push({ selector: { type, start: -ROWS_COUNT }, label: "the last rows" });
    const telling = this.#columns.findIndex((column) => column.telling);
    const column = this.#header?.[Math.max(0, telling)];
    if (!this.#repeats && column?.whole === true && column.head !== "" && this.#width > 1) {
      const end = Math.min(rows, COLUMN_ROWS_COUNT);
      views.push({
        selector: { type: "rows", start: 0, end, columns: [column.head] },
        label: `column ${quoted(column.head)}`,
      });
    }
    return views;
  }
}

function splitterOf(delimiter: string | WordsForm, onRecord: (record: TableRecord) => void): Splitter {
  if (typeof delimiter !== "string") return new WordsSplitter(delimiter, onRecord);
  if (delimiter === SPACED) return new SpacedSplitter(onRecord);
  const form = GRID_FORMS.find((each) => GRIDS[each] === delimiter);
  return form === undefined ? new RecordSplitter(delimiter, onRecord) : new GridSplitter(form, onRecord);
}

const GRID_FORMS: readonly GridForm[] = ["grid", "frame"];

function own(cell: ScannedText): ScannedText {
  return { ...cell, head: owned(cell.head) };
}
