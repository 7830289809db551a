import { characterLength } from "../../result/utf8.ts";

/** Where a scan stands inside a value that is begun: brackets open, and whether a string is. */
export interface Inside {
  readonly depth: number;
  readonly inString: boolean;
}

/** Before the first byte of a value, and in the middle of a number or a name. */
export const AT_VALUE: Inside = { depth: 0, inString: false };

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

/** How far a scan came: `inside` is `null` where the value is over, else the bytes were. */
export interface Scanned {
  readonly end: number;
  readonly inside: Inside | null;
}

/** Goes to the end of the value at `from`, or on to it. Takes the JSON for valid: brackets are counted, not matched. */
export function skipValue(bytes: Uint8Array, from: number, inside: Inside): Scanned {
  let at = from;
  let { depth, inString } = inside;
  for (;;) {
    if (inString) {
      const close = stringClose(bytes, at);
      if (close < 0) return { end: beforeEscape(bytes, at), inside: { depth, inString } };
      at = close;
      inString = false;
      if (depth === 0) return { end: at, inside: null };
    }
    if (at >= bytes.length) return { end: bytes.length, inside: { depth, inString } };
    switch (bytes[at] ?? 0) {
      case QUOTE:
        inString = true;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        // It closes what the number or name at hand is in.
        if (depth === 0) return { end: at, inside: null };
        depth -= 1;
        if (depth === 0) return { end: at + 1, inside: null };
        break;
      case COMMA:
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        if (depth === 0) return { end: at, inside: null };
        break;
      default:
    }
    at += 1;
  }
}

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at])) at += 1;
  return at;
}

/** Behind the quote that closes a string; -1 where it is not among the bytes. */
export function stringClose(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (at - slashes > from && bytes[at - slashes - 1] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return -1;
}

/** The end of the bytes, or before the backslash whose character is behind it. */
function beforeEscape(bytes: Uint8Array, from: number): number {
  let slashes = 0;
  while (bytes.length - slashes > from && bytes[bytes.length - slashes - 1] === BACKSLASH) slashes += 1;
  return bytes.length - (slashes % 2);
}

/** Where a document's first token begins: behind a byte order mark, if there is one, and white space. */
export function documentStart(bytes: Uint8Array): number {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return skipSpace(bytes, isMarked ? 3 : 0);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Bytes of an answer, as many as it may hold. */
export class Room {
  readonly #bytes: Uint8Array;
  length = 0;

  constructor(maxBytes: number) {
    this.#bytes = new Uint8Array(maxBytes);
  }

  get left(): number {
    return this.#bytes.length - this.length;
  }

  /** The caller has seen that there is room. */
  put(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** A few bytes of others, without a view of them. */
  copy(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      this.#bytes[this.length] = bytes[at] ?? 0;
      this.length += 1;
    }
  }

  take(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

/**
 * Copies a value, or a piece of one, without the white space between its tokens, while there is room. Characters and
 * escapes are copied whole or not at all. Tells where it stopped and what is open there.
 */
export function compactInto(
  room: Room,
  bytes: Uint8Array,
  from: number,
  to: number,
  inside: Inside,
): { readonly end: number; readonly inside: Inside } {
  let at = from;
  let { depth, inString } = inside;
  while (at < to) {
    const byte = bytes[at];
    if (!inString && isSpace(byte)) {
      at += 1;
      continue;
    }
    const unit = inString && byte === BACKSLASH ? 2 : characterLength(bytes, at);
    if (at + unit > to || unit > room.left) break;
    room.copy(bytes, at, at + unit);
    if (byte === QUOTE) inString = !inString;
    else if (!inString) {
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    }
    at += unit;
  }
  return { end: at, inside: { depth, inString } };
}
