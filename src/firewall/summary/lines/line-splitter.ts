import { SUMMARY_LINE_HEAD_CHARS } from "../../../limits.ts";

/** The beginning of a line without its end, how long it is in UTF-16 units, and its number from 0. */
export type OnLine = (head: string, units: number, line: number) => void;

/**
 * Cuts a text into lines as `tool_view` does: a line ends with `\n`, and what follows the last one is a line too, unless it
 * is empty. Of a long line only the beginning is kept.
 */
export class LineSplitter {
  readonly #onLine: OnLine;
  readonly #headChars: number;
  #head = "";
  #units = 0;
  #line = 0;
  /** Whether the unit before was a `\r`, which a `\n` would make part of the line's end. */
  #returned = false;

  constructor(onLine: OnLine, headChars = SUMMARY_LINE_HEAD_CHARS) {
    this.#onLine = onLine;
    this.#headChars = headChars;
  }

  get retainedChars(): number {
    return this.#head.length;
  }

  push(piece: string): void {
    let from = 0;
    while (from < piece.length) {
      const newline = piece.indexOf("\n", from);
      if (newline < 0) {
        this.#take(piece, from, piece.length);
        return;
      }
      this.#take(piece, from, newline);
      this.#end(this.#returned);
      from = newline + 1;
    }
  }

  /** How many lines there are. */
  finish(): number {
    if (this.#units > 0) this.#end(false);
    return this.#line;
  }

  #take(piece: string, from: number, to: number): void {
    if (to === from) return;
    this.#units += to - from;
    this.#returned = piece.charCodeAt(to - 1) === 0x0d;
    const room = this.#headChars - this.#head.length;
    if (room > 0) this.#head += piece.slice(from, Math.min(to, from + room));
  }

  #end(returned: boolean): void {
    const units = this.#units - (returned ? 1 : 0);
    this.#onLine(this.#head.slice(0, units), units, this.#line);
    this.#line += 1;
    this.#head = "";
    this.#units = 0;
    this.#returned = false;
  }
}
