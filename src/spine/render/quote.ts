import { truncateChars } from "./truncate.ts";

/** A JSON string as it is shown. */
export interface Quoted {
  readonly text: string;
  /** Code points of `text`. */
  readonly chars: number;
  /** Whether all of the string is there. */
  readonly isWhole: boolean;
}

/** What a line of its own may hold, or one cell of a row whose separator must not occur in it. */
export type QuotePlace = "line" | "cell";

/**
 * What moves a cursor, colours a terminal, breaks a line or turns it around, what a model reads and a person does not see
 * (tag characters among it), and what JSON cannot send. The joiners stay: emoji and whole scripts are written with them.
 */
const UNPRINTABLE =
  /[\p{Cc}\p{Surrogate}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;
const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, "gu");

/** Whether a text can stand in a line as it is. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

/** Each character that does not belong in a line as a space. */
export function withoutUnprintable(text: string): string {
  return text.replaceAll(ALL_UNPRINTABLE, " ");
}

/**
 * A text as a JSON string of one line and at most `maxChars` code points, 3 at least. What is cut off is marked by an
 * ellipsis before the closing quote, so that the string stays valid JSON; no escape and no surrogate pair is cut. A whole
 * string never looks like a cut one: an ellipsis that it ends with itself is written as an escape. Reads no more of the
 * text than fits.
 */
export function quoteJson(text: string, maxChars: number, place: QuotePlace = "line"): Quoted {
  const room = maxChars - 2;
  let whole = "";
  let wholeChars = 0;
  /** As much as leaves room for the mark. */
  let cut = "";
  let cutChars = 0;
  for (let at = 0; at < text.length;) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += char.length;
    const written = at === text.length && char === "…" ? "\\u2026" : escaped(char, place);
    whole += written;
    wholeChars += written.length === char.length ? 1 : written.length;
    if (wholeChars > room) return { text: `"${cut}…"`, chars: cutChars + 3, isWhole: false };
    if (wholeChars < room) {
      cut = whole;
      cutChars = wholeChars;
    }
  }
  return { text: `"${whole}"`, chars: wholeChars + 2, isWhole: true };
}

function escaped(char: string, place: QuotePlace): string {
  if (place === "cell" && char === "|") return unicodeEscape(char);
  const json = JSON.stringify(char).slice(1, -1);
  return json === char && UNPRINTABLE.test(char) ? unicodeEscape(char) : json;
}

/** An escape for each unit: JSON has none for a character of two. */
function unicodeEscape(char: string): string {
  return Array.from(
    { length: char.length },
    (_, unit) => `\\u${char.charCodeAt(unit).toString(16).padStart(4, "0")}`,
  ).join("");
}

/** What needs no quotes to be one word. */
const BARE_KEY = /^[A-Za-z0-9_\-./]+$/;

/** A member's name, bare where it is a plain word. */
export function quoteKey(key: string, maxChars: number, place: QuotePlace = "line"): Quoted {
  // A bare key has one unit a character; a longer one is no use here, whatever it consists of.
  const isBare = key.length <= maxChars && BARE_KEY.test(key);
  return isBare ? { text: key, chars: key.length, isWhole: true } : quoteJson(key, maxChars, place);
}

/** A text without quotes in at most `maxChars` code points, an ellipsis at its end where it was longer. */
export function cutPlain(text: string, maxChars: number): string {
  return truncateChars(text, maxChars).truncated ? `${truncateChars(text, maxChars - 1).text}…` : text;
}
