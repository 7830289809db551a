import {
  VIEW_GREP_FOOT_MAX_BYTES,
  VIEW_GREP_LEAD_CHARS,
  VIEW_GREP_LINE_MAX_CHARS,
  VIEW_GREP_PIECE_MAX_CHARS,
  VIEW_MAX_BYTES,
} from "../../limits.ts";
import { utf8Bytes } from "../result/utf8.ts";
import type { LinearRegExp } from "../../linear-regexp.ts";

const MARK = "…";

/** One answer of `grep`, line by line, until it is full. */
export class GrepPage {
  readonly lines: string[] = [];
  /** Lines in which the pattern was found, so far. */
  matched = 0;
  readonly #regexp: LinearRegExp;
  readonly #context: number;
  #room = VIEW_MAX_BYTES - VIEW_GREP_FOOT_MAX_BYTES;
  /** The last lines that were not shown. */
  #before: string[] = [];
  /** Lines that are still to be shown behind a match. */
  #after: number;

  /** `after`: how many of the first lines are context of a match that was shown before. */
  constructor(regexp: LinearRegExp, context: number, after: number) {
    this.#regexp = regexp;
    this.#context = context;
    this.#after = after;
  }

  /** How many of the lines looked at last would be context of a match behind them. */
  get pending(): number {
    return this.#before.length;
  }

  /** Looks at one line; a number where the answer is full, and how far in the line it came. */
  take(number: number, line: string): number | undefined {
    if (!this.#regexp.test(line)) return this.#pass(number, line);
    return line.length <= VIEW_GREP_LINE_MAX_CHARS
      ? this.#show(`${number}: ${line}`, 0)
      : this.#showLong(number, line);
  }

  #pass(number: number, line: string): number | undefined {
    if (this.#context === 0) return undefined;
    const shown = `${number}- ${cutLine(line, 0, VIEW_GREP_LINE_MAX_CHARS)}`;
    if (this.#after > 0) {
      if (!this.#put(shown)) return 0;
      this.#after -= 1;
      return undefined;
    }
    this.#before.push(shown);
    if (this.#before.length > this.#context) this.#before.shift();
    return undefined;
  }

  /**
   * A match with the context before it. Where an answer would have room for nothing else, and not for both, it is the
   * beginning of the context, so that the next answer has the rest.
   */
  #show(shown: string, at: number): number | undefined {
    const before = this.#before;
    if (sizeOf([...before, shown]) > this.#room) {
      if (this.lines.length > 0) return at;
      for (let first = before[0]; first !== undefined && this.#put(first); first = before[0]) before.shift();
      return at;
    }
    for (const each of [...before, shown]) this.#put(each);
    this.#before = [];
    this.#after = this.#context;
    if (at === 0) this.matched += 1;
    return undefined;
  }

  /**
   * Every match of a long line with what is around it. The line is searched in pieces, or the search for each match could
   * go to its end; a match across two pieces is not found.
   */
  #showLong(number: number, line: string): number | undefined {
    const wasMatched = this.matched;
    let hasAny = false;
    for (let start = 0; start < line.length;) {
      const end = pieceEnd(line, start);
      const piece = line.slice(start, end);
      let from = 0;
      while (from <= piece.length) {
        const match = this.#regexp.find(piece, from);
        if (match === undefined) break;
        const shownFrom = Math.max(0, start + match.start - VIEW_GREP_LEAD_CHARS);
        const shown = `${number}: ${cutLine(line, shownFrom, shownFrom + VIEW_GREP_LINE_MAX_CHARS)}`;
        const full = this.#show(shown, hasAny ? start + from : 0);
        if (full !== undefined) return full;
        hasAny = true;
        this.matched = wasMatched + 1;
        const next = Math.max(match.end, match.start + 1, shownFrom + VIEW_GREP_LINE_MAX_CHARS - start);
        from = isLowAt(piece, next) ? next + 1 : next;
      }
      start = end;
    }
    return undefined;
  }

  #put(line: string): boolean {
    const size = sizeOf([line]);
    if (size > this.#room) return false;
    this.#room -= size;
    this.lines.push(line);
    return true;
  }
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Bytes(line) + 1, 0);
}

/** A part of a line, with marks where it goes on; no surrogate pair is split. */
function cutLine(line: string, from: number, to: number): string {
  const start = isLowAt(line, from) ? from + 1 : from;
  const end = isLowAt(line, to) ? to - 1 : to;
  return `${start > 0 ? MARK : ""}${line.slice(start, end)}${end < line.length ? MARK : ""}`;
}

/** Behind a space or a comma, if there is one near the end of what one search may see. */
function pieceEnd(line: string, start: number): number {
  const limit = start + VIEW_GREP_PIECE_MAX_CHARS;
  if (limit >= line.length) return line.length;
  for (let at = limit; at > limit - VIEW_GREP_LINE_MAX_CHARS; at -= 1) {
    const unit = line.charAt(at - 1);
    if (unit === " " || unit === ",") return at;
  }
  return isLowAt(line, limit) ? limit - 1 : limit;
}

function isLowAt(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
