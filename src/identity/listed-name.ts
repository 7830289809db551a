import { LISTED_NAME_DIGEST_HEX_CHARS, LISTED_NAME_MAX_CHARS } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { asciiJson, sha256Hex } from "./digest.ts";

const LONG_MARK = "--9";
const DIGEST_CHARS = (16n ** BigInt(LISTED_NAME_DIGEST_HEX_CHARS) - 1n).toString(36).length;
const DIGEST_DIGITS = (16n ** BigInt(LISTED_NAME_DIGEST_HEX_CHARS) - 1n).toString().length;
const LONG_TAIL = new RegExp(`^${LONG_MARK}(?:[0-9a-z]{${DIGEST_CHARS}}|[0-9]{${DIGEST_DIGITS}})$`);

const SYMBOLS = [
  { pattern: /^-_/, stands: ".", width: 2 },
  { pattern: /^--[A-Za-z]/, stands: ":", width: 2 },
  { pattern: /^--_/, stands: "@", width: 3 },
  { pattern: /^---/, stands: "#", width: 3 },
  { pattern: /^--0/, stands: ":", width: 3 },
  { pattern: /^--1/, stands: "-", width: 3 },
  { pattern: /^--2/, stands: "~", width: 3 },
];

/**
 * The form of an id for clients that accept only `[A-Za-z0-9_-]{1,64}` as a tool's name. It depends on the id alone,
 * so no other tool, server or connect order can change it, and no two ids share one.
 *
 * Short form: letters, digits and `_` stand for themselves. The rest is written with `-`, and read from left to
 * right:
 *
 * | `:` | `--` before a letter, `--0` elsewhere             | `@` | `--_` |
 * | `-` | `-` before a letter, a digit or the end, else `--1` | `#` | `---` |
 * | `.` | `-_`                                               | `~` | `--2` |
 *
 * so `github:create_issue#aea9ce2a` is `github--create_issue---aea9ce2a`.
 *
 * Long form, where the short one would pass 64 characters or the id has other characters: as many whole symbols of
 * the short form as fit, then `--9`, which the short form never has, then 128 bits of the id's hash in base 36.
 */
export function listedName(id: string): string {
  const symbols = shortSymbols(id);
  const short = symbols.text.join("");
  if (symbols.complete && short !== "" && short.length <= LISTED_NAME_MAX_CHARS) return short;
  const tail = `${LONG_MARK}${digest(id)}`;
  return `${readableStart(symbols.text, LISTED_NAME_MAX_CHARS - tail.length)}${tail}`;
}

/**
 * Another name of the long form, for an id whose name would take too many tokens: of the readable start one symbol, and the
 * same bits in digits, of which tokenizers take three at a time. Its tail is longer than the long form's, so that no two ids
 * share one of these either.
 */
export function compactListedName(id: string): string {
  const tail = digestBits(id).toString().padStart(DIGEST_DIGITS, "0");
  return `${readableStart(shortSymbols(id).text, 1)}${LONG_MARK}${tail}`;
}

/** What a listed name tells by itself: its id, or, in the long form, only that the list which had it knows the id. */
export type ListedNameReading = { readonly form: "short"; readonly id: string } | { readonly form: "long" };

/**
 * Reads a listed name back. Only what `listedName` or `compactListedName` writes is accepted, so no two short names lead to one
 * id. A long name cannot be inverted: look it up among the names that the same catalog lists; a miss there is an unknown tool. No canonical id passes for a listed name, as each has a `:`.
 */
export function readListedName(name: string): Result<ListedNameReading, "not_a_listed_name"> {
  if (name.length > LISTED_NAME_MAX_CHARS) return fail("not_a_listed_name");
  let id = "";
  let index = 0;
  while (index < name.length) {
    const rest = name.slice(index);
    if (rest.startsWith(LONG_MARK))
      return LONG_TAIL.test(rest) ? ok({ form: "long" }) : fail("not_a_listed_name");
    const symbol = SYMBOLS.find(({ pattern }) => pattern.test(rest));
    id += symbol?.stands ?? name.charAt(index);
    index += symbol?.width ?? 1;
  }
  return listedName(id) === name ? ok({ form: "short", id }) : fail("not_a_listed_name");
}

/** The id's symbols in the short form, up to its first character that has none, and no more than a name can hold. */
function shortSymbols(id: string): { readonly text: readonly string[]; readonly complete: boolean } {
  const text: string[] = [];
  for (let index = 0; index < id.length; index += 1) {
    const symbol = symbolFor(id.charAt(index), id.charAt(index + 1));
    if (symbol === undefined || index > LISTED_NAME_MAX_CHARS) return { text, complete: false };
    text.push(symbol);
  }
  return { text, complete: true };
}

function symbolFor(character: string, next: string): string | undefined {
  switch (character) {
    case ".":
      return "-_";
    case "@":
      return "--_";
    case "#":
      return "---";
    case "~":
      return "--2";
    case ":":
      return /^[A-Za-z]/.test(next) ? "--" : "--0";
    case "-":
      return /^[A-Za-z0-9]?$/.test(next) ? "-" : "--1";
    default:
      return /^\w$/.test(character) ? character : undefined;
  }
}

/**
 * Whole symbols that fit, without any at the end that finish in `-`: those are read together with what follows, and
 * would turn the long form's mark into an ordinary symbol, so that a long name could equal another id's short one.
 */
function readableStart(symbols: readonly string[], room: number): string {
  let start = "";
  let safe = "";
  for (const symbol of symbols) {
    start += symbol;
    if (start.length > room) break;
    if (!symbol.endsWith("-")) safe = start;
  }
  return safe;
}

function digest(id: string): string {
  return digestBits(id).toString(36).padStart(DIGEST_CHARS, "0");
}

/** Over the escaped form, so that ids with different lone surrogates differ here too. */
function digestBits(id: string): bigint {
  return BigInt(`0x${sha256Hex(asciiJson(id)).slice(0, LISTED_NAME_DIGEST_HEX_CHARS)}`);
}
