import { isRecord, parsedJson } from "../json.ts";
import { EXACT_NUMBERS_MAX_COUNT } from "../limits/exact-json.ts";
import { fail, ok, type Result } from "../result.ts";
import { duplicateMember } from "./duplicate-member.ts";
import { equalNumbers } from "./equal-number.ts";
import { ExactNumber } from "./exact-number.ts";
import { numberEnd, startsNumber, stringEnd } from "./tokens.ts";

/** Why a text is not read. `path` is a JSON Pointer of at most `DUPLICATE_PATH_MAX_CHARS` characters. */
export type JsonTextProblem =
  | { readonly reason: "syntax" }
  /** More than `EXACT_NUMBERS_MAX_COUNT` different numbers that a double does not hold. */
  | { readonly reason: "too_many_numbers" }
  | { readonly reason: "duplicate_member"; readonly path: string };

/**
 * Reads a JSON text as `JSON.parse` does, except that a number whose text `JSON.stringify` would not give back becomes an
 * `ExactNumber`. With `duplicates: "refuse"` a member that its object has twice is an error, at any depth; with `"last"`
 * the last one counts. A text that is no JSON is that, whatever members it repeats. Any depth; never throws.
 */
export function parseExactJson(
  text: string,
  options: { readonly duplicates: "refuse" | "last" },
): Result<unknown, JsonTextProblem> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail({ reason: "syntax" });
  }
  // The scans below read text that the engine has found valid, so that they need no grammar of their own.
  const path = options.duplicates === "refuse" ? duplicateMember(text) : undefined;
  if (path !== undefined) return fail({ reason: "duplicate_member", path });
  if (!MAY_NEED_KEEPING.test(text)) return ok(value);
  const exact = exactTokens(text);
  if (exact === undefined) return fail({ reason: "too_many_numbers" });
  if (exact.numbers.size === 0) return ok(value);
  // The first reading is let go of before the second: a large text has room for one.
  value = undefined;
  return ok(parseKeeping(text, exact));
}

/**
 * The same for a text whose numbers only have to be kept as far as they can be: with too many they are plain ones. Undefined
 * for what is no JSON.
 */
export function parseWritten(text: string): unknown {
  const exact = parseExactJson(text, { duplicates: "last" });
  return exact.ok ? exact.value : parsedJson(text);
}

/**
 * What every number has that JavaScript writes otherwise than it stood: an exponent, a minus zero, sixteen characters, a
 * fraction that ends in zero, or one below a millionth. A match may also be a string's content, or a number that is kept anyway.
 */
const MAY_NEED_KEEPING =
  /(?:^|[[:,\s])(?:-0(?![.0-9])|-?[0-9][.0-9]{15}|-?[0-9]+\.[0-9]*0(?![0-9])|-?0\.000000|-?[0-9][.0-9]*[eE])/;

/** Integers from here on stand in for exact numbers while the engine parses: one number each, so never glued or cut. */
const FIRST_STAND_IN = 2 ** 52;
/** A plain integer of so many characters is exact in a double. */
const EXACT_MAX_CHARS = 15;
/** Pieces that are joined at once: a list of all of a large text's would be larger than the text. */
const PIECES_AT_ONCE_COUNT = 4_096;

interface ExactTokens {
  /** By their text. */
  readonly numbers: ReadonlyMap<string, ExactNumber>;
  /** Numbers of the text that could be taken for a stand-in. */
  readonly taken: ReadonlySet<number>;
}

/** The numbers of a text that are to be kept; `undefined` where they are too many. */
function exactTokens(text: string): ExactTokens | undefined {
  const numbers = new Map<string, ExactNumber>();
  const taken = new Set<number>();
  for (const { start, end } of numbersOf(text)) {
    const token = text.slice(start, end);
    if ((token.length <= EXACT_MAX_CHARS && PLAIN_INTEGER.test(token)) || numbers.has(token)) continue;
    const number = Number(token);
    if (String(number) === token) {
      if (number >= FIRST_STAND_IN) taken.add(number);
      continue;
    }
    const exact = new ExactNumber(token);
    if (numbers.size >= EXACT_NUMBERS_MAX_COUNT) {
      if (!Number.isFinite(number) || !equalNumbers(number, exact)) return undefined;
      if (number >= FIRST_STAND_IN) taken.add(number);
      continue;
    }
    numbers.set(token, exact);
  }
  return { numbers, taken };
}

/** Where the numbers stand in a valid JSON text, in their order. */
function* numbersOf(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = stringEnd(text, at) - 1;
    if (!startsNumber(unit)) continue;
    const end = numberEnd(text, at);
    yield { start: at, end };
    at = end - 1;
  }
}

/** The text's value with its exact numbers. */
function parseKeeping(text: string, { numbers, taken }: ExactTokens): unknown {
  // A number of the text is never taken for a stand-in: those that could be are known, and no escape spells a number.
  const standIns = new Map<string, string>();
  const meanings = new Map<number, ExactNumber>();
  let next = FIRST_STAND_IN;
  for (const [token, exact] of numbers) {
    while (taken.has(next)) next += 1;
    standIns.set(token, String(next));
    meanings.set(next, exact);
    next += 1;
  }
  const value: unknown = JSON.parse(withStandIns(text, standIns));
  return withMeanings(value, meanings);
}

function withStandIns(text: string, standIns: ReadonlyMap<string, string>): string {
  const joined: string[] = [];
  let pieces: string[] = [];
  let copied = 0;
  for (const { start, end } of numbersOf(text)) {
    const standIn = standIns.get(text.slice(start, end));
    if (standIn === undefined) continue;
    pieces.push(text.slice(copied, start), standIn);
    copied = end;
    if (pieces.length < PIECES_AT_ONCE_COUNT) continue;
    joined.push(pieces.join(""));
    pieces = [];
  }
  joined.push(pieces.join(""), text.slice(copied));
  return joined.join("");
}

const PLAIN_INTEGER = /^(?:-?[1-9][0-9]*|0)$/;

/** Puts the exact numbers in, in place: the value was just parsed, and a `__proto__` in it is a member like any other. */
function withMeanings(root: unknown, meanings: ReadonlyMap<number, ExactNumber>): unknown {
  const holder = [root];
  const open: unknown[] = [holder];
  const meant = (value: unknown): ExactNumber | undefined => {
    if (typeof value === "number") return value < FIRST_STAND_IN ? undefined : meanings.get(value);
    if (typeof value === "object" && value !== null) open.push(value);
    return undefined;
  };
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) {
      const items: unknown[] = container;
      for (let index = 0; index < items.length; index += 1) {
        const exact = meant(items[index]);
        if (exact !== undefined) items[index] = exact;
      }
    } else if (isRecord(container)) {
      for (const key of Object.keys(container)) {
        const exact = meant(container[key]);
        if (exact !== undefined) container[key] = exact;
      }
    }
  }
  return holder[0];
}
