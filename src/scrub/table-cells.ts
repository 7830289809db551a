/**
 * The cells of a record, which may go on over lines where a cell is in quotes. Each is as it is written; a delimiter in quotes
 * is none, and a quote that does not begin a cell is a sign like any other.
 */
export class RecordCells {
  readonly #delimiter: string;
  readonly #cells: string[] = [];
  /** The cell that goes on in the next line, with the line's end. */
  #open = "";
  #isQuoted = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** All of them, once the record has ended. */
  get cells(): readonly string[] {
    return this.#cells;
  }

  get isOpen(): boolean {
    return this.#isQuoted;
  }

  add(line: string): void {
    let from = 0;
    let isStart = !this.#isQuoted;
    let closedAt = -2;
    for (let at = 0; at < line.length; at += 1) {
      const unit = line.charAt(at);
      if (this.#isQuoted) {
        if (unit !== '"') continue;
        this.#isQuoted = false;
        closedAt = at;
      } else if (unit === '"' && (isStart || closedAt === at - 1)) {
        this.#isQuoted = true;
        isStart = false;
      } else if (unit === this.#delimiter) {
        this.#cells.push(this.#open + line.slice(from, at));
        this.#open = "";
        from = at + 1;
        isStart = true;
      } else if (unit !== " " && unit !== "\t") isStart = false;
    }
    this.#open += line.slice(from);
    if (this.#isQuoted) this.#open += "\n";
    else {
      this.#cells.push(this.#open);
      this.#open = "";
    }
  }
}

/** A line's cells as they are written, whatever is open at its end. */
export function cellsOfLine(line: string, delimiter: string, hasQuotes: boolean): readonly string[] {
  if (!hasQuotes || !line.includes('"')) return line.split(delimiter);
  const record = new RecordCells(delimiter);
  record.add(line);
  if (!record.isOpen) return record.cells;
  return line.split(delimiter);
}

/** Where a cell's value is: without spaces, quotes, the end of the line around it. */
export function valueSpan(cell: string): { readonly start: number; readonly end: number } {
  const start = CELL_START.exec(cell)?.[0].length ?? 0;
  const end = cell.trimEnd().length;
  return { start, end: Math.max(start, end > start && cell.charAt(end - 1) === '"' ? end - 1 : end) };
}

const CELL_START = /^[ \t]*"?/;
