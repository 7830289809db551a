/** Why a text is not read on: it is no JSON (RFC 8259), or nested deeper than the reader bears. */
export type JsonProblem = "syntax" | "too_deep";

/**
 * Told of a JSON text's tokens while it comes in pieces. Every offset is in the piece told of last, and what stands between
 * two offsets, white space aside, is the text itself: nothing is copied for whoever does not need it.
 */
export interface JsonTokens {
  /** A piece begins. */
  piece(text: string): void;
  /** White space between tokens. */
  gap(from: number, to: number): void;
  open(at: number, isObject: boolean): void;
  close(at: number): void;
  /** `at` is the quotation mark's place. */
  stringStart(at: number, isKey: boolean): void;
  /** Never cut inside an escape or between the escapes of a surrogate pair; `escaped`: some are in it. */
  stringPart(from: number, to: number, escaped: boolean): void;
  stringEnd(at: number, isKey: boolean): void;
  /** A number, `true`, `false` or `null`; its text goes on to `scalarEnd`, whatever piece that is in. */
  scalarStart(at: number): void;
  /** `at` is the place behind it. */
  scalarEnd(at: number): void;
  /** The piece is over at `to`; characters behind it come again at the next one's beginning. */
  pieceEnd(to: number): void;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const LOWER_U = 0x75;

type Expected = "value" | "first_element" | "first_key" | "key" | "colon" | "comma_or_end" | "nothing";
type NumberState = "minus" | "zero" | "whole" | "point" | "fraction" | "e" | "sign" | "exponent";
type Inside = "nothing" | "string" | "number" | "literal";

/** Where a number may end. */
const COMPLETE: ReadonlySet<NumberState> = new Set(["zero", "whole", "fraction", "exponent"]);

/**
 * Reads a JSON text in pieces, wherever it is cut, with the verdict that `JSON.parse` has on the whole, nesting past
 * `maxDepth` aside. Holds a bit of stack and at most twelve characters; looks at no character twice.
 */
export class JsonStream {
  readonly #tokens: JsonTokens;
  /** Whether each open container is an object. */
  readonly #stack: Uint8Array;
  #depth = 0;
  #expected: Expected = "value";
  #inside: Inside = "nothing";
  #isKey = false;
  #number: NumberState = "minus";
  #literal = "";
  #literalAt = 0;
  /** The beginning of an escape that the last piece did not hold to its end. */
  #carried = "";
  /** Nobody listens at this depth and below; zero while someone does. */
  #hushedAt = 0;
  #problem: JsonProblem | undefined;

  constructor(tokens: JsonTokens, maxDepth: number) {
    this.#tokens = tokens;
    this.#stack = new Uint8Array(maxDepth);
  }

  /** Why nothing more is read. */
  get problem(): JsonProblem | undefined {
    return this.#problem;
  }

  /**
   * Called while an object or array is told of: what is in it is judged and not told, gaps and string parts with escapes
   * aside, until it is closed.
   */
  hush(): void {
    this.#hushedAt = this.#depth;
  }

  push(piece: string): void {
    if (this.#problem !== undefined) return;
    const text = this.#carried === "" ? piece : this.#carried + piece;
    this.#carried = "";
    this.#tokens.piece(text);
    let at = 0;
    while (at < text.length) {
      switch (this.#inside) {
        case "nothing":
          at = this.#token(text, at);
          break;
        case "string":
          at = this.#string(text, at);
          break;
        case "number":
          at = this.#digits(text, at);
          break;
        case "literal":
          at = this.#letters(text, at);
          break;
      }
      if (this.#problem !== undefined) return;
    }
    this.#tokens.pieceEnd(text.length - this.#carried.length);
  }

  /** The text is over. */
  end(): void {
    if (this.#problem !== undefined) return;
    if (this.#inside === "number" && COMPLETE.has(this.#number)) {
      this.#tokens.piece("");
      this.#endScalar(0);
    }
    if (this.#expected !== "nothing" || this.#inside !== "nothing") this.#problem = "syntax";
  }

  #token(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    if (unit <= SPACE) return isSpace(unit) ? this.#gap(text, at) : this.#fail("syntax", text);
    switch (this.#expected) {
      case "first_element":
        if (unit === CLOSE_ARRAY) return this.#close(at);
        return this.#value(text, at, unit);
      case "value":
        return this.#value(text, at, unit);
      case "first_key":
        if (unit === CLOSE_OBJECT) return this.#close(at);
        return unit === QUOTE ? this.#quote(at, true) : this.#fail("syntax", text);
      case "key":
        return unit === QUOTE ? this.#quote(at, true) : this.#fail("syntax", text);
      case "colon":
        if (unit !== COLON) return this.#fail("syntax", text);
        this.#expected = "value";
        return at + 1;
      case "comma_or_end": {
        const inObject = this.#stack[this.#depth - 1] === 1;
        if (unit === (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return this.#close(at);
        if (unit !== COMMA) return this.#fail("syntax", text);
        this.#expected = inObject ? "key" : "value";
        return at + 1;
      }
      case "nothing":
        return this.#fail("syntax", text);
    }
  }

  #gap(text: string, from: number): number {
    let to = from + 1;
    while (to < text.length && isSpace(text.charCodeAt(to))) to += 1;
    this.#tokens.gap(from, to);
    return to;
  }

  #value(text: string, at: number, unit: number): number {
    switch (unit) {
      case QUOTE:
        return this.#quote(at, false);
      case OPEN_OBJECT:
      case OPEN_ARRAY: {
        if (this.#depth === this.#stack.length) return this.#fail("too_deep", text);
        const isObject = unit === OPEN_OBJECT;
        this.#stack[this.#depth] = isObject ? 1 : 0;
        this.#depth += 1;
        this.#expected = isObject ? "first_key" : "first_element";
        if (this.#hushedAt === 0) this.#tokens.open(at, isObject);
        return at + 1;
      }
      case 0x74:
        return this.#scalar("literal", at, "true");
      case 0x66:
        return this.#scalar("literal", at, "false");
      case 0x6e:
        return this.#scalar("literal", at, "null");
      default:
    }
    const first = unit === MINUS ? "minus" : unit === ZERO ? "zero" : isDigit(unit) ? "whole" : undefined;
    if (first === undefined) return this.#fail("syntax", text);
    this.#number = first;
    return this.#scalar("number", at, "");
  }

  #close(at: number): number {
    if (this.#hushedAt === this.#depth) this.#hushedAt = 0;
    this.#depth -= 1;
    this.#endValue();
    if (this.#hushedAt === 0) this.#tokens.close(at);
    return at + 1;
  }

  #endValue(): void {
    this.#expected = this.#depth === 0 ? "nothing" : "comma_or_end";
  }

  #quote(at: number, isKey: boolean): number {
    this.#inside = "string";
    this.#isKey = isKey;
    if (this.#hushedAt === 0) this.#tokens.stringStart(at, isKey);
    return at + 1;
  }

  #string(text: string, from: number): number {
    let escaped = false;
    let at = from;
    while ((at = specialAt(text, at)) < text.length) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.#part(from, at, escaped);
        this.#inside = "nothing";
        if (this.#isKey) this.#expected = "colon";
        else this.#endValue();
        if (this.#hushedAt === 0) this.#tokens.stringEnd(at, this.#isKey);
        return at + 1;
      }
      if (unit !== BACKSLASH) return this.#fail("syntax", text);
      const end = escapeEnd(text, at);
      if (end === "illegal") return this.#fail("syntax", text);
      if (end === "cut") {
        this.#carried = text.slice(at);
        break;
      }
      escaped = true;
      at = end;
    }
    this.#part(from, at, escaped);
    return text.length;
  }

  #part(from: number, to: number, escaped: boolean): void {
    if (to > from && (escaped || this.#hushedAt === 0)) this.#tokens.stringPart(from, to, escaped);
  }

  #scalar(inside: "number" | "literal", at: number, literal: string): number {
    this.#inside = inside;
    this.#literal = literal;
    this.#literalAt = 1;
    if (this.#hushedAt === 0) this.#tokens.scalarStart(at);
    return at + 1;
  }

  #endScalar(at: number): void {
    this.#inside = "nothing";
    this.#endValue();
    if (this.#hushedAt === 0) this.#tokens.scalarEnd(at);
  }

  #letters(text: string, from: number): number {
    let at = from;
    while (at < text.length && this.#literalAt < this.#literal.length) {
      if (text.charCodeAt(at) !== this.#literal.charCodeAt(this.#literalAt))
        return this.#fail("syntax", text);
      this.#literalAt += 1;
      at += 1;
    }
    if (this.#literalAt === this.#literal.length) this.#endScalar(at);
    return at;
  }

  #digits(text: string, from: number): number {
    let state = this.#number;
    let at = from;
    for (; at < text.length; at += 1) {
      // Most digits change nothing.
      if (state === "whole" && isDigit(text.charCodeAt(at))) continue;
      const next = after(state, text.charCodeAt(at));
      if (next === undefined) {
        if (!COMPLETE.has(state)) return this.#fail("syntax", text);
        this.#endScalar(at);
        break;
      }
      state = next;
    }
    this.#number = state;
    return at;
  }

  #fail(problem: JsonProblem, text: string): number {
    this.#problem = problem;
    return text.length;
  }
}

/** Strings of so many characters and more are searched by the engine; for short ones that costs more than it saves. */
const SHORT_CHARS = 48;

/** Where in a string the next character is that is not simply its own: a quotation mark, an escape, a control character. */
function specialAt(text: string, from: number): number {
  const end = Math.min(text.length, from + SHORT_CHARS);
  for (let at = from; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE || unit === BACKSLASH || unit < SPACE) return at;
  }
  if (end === text.length) return end;
  SPECIAL.lastIndex = end;
  return SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : text.length;
}

const SPECIAL = /["\\]|[^ -\uffff]/g;

/** The state of a number with one character more; undefined where it cannot go on with it. */
function after(state: NumberState, unit: number): NumberState | undefined {
  const digit = isDigit(unit);
  switch (state) {
    case "minus":
      if (unit === ZERO) return "zero";
      return digit ? "whole" : undefined;
    case "zero":
    case "whole":
      if (digit) return state === "whole" ? "whole" : undefined;
      if (unit === POINT) return "point";
      return isE(unit) ? "e" : undefined;
    case "point":
      return digit ? "fraction" : undefined;
    case "fraction":
      if (digit) return "fraction";
      return isE(unit) ? "e" : undefined;
    case "e":
      if (digit) return "exponent";
      return unit === PLUS || unit === MINUS ? "sign" : undefined;
    case "sign":
    case "exponent":
      return digit ? "exponent" : undefined;
  }
}

/**
 * Where the escape at `at` is over. One that may be the first half of a surrogate pair is cut as long as the second is not
 * here to its end, so that no pair is ever handed on in halves.
 */
function escapeEnd(text: string, at: number): number | "cut" | "illegal" {
  if (at + 1 >= text.length) return "cut";
  const kind = text.charCodeAt(at + 1);
  if (kind !== LOWER_U) return SHORT_ESCAPES.has(kind) ? at + 2 : "illegal";
  let code = 0;
  for (let index = at + 2; index < at + 6; index += 1) {
    if (index >= text.length) return "cut";
    const digit = hexDigit(text.charCodeAt(index));
    if (digit < 0) return "illegal";
    code = code * 16 + digit;
  }
  const end = at + 6;
  if (code < 0xd800 || code > 0xdbff) return end;
  if (end >= text.length) return "cut";
  if (text.charCodeAt(end) !== BACKSLASH) return end;
  if (end + 1 < text.length && text.charCodeAt(end + 1) !== LOWER_U) return end;
  return end + 6 > text.length ? "cut" : end;
}

const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)));

function hexDigit(unit: number): number {
  if (isDigit(unit)) return unit - ZERO;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const isDigit = (unit: number) => unit >= ZERO && unit <= NINE;
const isE = (unit: number) => unit === 0x65 || unit === 0x45;
const isSpace = (unit: number) => unit === SPACE || unit === 0x0a || unit === 0x0d || unit === 0x09;

/** The characters of a part of a string, its escapes read. */
export function decodedPart(text: string, from: number, to: number, escaped: boolean): string {
  const part = text.slice(from, to);
  // The stream has judged every escape, so the engine takes them.
  return escaped ? String(JSON.parse(`"${part}"`)) : part;
}
