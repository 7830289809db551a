import { SUMMARY_JSON_MAX_DEPTH, SUMMARY_VALUE_HEAD_CHARS } from "../../../limits.ts";
import { isHigh, isLow } from "../cut.ts";
import { JsonBrackets } from "./brackets.ts";
import {
  isNumberEnd,
  nextNumberState,
  NUMBER_START,
  type NumberState,
  numberStart,
} from "./number-grammar.ts";

/** A string or a number that has gone by: its beginning, decoded, and how many code points there were. */
export interface ScannedText {
  readonly head: string;
  readonly points: number;
  /** Whether the head is all of it. */
  readonly whole: boolean;
}

/** Hears the tokens of JSON texts as they go by. */
export interface JsonEvents {
  open(array: boolean): void;
  close(): void;
  key(text: ScannedText): void;
  string(text: ScannedText): void;
  /** As it is written. */
  number(text: ScannedText): void;
  literal(text: "true" | "false" | "null"): void;
}

/** Where a text stops being JSON. */
export interface JsonFault {
  readonly line: number;
  /** Code points before it. */
  readonly points: number;
  readonly reason: "syntax" | "end" | "depth";
}

type State =
  | "value"
  | "value_or_close"
  | "key"
  | "key_or_close"
  | "colon"
  | "after"
  | "string"
  | "escape"
  | "unicode"
  | "number"
  | "literal"
  | "fault";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
const LITERALS: ReadonlyMap<string, "true" | "false" | "null"> = new Map([
  ["t", "true"],
  ["f", "false"],
  ["n", "null"],
]);

/**
 * Reads JSON texts one behind the other (RFC 8259, strictly), piece by piece, and keeps of each token no more than its
 * beginning. It stops at the first fault; what was heard until then is true of what stands before it.
 */
export class JsonScanner {
  readonly #events: JsonEvents;
  readonly #brackets = new JsonBrackets(SUMMARY_JSON_MAX_DEPTH);
  #state: State = "value";
  #fault: JsonFault | undefined;
  #started = false;
  #deepest = 0;
  #line = 0;
  /** Where the last of the outermost values began. */
  #rootLine = -1;
  #oneALine = true;
  #dense = true;
  /** Lines of the first two of the outermost values. */
  readonly #firstLines: number[] = [];
  /** Units before the piece at hand, and second halves of surrogate pairs among all. */
  #units = 0;
  #pairs = 0;

  #inKey = false;
  #head = "";
  #points = 0;
  #whole = true;
  /** Whether the decoded unit before was the first half of a pair; the same of the text as written. */
  #high = false;
  #rawHigh = false;
  #hex = "";
  #numberState: NumberState = NUMBER_START;
  #literal: "true" | "false" | "null" = "null";
  #literalAt = 0;
  /** Whether the value before, outside of all others, may have the next one right behind it. */
  #apart = true;

  constructor(events: JsonEvents) {
    this.#events = events;
  }

  /** How deep values were nested in each other so far. */
  get deepest(): number {
    return this.#deepest;
  }

  get fault(): JsonFault | undefined {
    return this.#fault;
  }

  /** Whether each of the outermost values has a line, and no two have the same. */
  get oneALine(): boolean {
    return this.#oneALine;
  }

  /** Whether the outermost values have all lines up to the last one of them, and no empty line follows. */
  get dense(): boolean {
    return this.#dense && this.#line <= this.#rootLine + 1;
  }

  /** Lines so far, up to the fault where there is one. */
  get lines(): number {
    return this.#line + 1;
  }

  /** The lines on which the first two of the outermost values begin, and the last one. */
  get valueLines(): { readonly first: readonly number[]; readonly last: number } {
    return { first: this.#firstLines, last: this.#rootLine };
  }

  get retainedChars(): number {
    return this.#head.length + this.#brackets.retainedChars;
  }

  push(piece: string): void {
    let at = 0;
    while (at < piece.length && this.#state !== "fault") {
      switch (this.#state) {
        case "string":
          at = this.#inString(piece, at);
          break;
        case "number":
          at = this.#inNumber(piece, at);
          break;
        case "escape":
          this.#inEscape(piece.charAt(at), at);
          at += 1;
          break;
        case "unicode":
          this.#inUnicode(piece.charAt(at), at);
          at += 1;
          break;
        case "literal":
          this.#inLiteral(piece.charAt(at), at);
          at += 1;
          break;
        case "value":
        case "value_or_close":
        case "key":
        case "key_or_close":
        case "colon":
        case "after":
          at = this.#between(piece, at);
          break;
      }
    }
    this.#units += piece.length;
  }

  /** Ends the text: a value that is not complete is a fault. */
  finish(): void {
    if (this.#state === "number") this.#endNumber(0);
    if (this.#state === "fault") return;
    const complete = this.#brackets.depth === 0 && (this.#state === "after" || this.#state === "value");
    if (!complete) this.#fail(0, "end");
  }

  /** White space and the marks between tokens, until something begins. */
  #between(piece: string, from: number): number {
    let at = from;
    for (; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      if (unit === 0x20 || unit === 0x0d || unit === 0x09) {
        this.#apart = true;
        continue;
      }
      if (unit === 0x0a) {
        this.#line += 1;
        this.#apart = true;
        continue;
      }
      // A byte order mark, only in front.
      if (unit === 0xfe_ff && !this.#started && this.#units + at === 0) continue;
      this.#started = true;
      this.#begin(piece.charAt(at), at);
      if (this.#state === "string" || this.#state === "number" || this.#state === "literal") return at + 1;
      if (this.#state === "fault") return at + 1;
    }
    return at;
  }

  #begin(sign: string, at: number): void {
    const state = this.#state;
    if (state === "colon") {
      if (sign === ":") this.#state = "value";
      else this.#fail(at, "syntax");
    } else if (state === "key" || state === "key_or_close") {
      if (sign === '"') this.#beginString(true);
      else if (state === "key_or_close") this.#close(sign, at);
      else this.#fail(at, "syntax");
    } else if (state === "after" && this.#brackets.depth > 0) {
      if (sign === ",") this.#state = this.#brackets.inArray ? "value" : "key";
      else this.#close(sign, at);
    } else if (state === "value_or_close" && sign === "]") this.#close(sign, at);
    else if (this.#brackets.depth === 0) this.#beginRoot(sign, at);
    else this.#beginValue(sign, at);
  }

  #beginRoot(sign: string, at: number): void {
    const bracket = sign === "{" || sign === "[";
    if (!this.#apart && !bracket) return this.#fail(at, "syntax");
    if (bracket || sign === '"' || sign === "-" || LITERALS.has(sign) || isDigit(sign)) {
      if (this.#line === this.#rootLine) this.#oneALine = false;
      if (this.#line !== this.#rootLine + 1) this.#dense = false;
      if (this.#firstLines.length < 2) this.#firstLines.push(this.#line);
      this.#rootLine = this.#line;
    }
    this.#beginValue(sign, at);
  }

  #beginValue(sign: string, at: number): void {
    if (sign === '"') return this.#beginString(false);
    if (sign === "{" || sign === "[") return this.#open(sign === "[", at);
    const literal = LITERALS.get(sign);
    if (literal !== undefined) {
      this.#literal = literal;
      this.#literalAt = 1;
      this.#state = "literal";
      return;
    }
    const state = numberStart(sign);
    if (state === undefined) return this.#fail(at, "syntax");
    this.#numberState = state;
    this.#head = sign;
    this.#points = 1;
    this.#whole = true;
    this.#state = "number";
  }

  #open(array: boolean, at: number): void {
    if (!this.#brackets.open(array)) return this.#fail(at, "depth");
    this.#deepest = Math.max(this.#deepest, this.#brackets.depth);
    this.#state = array ? "value_or_close" : "key_or_close";
    this.#events.open(array);
  }

  #close(sign: string, at: number): void {
    if (sign !== (this.#brackets.inArray ? "]" : "}")) return this.#fail(at, "syntax");
    this.#brackets.close();
    this.#after();
    this.#events.close();
  }

  #after(): void {
    this.#state = "after";
    this.#apart = false;
    if (this.#brackets.depth === 0 && this.#line !== this.#rootLine) this.#oneALine = false;
  }

  #beginString(key: boolean): void {
    this.#inKey = key;
    this.#head = "";
    this.#points = 0;
    this.#whole = true;
    this.#high = false;
    this.#rawHigh = false;
    this.#state = "string";
  }

  #inString(piece: string, from: number): number {
    let at = from;
    let pairs = 0;
    let high = false;
    for (; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      if (unit === QUOTE || unit === BACKSLASH || unit < 0x20) break;
      if (unit >= 0xd8_00) {
        if (high && isLow(unit)) pairs += 1;
        high = isHigh(unit);
      } else high = false;
    }
    if (at > from) {
      this.#pairs += pairs + (this.#rawHigh && isLow(piece.charCodeAt(from)) ? 1 : 0);
      this.#rawHigh = high;
      this.#decoded(piece, from, at, pairs);
    }
    if (at === piece.length) return at;
    const unit = piece.charCodeAt(at);
    if (unit === QUOTE) this.#endString();
    else if (unit === BACKSLASH) {
      this.#rawHigh = false;
      this.#state = "escape";
    } else this.#fail(at, "syntax");
    return at + 1;
  }

  /** Counts what was decoded, with the pairs that are in it, and keeps of it what there is room for. */
  #decoded(text: string, from: number, to: number, pairs: number): void {
    const joined = this.#high && isLow(text.charCodeAt(from)) ? 1 : 0;
    this.#high = isHigh(text.charCodeAt(to - 1));
    this.#points += to - from - pairs - joined;
    const room = SUMMARY_VALUE_HEAD_CHARS - this.#head.length;
    if (to - from > room) this.#whole = false;
    if (room > 0) this.#head += text.slice(from, Math.min(to, from + room));
  }

  #endString(): void {
    const text = this.#scanned();
    if (this.#inKey) {
      this.#state = "colon";
      this.#events.key(text);
    } else {
      this.#after();
      this.#events.string(text);
    }
  }

  #inEscape(sign: string, at: number): void {
    if (sign === "u") {
      this.#hex = "";
      this.#state = "unicode";
      return;
    }
    const decoded = ESCAPES.get(sign);
    if (decoded === undefined) return this.#fail(at, "syntax");
    this.#decoded(decoded, 0, 1, 0);
    this.#state = "string";
  }

  #inUnicode(sign: string, at: number): void {
    if (!/^[0-9a-fA-F]$/.test(sign)) return this.#fail(at, "syntax");
    this.#hex += sign;
    if (this.#hex.length < 4) return;
    this.#decoded(String.fromCharCode(Number.parseInt(this.#hex, 16)), 0, 1, 0);
    this.#state = "string";
  }

  #inNumber(piece: string, from: number): number {
    let at = from;
    let state: NumberState | undefined = this.#numberState;
    for (; at < piece.length; at += 1) {
      const next = nextNumberState(state, piece.charCodeAt(at));
      if (next === undefined) break;
      state = next;
    }
    this.#numberState = state;
    if (at > from) this.#decoded(piece, from, at, 0);
    if (at < piece.length) this.#endNumber(at);
    return at;
  }

  #endNumber(at: number): void {
    if (!isNumberEnd(this.#numberState)) return this.#fail(at, "syntax");
    this.#after();
    this.#events.number(this.#scanned());
  }

  #inLiteral(sign: string, at: number): void {
    if (sign !== this.#literal[this.#literalAt]) return this.#fail(at, "syntax");
    this.#literalAt += 1;
    if (this.#literalAt < this.#literal.length) return;
    this.#after();
    this.#events.literal(this.#literal);
  }

  /** Its head may share the piece's memory: whoever keeps it makes it its own. */
  #scanned(): ScannedText {
    return { head: this.#head, points: this.#points, whole: this.#whole };
  }

  #fail(at: number, reason: JsonFault["reason"]): void {
    this.#fault = { line: this.#line, points: this.#units + at - this.#pairs, reason };
    this.#state = "fault";
  }
}

function isDigit(sign: string): boolean {
  return sign >= "0" && sign <= "9";
}
