import { isHigh, isLow } from "../cut.ts";
import type { ScannedText } from "../json/scanner.ts";
import { SUMMARY_COLUMNS_MAX_COUNT, SUMMARY_VALUE_HEAD_CHARS } from "../../../limits.ts";

export interface TableRecord {
  /** Of the first columns. */
  readonly cells: readonly ScannedText[];
  /** How many fields there are. */
  readonly width: number;
  /** The line from 0 on which it begins. */
  readonly line: number;
}

type State = "start" | "plain" | "quoted" | "quote";

const QUOTE = 0x22;
const RETURN = 0x0d;
const NEWLINE = 0x0a;

/**
 * Splits comma- or tab-separated values (RFC 4180, with any one delimiter) piece by piece. A field may be of any length and
 * have line ends in it; only its beginning is kept. Empty lines are no records. Stops at a quoted field that goes on
 * behind its quote, or that never ends.
 */
export class RecordSplitter {
  readonly #onRecord: (record: TableRecord) => void;
  readonly #delimiter: number;
  #state: State = "start";
  #broken: number | undefined;
  #cells: ScannedText[] = [];
  #width = 0;
  #head = "";
  #units = 0;
  #pairs = 0;
  #high = false;
  #line = 0;
  #recordLine = 0;
  /** Whether the record has anything in it but a line end. */
  #begun = false;
  /** A `\r` that is part of a field unless a `\n` follows. */
  #returned = false;
  #first = true;

  constructor(delimiter: string, onRecord: (record: TableRecord) => void) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#onRecord = onRecord;
  }

  /** The line from 0 of the record that cannot be read. */
  get brokenAt(): number | undefined {
    return this.#broken;
  }

  get retainedChars(): number {
    return this.#cells.reduce((sum, { head }) => sum + head.length, this.#head.length);
  }

  push(piece: string): void {
    let at = 0;
    if (this.#first && piece !== "") {
      this.#first = false;
      if (piece.charCodeAt(0) === 0xfe_ff) at = 1;
    }
    while (at < piece.length && this.#broken === undefined) {
      at = this.#state === "quoted" ? this.#inQuotes(piece, at) : this.#outside(piece, at);
    }
  }

  finish(): void {
    if (this.#broken !== undefined) return;
    if (this.#state === "quoted") this.#broken = this.#recordLine;
    else {
      this.#endReturn();
      if (this.#begun) this.#endRecord();
    }
  }

  #inQuotes(piece: string, from: number): number {
    const quote = piece.indexOf('"', from);
    const to = quote < 0 ? piece.length : quote;
    this.#take(piece, from, to);
    if (quote < 0) return to;
    this.#state = "quote";
    return quote + 1;
  }

  #outside(piece: string, from: number): number {
    const unit = piece.charCodeAt(from);
    if (this.#returned && unit !== NEWLINE) {
      this.#endReturn();
      if (this.#broken !== undefined) return from;
    }
    switch (unit) {
      case this.#delimiter:
        this.#begun = true;
        this.#endCell();
        return from + 1;
      case NEWLINE:
        this.#returned = false;
        this.#line += 1;
        if (this.#begun) this.#endRecord();
        this.#recordLine = this.#line;
        return from + 1;
      case RETURN:
        this.#returned = true;
        return from + 1;
      case QUOTE:
        if (this.#state === "plain") break;
        this.#begun = true;
        if (this.#state === "quote") this.#take('"', 0, 1);
        this.#state = "quoted";
        return from + 1;
      default:
    }
    if (this.#state === "quote") {
      this.#broken = this.#recordLine;
      return from;
    }
    this.#begun = true;
    this.#state = "plain";
    let to = from + 1;
    while (to < piece.length && !this.#ends(piece.charCodeAt(to))) to += 1;
    this.#take(piece, from, to);
    return to;
  }

  #ends(unit: number): boolean {
    return unit === this.#delimiter || unit === NEWLINE || unit === RETURN;
  }

  /** A `\r` alone is a sign like others. */
  #endReturn(): void {
    if (!this.#returned) return;
    this.#returned = false;
    if (this.#state === "quote") this.#broken = this.#recordLine;
    else {
      this.#begun = true;
      this.#state = "plain";
      this.#take("\r", 0, 1);
    }
  }

  #take(piece: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const unit = piece.charCodeAt(at);
      if (unit === NEWLINE) this.#line += 1;
      else if (this.#high && isLow(unit)) this.#pairs += 1;
      this.#high = unit >= 0xd8_00 && isHigh(unit);
    }
    this.#units += to - from;
    if (this.#width >= SUMMARY_COLUMNS_MAX_COUNT) return;
    const room = SUMMARY_VALUE_HEAD_CHARS - this.#head.length;
    if (room > 0) this.#head += piece.slice(from, Math.min(to, from + room));
  }

  #endCell(): void {
    if (this.#width < SUMMARY_COLUMNS_MAX_COUNT) {
      const whole = this.#head.length === this.#units;
      this.#cells.push({ head: this.#head, points: this.#units - this.#pairs, whole });
    }
    this.#width += 1;
    this.#head = "";
    this.#units = 0;
    this.#pairs = 0;
    this.#high = false;
    this.#state = "start";
  }

  #endRecord(): void {
    this.#endCell();
    this.#onRecord({ cells: this.#cells, width: this.#width, line: this.#recordLine });
    this.#cells = [];
    this.#width = 0;
    this.#begun = false;
  }
}
