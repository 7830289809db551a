import { bytesToHex } from "@noble/hashes/utils.js";
import { cutAtCodePoint } from "../../code-points.ts";
import { SEARCH_TERM_MAX_CODE_POINTS, SEARCH_WORD_MAX_CHARS } from "../../limits/records.ts";

/** A word of a text, folded and encoded, and where it stands: UTF-16 offsets into the text as it was given. */
interface Term {
  readonly term: string;
  readonly start: number;
  readonly end: number;
  /** Of a script without spaces: where the first of two signs ends, or one that is alone. */
  readonly signEnd?: number;
}

/** Scripts that set no spaces: a run of theirs is no word, so that its neighbours are looked up two by two. */
const UNSPACED =
  "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}";
/** Marks belong to what they stand on, and so do the parts of a decomposed syllable of Hangul. */
const SIGN = /(?:[\u1100-\u115f][\u1160-\u11a7]|[\uac00-\ud7a3])[\u11a8-\u11ff]?|\P{M}\p{M}*|\p{M}+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Marks have scripts of their own kind: they go with what they stand on. The group is a run without spaces. */
const RUN = new RegExp(`((?:(?!\\p{M})[${UNSPACED}]\\p{M}*)+)|(?:\\p{M}|[^${UNSPACED}])+`, "gu");
/** Accents alone: a vowel sign of Devanagari or a voicing mark of kana makes another word, and stays. */
const ACCENTS = /[\u0300-\u036f]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/g;
const ASCII = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();

/** Behind a term: whatever begins with it is meant. Nothing else in a term is such a sign. */
export const BEGINNING = "*";

/**
 * A term as it is asked for. A sign of a script without spaces that is asked for alone may stand anywhere in a run, as the first
 * of two or, in {@link documentTerms}, as the last.
 */
export function askedTerm({ term, signEnd, end }: Term): string {
  return signEnd === end ? `${term}${BEGINNING}` : term;
}

/** The terms that a text is found by: of a run without spaces its last sign too. */
export function documentTerms(text: string): Generator<Term, undefined, undefined> {
  return termsIn(text, true);
}

/**
 * The words of a text in their order. A word is a run of letters, marks and digits; of scripts without spaces, each two
 * neighbouring signs are one, and a single sign is one alone. Case and accents make no difference, nothing else is made alike.
 * A term is of `a`–`z` and `0`–`9` only, whatever the word: `a` and the word, or `u` and its UTF-8 in hexadecimal digits.
 */
export function* termsIn(text: string, hasEnds = false): Generator<Term, undefined, undefined> {
  const encodedWord = remembered((word) => encoded(foldWord(word)));
  const encodedSign = remembered((sign) => hexadecimal(cut(foldWord(sign), SEARCH_TERM_MAX_CODE_POINTS / 2)));
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (ASCII.test(word)) {
      const term = `a${word.slice(0, SEARCH_TERM_MAX_CODE_POINTS).toLowerCase()}`;
      yield { term, start: index, end: index + word.length };
      continue;
    }
    for (const { 0: run, 1: unspaced, index: within } of word.matchAll(RUN)) {
      const start = index + within;
      if (unspaced !== undefined) {
        yield* pairsIn(run, start, encodedSign, hasEnds);
        continue;
      }
      const term = encodedWord(run);
      if (term !== "a") yield { term, start, end: start + run.length };
    }
  }
}

function* pairsIn(
  run: string,
  start: number,
  encodedSign: (sign: string) => string,
  hasEnds: boolean,
): Generator<Term, undefined, undefined> {
  let before: { readonly code: string; readonly at: number } | undefined;
  let isPaired = false;
  for (const { 0: sign, index } of run.matchAll(SIGN)) {
    const code = encodedSign(sign);
    const at = start + index;
    if (before !== undefined) {
      yield { term: `u${before.code}${code}`, start: before.at, end: at + sign.length, signEnd: at };
      isPaired = true;
    }
    before = { code, at };
  }
  if (before !== undefined && (hasEnds || !isPaired)) {
    const end = start + run.length;
    yield { term: `u${before.code}`, start: before.at, end, signEnd: end };
  }
}

/** A text has few different words and fewer signs. */
const REMEMBERED_MAX_COUNT = 4_096;

function remembered(make: (text: string) => string): (text: string) => string {
  const made = new Map<string, string>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (made.size < REMEMBERED_MAX_COUNT) made.set(text, value);
    return value;
  };
}

/** A word as it is compared: `Straße`, `STRASSE` and `straße` alike, and `ΟΔΟΣ` and `οδός`. */
function foldWord(word: string): string {
  // Marks are put in order by a sort that is quadratic in their number.
  const bare = withoutAccents(
    word.length <= SEARCH_WORD_MAX_CHARS ? word : cutAtCodePoint(word, SEARCH_WORD_MAX_CHARS),
  );
  return withoutAccents(bare.toUpperCase().toLowerCase()).replaceAll("ς", "σ").normalize("NFC");
}

function withoutAccents(text: string): string {
  return text.normalize("NFD").replace(ACCENTS, "");
}

function encoded(folded: string): string {
  const word = cut(folded, SEARCH_TERM_MAX_CODE_POINTS);
  return ASCII.test(word) ? `a${word}` : `u${hexadecimal(word)}`;
}

function cut(text: string, maxCodePoints: number): string {
  return text.length <= maxCodePoints ? text : Array.from(text).slice(0, maxCodePoints).join("");
}

function hexadecimal(text: string): string {
  return bytesToHex(encoder.encode(text));
}
