import {
  TOKENS_ESTIMATED_WHOLE_MAX_CHARS,
  TOKENS_SAMPLED_PIECES_COUNT,
  TOKENS_SAMPLED_PIECE_CHARS,
} from "../../limits.ts";

/** Second letters by first: the pairs that make up nine tenths of written English and of identifiers. */
const COMMON_PAIRS: Readonly<Record<string, string>> = {
  a: "bcdgilmnprstuvxy",
  b: "aeijloruy",
  c: "aehiklortu",
  d: "adeiors",
  e: "acdefglmnpqrstvwxy",
  f: "aefioru",
  g: "eiu",
  h: "aeiotu",
  i: "acdefglmnoprstv",
  j: "es",
  k: "e",
  l: "adeilostuy",
  m: "abeimops",
  n: "acdefgilopstu",
  o: "bcdfgklmnoprstuvw",
  p: "aeilmoprstu",
  q: "u",
  r: "acdegiklmnorstuvy",
  s: "acehiopstu",
  t: "acehioprstuy",
  u: "beilmnprst",
  v: "aei",
  w: "aehino",
  x: "ipt",
  y: "op",
};

/** Tokens per letter behind a word's first, measured against cl100k: by how usual the pair is, and in capitals. */
const COMMON_PAIR = 0.2;
const RARE_PAIR = 0.5;
const COMMON_CAPITALS = 0.35;
/** A capital behind a small letter mostly begins a token. */
const NEW_HUMP = 0.6;
const FIRST_LETTER = 0.3;
/** Longer words are mostly none, however usual their pairs, and cost what random letters do. */
const WORD_LETTERS = 12;
/** cl100k never joins more digits. */
const DIGITS_IN_A_TOKEN = 3;
/** Only of these does cl100k know long runs, up to 80 and more; of others it joins two to eight, if any. */
const RUNS_JOINED: ReadonlySet<number> = new Set(Array.from("\t\n #%*+-./=_~", (mark) => mark.charCodeAt(0)));
const IN_A_RUN = 1 / 16;
const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
/** Other scripts by UTF-16 unit: two bytes at most below U+0800 and three above, and a byte is one token at most. */
const TWO_BYTES = 1;
const THREE_BYTES = 1.5;
/** The letters of Russian that cl100k joins with others. */
const COMMON_CYRILLIC: ReadonlySet<number> = new Set(
  Array.from("оеаинтсрвлкмдпу", (letter) => letter.charCodeAt(0)),
);
const CYRILLIC = 0.6;

/**
 * The same for a text of any length in bounded time: a long one by pieces of it at equal distances. What is said of a text
 * that is shown comes from {@link estimateTokens}, which reads every character.
 */
export function estimateTokensOfAny(text: string): number {
  if (text.length <= TOKENS_ESTIMATED_WHOLE_MAX_CHARS) return estimateTokens(text);
  const distance = (text.length - TOKENS_SAMPLED_PIECE_CHARS) / (TOKENS_SAMPLED_PIECES_COUNT - 1);
  let tokens = 0;
  for (let piece = 0; piece < TOKENS_SAMPLED_PIECES_COUNT; piece += 1) {
    const start = Math.floor(piece * distance);
    tokens += estimateTokens(text.slice(start, start + TOKENS_SAMPLED_PIECE_CHARS));
  }
  return Math.ceil((tokens * text.length) / (TOKENS_SAMPLED_PIECES_COUNT * TOKENS_SAMPLED_PIECE_CHARS));
}

type Kind = "letter" | "digit" | "space" | "mark" | "foreign";

/**
 * About how many cl100k tokens a text has, in one pass and without a tokenizer, whose tables have no place on the request
 * path. At most twice as many are in it as this says, for prose, code and data and for random characters of any alphabet;
 * words chosen to defeat it reach three times and more, which is why shown text has a bound in bytes as well. For what people and
 * programs write it says at most twice too much; runs of one character and control characters may be overrated further.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let word = 0;
  /** Of the kind at hand: letters since the last hump, digits, or plain spaces. */
  let run = 0;
  let same = 0;
  let kind: Kind = "mark";
  let before = -1;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const next = kindOf(unit);
    const goesOn = next === kind;
    if (kind === "letter" && !goesOn) {
      tokens += Math.max(1, word);
      word = 0;
    }
    run = goesOn && !isHump(before, unit) && !isBreak(unit) ? run + 1 : isBreak(unit) ? 0 : 1;
    same = unit === before ? same + 1 : 0;
    switch (next) {
      case "letter":
        word += goesOn ? letterAfter(before, unit, run) : FIRST_LETTER;
        break;
      case "digit":
        if (run % DIGITS_IN_A_TOKEN === 1) tokens += 1;
        // Only letters and marks take a space before them into their token.
        if (before === SPACE || before === TAB) tokens += 1;
        break;
      case "space":
        tokens += isPlain(unit) ? plainSpace(run, same) : lineEnd(unit, before, kind);
        break;
      case "mark":
        tokens += goesOn ? (same >= 3 && RUNS_JOINED.has(unit) ? IN_A_RUN : 0.5) : 1;
        break;
      case "foreign":
        tokens += goesOn ? foreign(unit) : Math.max(1, foreign(unit));
        break;
    }
    kind = next;
    before = unit;
  }
  if (kind === "letter") tokens += Math.max(1, word);
  // The space at the end belongs to nothing behind it.
  if (isPlain(before)) tokens += 1;
  return Math.ceil(tokens);
}

function kindOf(unit: number): Kind {
  if (isPlain(unit) || isBreak(unit)) return "space";
  if (unit >= 0x30 && unit <= 0x39) return "digit";
  if ((unit >= 0x61 && unit <= 0x7a) || isCapital(unit)) return "letter";
  return unit < 0x80 ? "mark" : "foreign";
}

function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}

function isHump(before: number, unit: number): boolean {
  return isCapital(unit) && !isCapital(before);
}

function isPlain(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

function isBreak(unit: number): boolean {
  return unit >= NEWLINE && unit <= RETURN;
}

function letterAfter(before: number, unit: number, run: number): number {
  if (isHump(before, unit)) return NEW_HUMP;
  const common = run <= WORD_LETTERS && PAIRS.has(((before | 32) << 8) | (unit | 32));
  if (!common) return RARE_PAIR;
  return isCapital(unit) ? COMMON_CAPITALS : COMMON_PAIR;
}

/** One space belongs to what is behind it, and a run of the same is a token or two; a mixture is joined by threes at best. */
function plainSpace(run: number, same: number): number {
  if (run === 1) return 0;
  return run > 2 && same > 0 ? IN_A_RUN : 0.75;
}

function lineEnd(unit: number, before: number, kind: Kind): number {
  if (unit === before) return RUNS_JOINED.has(unit) ? IN_A_RUN : 0.75;
  if (before === RETURN && unit === NEWLINE) return 0;
  // The space before it was to belong to a word.
  if (isPlain(before)) return 1.5;
  // It is often a part of the marks before it, and never of a word or a number.
  return kind === "mark" ? 0.5 : 1;
}

function foreign(unit: number): number {
  if (COMMON_CYRILLIC.has(unit)) return CYRILLIC;
  return unit < 0x800 ? TWO_BYTES : THREE_BYTES;
}

const PAIRS: ReadonlySet<number> = new Set(
  Object.entries(COMMON_PAIRS).flatMap(([first, seconds]) =>
    Array.from(seconds, (second) => (first.charCodeAt(0) << 8) | second.charCodeAt(0)),
  ),
);
