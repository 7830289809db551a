import { SECRET_BEARER_MIN_CHARS, SECRET_VALUE_MIN_CHARS } from "../limits.ts";
import type { Span } from "./literal-matcher.ts";
import { countsTokens } from "./secret-names.ts";

/** A secret's place. `quote`: it stood bare where JSON wants a string for what replaces it. */
export interface SecretSpan extends Span {
  readonly quote?: string;
}

const KEY_REST = /[\w.-]*/y;
/** From a key to its value: `": "`, ` = `, `'] = `, ` => `, `:=`, `%3D`; never `::`, which is a name's part. */
const SEPARATOR = /(\\*["'`])?\]?[ \t]*(?::(?!:)=?|=>|={1,3}|%3[ADad])[ \t]*/y;
const OPENING_QUOTE = /\\*["'`]/y;
/** The names of HTTP authentication schemes stay, and are no secret themselves. */
const SCHEME = /(?:basic|bearer|token|apikey)[ \t]+/iy;
const SCHEME_ALONE = /^(?:basic|bearer|digest|token|apikey)$/i;
const JSON_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const FLAG = /(?<![\w-])--[\w-]*$/;
const FLAG_MAX_CHARS = 64;
const FLAG_VALUE = /[ \t]+(?!-)/y;
const BEARER = /bearer(?:[ \t+]+|(?:%20)+)/iy;
/** Quoted so many times over (JSON in JSON in JSON) a quote has seven backslashes; nobody quotes more often. */
const QUOTE_MAX_BACKSLASHES = 7;

/** The credential behind the word `bearer` at `at`. */
export function bearerValue(text: string, at: number): SecretSpan | undefined {
  const start = skip(BEARER, text, at);
  if (start === undefined) return undefined;
  const end = bareEnd(text, start);
  return end - start < SECRET_BEARER_MIN_CHARS ? undefined : { start, end };
}

/** Where the name ends that has a word which says secret at `at`. */
export function keyEnd(text: string, at: number): number {
  return skip(KEY_REST, text, at) ?? at;
}

/**
 * The value assigned to the key from `start` to `end`, by a sign or, to a flag (`--password x`), by a space. Nothing before
 * `floor` is looked at. Each character is read a bounded number of times for one key.
 */
export function assignedValue(
  text: string,
  start: number,
  end: number,
  floor: number,
): SecretSpan | undefined {
  SEPARATOR.lastIndex = end;
  const separator = SEPARATOR.exec(text);
  if (separator === null) {
    if (!FLAG.test(text.slice(Math.max(floor, start - FLAG_MAX_CHARS), start))) return undefined;
    const valueAt = skip(FLAG_VALUE, text, end);
    return valueAt === undefined ? undefined : valueFrom(text, valueAt, text.slice(start, end));
  }
  return valueFrom(text, end + separator[0].length, text.slice(start, end), separator[1]);
}

function valueFrom(text: string, at: number, key: string, keyQuote?: string): SecretSpan | undefined {
  const opened = skip(OPENING_QUOTE, text, at);
  const valueAt = opened ?? at;
  const start = skip(SCHEME, text, valueAt) ?? valueAt;
  const closed =
    opened === undefined ? undefined : quotedEnd(text, start, text.charAt(opened - 1), opened - at - 1);
  const end = closed ?? bareEnd(text, start);
  if (end - start < SECRET_VALUE_MIN_CHARS) return undefined;
  const value = text.slice(start, end);
  if (SCHEME_ALONE.test(value) || countsTokens(key, value)) return undefined;
  const isBareNumber = keyQuote !== undefined && opened === undefined && JSON_NUMBER.test(value);
  return isBareNumber ? { start, end, quote: keyQuote } : { start, end };
}

/**
 * Where a quoted value ends; undefined where its line or a string around it ends first. Inside of a string a quote has a
 * backslash, inside of two three, and twice as many and one where it is part of the value.
 */
function quotedEnd(text: string, from: number, quote: string, backslashes: number): number | undefined {
  if (backslashes > QUOTE_MAX_BACKSLASHES) return undefined;
  let run = 0;
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (unit === "\\") {
      run += 1;
      continue;
    }
    if (unit === "\n" || unit === "\r") return undefined;
    if (unit === quote) {
      if (run < backslashes) return undefined;
      if (run % (2 * backslashes + 2) === backslashes) return at - backslashes;
    }
    run = 0;
  }
  return undefined;
}

const BARE = /[^\s"'`,;&<>\\]*/y;
/** An escape inside of a value; an escaped quote or line break is its end, and half an escape would break the text around. */
const BARE_ESCAPE = /\\[^\s"'`nrt]/y;

/** Where a value without quotes ends; brackets that close what is around it are not its own. */
function bareEnd(text: string, from: number): number {
  let end = from;
  for (;;) {
    end = skip(BARE, text, end) ?? end;
    const escaped = skip(BARE_ESCAPE, text, end);
    if (escaped === undefined) break;
    end = escaped;
  }
  while (end > from && CLOSING.has(text.charAt(end - 1))) end -= 1;
  return end;
}

const CLOSING: ReadonlySet<string> = new Set([")", "]", "}"]);

/** The end of what the sticky expression matches at `at`. */
function skip(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}
