import { decodeUtf8 } from "../../result/utf8.ts";
import { gridCells, type GridForm } from "../../summary/table/grid-lines.ts";
import { NEWLINE } from "../plan.ts";

const QUOTE = 0x22;
const RETURN = 0x0d;

/** What stands between two fields of a table; the word is what `resume` says. */
export const DELIMITERS = { comma: ",", tab: "\t", semicolon: ";", pipe: "|" } as const;
export type Delimiter = keyof typeof DELIMITERS;

/** How a table's records are told apart: by a delimiter, or as lines that are drawn. */
export type TableForm = Delimiter | GridForm;

/** A scanner of either. */
export type AnyRecords = Pick<RecordScanner, "next" | "at">;

export function recordsOf(bytes: Uint8Array, form: TableForm, isLast: boolean, at = 0): AnyRecords {
  return form === "grid" || form === "frame"
    ? new GridScanner(bytes, form, isLast, at)
    : new RecordScanner(bytes, form, isLast, at);
}

/** Goes through the lines of a drawn table that have cells: the names, then the rows. */
class GridScanner implements AnyRecords {
  readonly #bytes: Uint8Array;
  readonly #form: GridForm;
  readonly #isLast: boolean;
  at: number;

  constructor(bytes: Uint8Array, form: GridForm, isLast: boolean, at: number) {
    this.#bytes = bytes;
    this.#form = form;
    this.#isLast = isLast;
    this.at = at;
  }

  next(): RecordSpan | undefined {
    while (this.at < this.#bytes.length) {
      const start = this.at;
      const newline = this.#bytes.indexOf(NEWLINE, start);
      if (newline < 0 && !this.#isLast) return undefined;
      const end = newline < 0 ? this.#bytes.length : newline + 1;
      this.at = end;
      const line = decodeUtf8(this.#bytes.subarray(start, end));
      if (gridCells(line, this.#form) !== undefined) return { start, end };
    }
    return undefined;
  }
}

export interface RecordSpan {
  readonly start: number;
  /** Behind its line end. */
  readonly end: number;
}

/**
 * Goes through the records of a table (RFC 4180, with any delimiter): a field that begins with a quote may hold line ends
 * and delimiters, a quote anywhere else is a character. Empty lines are no records.
 */
export class RecordScanner {
  readonly #bytes: Uint8Array;
  readonly #delimiter: number;
  /** Nothing follows behind the bytes. */
  readonly #isLast: boolean;
  /** The next quote and the next line end, looked for once each. */
  #quote = -1;
  #newline = -1;
  at: number;

  constructor(bytes: Uint8Array, delimiter: Delimiter, isLast: boolean, at = 0) {
    this.#bytes = bytes;
    this.#delimiter = DELIMITERS[delimiter].charCodeAt(0);
    this.#isLast = isLast;
    this.at = at;
  }

  /** The next record that ends among the bytes; `undefined` where there is none, and `at` is where it would begin. */
  next(): RecordSpan | undefined {
    for (;;) {
      const start = this.at;
      if (start >= this.#bytes.length) return undefined;
      const end = this.#end(start);
      if (end === undefined) return undefined;
      this.at = end;
      if (!isBlank(this.#bytes, start, end)) return { start, end };
    }
  }

  #end(start: number): number | undefined {
    const bytes = this.#bytes;
    let fieldStart = start;
    for (;;) {
      if (this.#newline < fieldStart) this.#newline = indexOrEnd(bytes, NEWLINE, fieldStart);
      if (this.#quote < fieldStart) this.#quote = indexOrEnd(bytes, QUOTE, fieldStart);
      const lineEnd = this.#newline;
      const behind = this.#quote < lineEnd ? this.#quotedField(fieldStart, lineEnd) : lineEnd;
      if (behind === undefined) return this.#isLast ? bytes.length : undefined;
      if (behind === lineEnd) {
        if (lineEnd < bytes.length) return lineEnd + 1;
        return this.#isLast ? bytes.length : undefined;
      }
      fieldStart = behind;
    }
  }

  /**
   * Behind the first field of the line that begins with a quote, where the search goes on; the line's end where no field
   * does; `undefined` where the quote is never closed.
   */
  #quotedField(from: number, lineEnd: number): number | undefined {
    const bytes = this.#bytes;
    let field = from;
    while (field < lineEnd && bytes[field] !== QUOTE) {
      while (field < lineEnd && bytes[field] !== this.#delimiter) field += 1;
      field += 1;
    }
    if (field >= lineEnd) return lineEnd;
    let close = bytes.indexOf(QUOTE, field + 1);
    while (close >= 0 && bytes[close + 1] === QUOTE) close = bytes.indexOf(QUOTE, close + 2);
    if (close < 0) return undefined;
    // What follows the closing quote belongs to the field, up to its delimiter.
    let at = close + 1;
    while (at < bytes.length && bytes[at] !== this.#delimiter && bytes[at] !== NEWLINE) at += 1;
    return bytes[at] === this.#delimiter ? at + 1 : at;
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index < 0 ? bytes.length : index;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (bytes[at] !== NEWLINE && bytes[at] !== RETURN) return false;
  }
  return true;
}

/** The fields of one record, quotes taken off. */
export function fieldsOf(record: string, delimiter: Delimiter): readonly string[] {
  const mark = DELIMITERS[delimiter];
  const text = record.replace(/\r?\n$/, "");
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    let field = "";
    if (text[at] === '"') {
      let close = text.indexOf('"', at + 1);
      while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
      if (close < 0) close = text.length;
      field = text.slice(at + 1, close).replaceAll('""', '"');
      at = close + 1;
    }
    const end = text.indexOf(mark, at);
    fields.push(field + text.slice(at, end < 0 ? text.length : end));
    if (end < 0) return fields;
    at = end + 1;
  }
}

/** Fields as a record, with its line end; quoted where they would be read otherwise. */
export function recordOf(fields: readonly string[], delimiter: TableForm): string {
  if (delimiter === "grid" || delimiter === "frame") return `${fields.join(" | ")}\n`;
  const mark = DELIMITERS[delimiter];
  const written = fields.map((field) =>
    field.includes(mark) || /["\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  // An empty line would be no record.
  return `${written.length === 1 && written[0] === "" ? '""' : written.join(mark)}\n`;
}
