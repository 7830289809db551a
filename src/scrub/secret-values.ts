import { SECRET_BEARER_MIN_CHARS, SECRET_NAME_BEFORE_CHARS, SECRET_VALUE_MIN_CHARS } from "../limits.ts";
import type { Span } from "./literal-matcher.ts";
import {
  AUTH_SCHEMES,
  isPlainUnder,
  maySaySecret,
  namesNeighbourSecret,
  namesSecret,
} from "./secret-names.ts";
import { looksLikeCode } from "./code-like.ts";
import { isPlaceholder } from "./secret-placeholders.ts";

/** A secret's place. `quote`: it stood bare where JSON wants a string for what replaces it. */
export interface SecretSpan extends Span {
  readonly quote?: string;
}

/** `isCut`: its last line goes on, with a secret that was or will be taken out. */
export interface SearchedText {
  readonly text: string;
  readonly isCut: boolean;
}

const KEY_REST = /[\p{L}\p{M}\p{N}_.-]*/uy;
/**
 * From a key to its value: `": "`, ` = `, `'] = `, ` => `, `:=`, `%3D`, in French with a narrow space, in East Asian scripts
 * wide; never `::`, which is a name's part.
 */
const SEPARATOR =
  /(?:\*{1,3}|(\\*["'`])|%22|&quot;)?\]?[ \t\u00a0\u202f]*(?::(?!:)=?(?:\*\*)?|=>|={1,3}|%3[ADad]|[\uff1a\uff1d])[ \t\u00a0\u202f\u3000]*/y;
/** The same in running text, in calls and in lists, where only a value that looks like a code is one. */
const WEAK_SEPARATOR = new RegExp(
  [
    // A dash, an arrow, or that it is.
    "[*_\"'`]{0,3}[ \\t]{1,8}(?:[-\u2013\u2014]|->|[\u2192\u21d2]|(?:is|was|ist|lautet|es|est)(?:[ \\t]+(?:set[ \\t]+to|now))?:?)[ \\t]{1,8}",
    // `define('DB_PASSWORD', '…')`, `setPassword("…")`, `IDENTIFIED WITH PASSWORD '…'`.
    "[\"'`][ \\t]{0,8},[ \\t]{0,8}(?=[\"'`])",
    "\\((?=[\"'`])",
    "[ \\t]{1,8}(?=[\"'`])",
    // Alone behind a name of a program's, to the end of its line: `ENV API_TOKEN …`. A text may end where another secret was taken out.
    "(?<=_\\w{1,64})[ \\t]{1,64}(?=\\S{8,512}[ \\t]{0,8}[\\r\\n])",
  ].join("|"),
  "y",
);
const OPENING_QUOTE = /\\*["'`]|&quot;|&#3[49];|%22/y;
/** The names of HTTP authentication schemes stay, and are no secret themselves. */
const SCHEME = new RegExp(`(?:${AUTH_SCHEMES})[ \\t]+`, "iy");
const SCHEME_ALONE = new RegExp(`^(?:${AUTH_SCHEMES}|digest|oauth|hawk)$`, "i");
const JSON_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const FLAG = /(?<![\w-])--[\w-]*$/;
const FLAG_MAX_CHARS = 64;
const FLAG_VALUE = /[ \t]+(?!-)/y;
const BEARER = /bearer(?:[ \t+]+|(?:%20)+)/iy;
/** What is said of them. */
const ABOUT_BEARER = /^(?:auth[a-z]*|credentials?|certificates?|instruments?)[.:]?$/i;
/** Quoted so many times over (JSON in JSON in JSON) a quote has seven backslashes; nobody quotes more often. */
const QUOTE_MAX_BACKSLASHES = 7;

/** The credential behind the word `bearer` at `at`. */
export function bearerValue(text: string, at: number): SecretSpan | undefined {
  const start = skip(BEARER, text, at);
  if (start === undefined) return undefined;
  const end = bareEnd(text, start);
  const isWord = end - start < SECRET_BEARER_MIN_CHARS || ABOUT_BEARER.test(text.slice(start, end));
  return isWord ? undefined : { start, end };
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
  searched: SearchedText,
  start: number,
  end: number,
  floor: number,
): SecretSpan | undefined {
  const { text } = searched;
  SEPARATOR.lastIndex = end;
  const separator = SEPARATOR.exec(text);
  const name = nameAt(text, start, end, floor);
  const element = elementValue(text, end, floor, name);
  if (element !== undefined) return element;
  if (separator === null) {
    const before = text.slice(Math.max(floor, end - name.length - NAMING_MAX_CHARS), end - name.length);
    const beside = NAMING.test(before) ? skip(VALUE_BESIDE, text, end) : undefined;
    if (beside !== undefined) return valueFrom(text, beside, name);
    if (!FLAG.test(text.slice(Math.max(floor, start - FLAG_MAX_CHARS), start)))
      return codeBehind(text, end, name);
    const valueAt = skip(FLAG_VALUE, text, end);
    return valueAt === undefined ? undefined : valueFrom(text, valueAt, name);
  }
  const valueAt = end + separator[0].length;
  const lineAt = nextLine(LINE_ALONE, searched, valueAt);
  const alone = lineAt === undefined ? undefined : valueFrom(text, lineAt, name);
  if (alone !== undefined && looksLikeCode(text.slice(alone.start, alone.end))) return alone;
  return valueFrom(text, nextLine(NEXT_LINE, searched, valueAt) ?? valueAt, name, separator[1]);
}

/** The next line, if it is what the expression says to its end, which a line that was cut does not show. */
function nextLine(line: RegExp, { text, isCut }: SearchedText, at: number): number | undefined {
  const start = skip(line, text, at);
  return start !== undefined && isCut && !LINE_END.test(text.slice(start)) ? undefined : start;
}

/** What looks like a code behind a name that ends in a word which says secret. */
function codeBehind(text: string, end: number, name: string): SecretSpan | undefined {
  const at = skip(WEAK_SEPARATOR, text, end);
  const span = at === undefined || !namesNeighbourSecret(name) ? undefined : valueFrom(text, at, name);
  return span !== undefined && looksLikeCode(text.slice(span.start, span.end)) ? span : undefined;
}

/** What stands before a name that names its neighbour: `<add key="`, `- name: `. */
const NAMING = /[\s<,{](?:key|name|id|type|property)(?:[ \t]*=[ \t]*["']|:[ \t]+["']?)$|<(?:key|name)>$/i;
const NAMING_MAX_CHARS = 16;
/** From such a name to the value, in XML or on the next line of YAML. */
const VALUE_BESIDE =
  /(?:["']?(?:[ \t]{1,8}(?:value|content)[ \t]?=[ \t]?(?=["'])|[ \t]{0,8}\r?\n[ \t]{1,64}value:[ \t]{1,8})|(?:<\/(?:key|name)|["'][ \t]{0,8})>\s{0,32}<(?:value|string)>)/iy;
/** To the next line, which holds one word and no member: a value that was too long for the line of its name. */
const NEXT_LINE = /\r?\n[ \t]{1,64}(?=[^\s:#{}[\]<>|-][^\s:]*(?:[ \t]{0,8}[\r\n]|$))/y;

const LINE_END = /[\r\n]/;
/** To the next line, which begins and ends with one word. */
const LINE_ALONE = /\r?\n(?=[^\s:#{}[\]<>|-][^\s:]{5,512}(?:[ \t]{0,8}[\r\n]|$))/y;

const ELEMENT_OPENED = /(?:[ \t\r\n][^<>]{0,256})?>(?:<!\[CDATA\[)?/y;
const ELEMENT_VALUE = /[^<>]+?(?=\]\]>|<\/)/y;

/** What an element of XML holds whose name says secret. */
function elementValue(text: string, end: number, floor: number, name: string): SecretSpan | undefined {
  const before = text.slice(Math.max(floor, end - name.length - 1), end - name.length);
  if (before !== "<" && before !== ":") return undefined;
  const start = skip(ELEMENT_OPENED, text, end);
  const valueEnd = start === undefined ? undefined : skip(ELEMENT_VALUE, text, start);
  if (start === undefined || valueEnd === undefined || !namesSecret(name)) return undefined;
  const value = text.slice(start, valueEnd).trim();
  const isPlain = value === "" || isPlaceholder(value, false) || isPlainUnder(name, value);
  return isPlain ? undefined : { start, end: valueEnd };
}

/** The whole name, with what of it stands before the word that says secret. */
function nameAt(text: string, start: number, end: number, floor: number): string {
  const nearest = Math.max(floor, start - SECRET_NAME_BEFORE_CHARS);
  let from = start;
  while (from > nearest && NAME_UNIT.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from, end);
}

const NAME_UNIT = /[\p{L}\p{M}\p{N}_.-]/u;

function valueFrom(text: string, at: number, key: string, keyQuote?: string): SecretSpan | undefined {
  // Before the value is read: each name may have all the rest of a text behind it.
  const [isSecret, isLikely] = [namesSecret(key), maySaySecret(key)];
  if (!isSecret && !isLikely) return undefined;
  const opened = skip(OPENING_QUOTE, text, at);
  const valueAt = opened ?? at;
  const start = skip(SCHEME, text, valueAt) ?? valueAt;
  const isSign = opened !== undefined && "\"'`".includes(text.charAt(opened - 1));
  const closed = isSign ? quotedEnd(text, start, text.charAt(opened - 1), opened - at - 1) : undefined;
  const isEncoded = text.slice(at, valueAt) === ENCODED_QUOTE;
  const end = closed ?? bareEnd(isEncoded ? upToQuote(text, start) : text, start);
  if (end - start < SECRET_VALUE_MIN_CHARS) return undefined;
  const value = text.slice(start, end);
  if (SCHEME_ALONE.test(value) || isPlaceholder(value, closed === undefined)) return undefined;
  if ((isLikely && !looksLikeCode(value)) || isPlainUnder(key, value)) return undefined;
  const isBareNumber = keyQuote !== undefined && opened === undefined && JSON_NUMBER.test(value);
  return isBareNumber ? { start, end, quote: keyQuote } : { start, end };
}

const ENCODED_QUOTE = "%22";

/** A text up to where a value ends that stands between quotes of an address. */
function upToQuote(text: string, from: number): string {
  const quote = text.indexOf(ENCODED_QUOTE, from);
  return quote === -1 ? text : text.slice(0, quote);
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

const BARE = /[^\s"'`,;&<>\\\u3001\u3002\uff0c\uff1b]*/y;
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

/**
 * What of an address opens something to whoever has it: its signature (Azure's, Amazon's, Google's), and a parameter that
 * is called `key` or the like, if no word or number is so long; and the proof in a header of HTTP's digest or of Amazon's.
 * Its name stays.
 */
export const SIGNATURE_IN_URL =
  '(?:[?&;]|\\\\u0026)(?:sig|X-Amz-Signature|X-Goog-Signature)=(?=[\\w%+/=-]{32})|[ ,](?:[sS]ignature|response)=\\\\{0,7}"?(?=[\\da-fA-F]{32})|(?:[?&;#]|\\\\u0026)(?:key|appid|app_key|app-key|code|auth|subscription-key|jwt)=(?=\\w{20})(?=\\w{0,32}\\d)(?=\\w{0,32}[A-Za-z])|[?&](?:key|appid|auth)=(?=\\w{6})(?=[A-Za-z_]{0,20}\\d{1,20}[A-Za-z]{1,20}\\d|\\d{1,20}[A-Za-z]{1,20}\\d|[A-Za-z]{1,20}\\d{5})';
const SIGNATURE = new RegExp(SIGNATURE_IN_URL, "y");
const SIGNATURE_VALUE = /[\w%+/=-]+/y;

export function urlSignature(text: string, at: number): SecretSpan | undefined {
  const start = skip(SIGNATURE, text, at);
  const end = start === undefined ? undefined : skip(SIGNATURE_VALUE, text, start);
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** Behind the id of an access key of Amazon's stands its secret, with nothing that names it: in a table, in an answer. */
const SECRET_BESIDE_ID = /[\s"'`,;:|\\]{1,8}(?=[A-Za-z0-9/+]{40})/y;
const SECRET_BESIDE = /[A-Za-z0-9/+]+/y;

export function secretBesideId(text: string, idEnd: number): SecretSpan | undefined {
  const start = skip(SECRET_BESIDE_ID, text, idEnd);
  const end = start === undefined ? undefined : skip(SECRET_BESIDE, text, start);
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** Flags before `user:password` in a command. */
export const USER_FLAG_IN_TEXT = "-[uU][ \\t=]|--(?:proxy-)?user[ \\t=]";
const USER = new RegExp(
  `(?:${USER_FLAG_IN_TEXT})[ \\t]{0,8}(\\\\{0,3}["'])?([^\\s:"'=\\\\]{1,128}):(?!/)`,
  "y",
);
const QUOTED_PASSWORD = /[^"'\r\n\\]+/y;
const BARE_PASSWORD = /[^\s"'\\]+/y;
const NUMBER = /^\d*$/;
const SPACE_BEFORE = /^[\s"'`]?$/;

/** The password in `-u user:password`; ids of a user and a group (`docker run -u 1000:1000`) are none. */
export function userPassword(text: string, at: number, floor: number): SecretSpan | undefined {
  if (!SPACE_BEFORE.test(text.slice(Math.max(floor, at - 1), at))) return undefined;
  USER.lastIndex = at;
  const found = USER.exec(text);
  if (found === null) return undefined;
  const [whole, quote, user = ""] = found;
  const start = at + whole.length;
  const end = skip(quote === undefined ? BARE_PASSWORD : QUOTED_PASSWORD, text, start);
  if (end === undefined || (NUMBER.test(user) && NUMBER.test(text.slice(start, end)))) return undefined;
  return { start, end };
}

/** A member of JSON inside of a text: its name in quotes, and a colon. */
export const MEMBER_IN_TEXT = `"(?=[^"\\\\\\r\\n]{1,64}\\\\{0,7}"[ \\t]{0,8}:)`;
const MEMBER = /"([^"\\\r\n]{1,64})(\\{0,7}")[ \t]{0,8}:[ \t]{0,8}/y;
const NUMBER_VALUE = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/**
 * The value of a member whose name says secret, of any length: a string that is closed on its line, or a number. There is
 * less doubt of a name in quotes than of a word before a colon.
 */
export function memberValue(text: string, at: number): SecretSpan | undefined {
  MEMBER.lastIndex = at;
  const found = MEMBER.exec(text);
  if (found === null) return undefined;
  const [whole, name = "", quote = ""] = found;
  if (!namesSecret(name)) return undefined;
  const valueAt = at + whole.length;
  if (!text.startsWith(quote, valueAt)) {
    const end = skip(NUMBER_VALUE, text, valueAt);
    return end === undefined || isPlainUnder(name, text.slice(valueAt, end))
      ? undefined
      : { start: valueAt, end, quote };
  }
  const opened = valueAt + quote.length;
  const start = skip(SCHEME, text, opened) ?? opened;
  const end = quotedEnd(text, start, '"', quote.length - 1);
  if (end === undefined || end <= start) return undefined;
  const value = text.slice(start, end);
  const isPlain = SCHEME_ALONE.test(value) || isPlaceholder(value, false) || isPlainUnder(name, value);
  return isPlain ? undefined : { start, end };
}
