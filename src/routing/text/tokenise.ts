import { ROUTING_TERM_MAX_CHARS } from "../../limits.ts";
import { isStopWord } from "./stop-words.ts";
import { stem } from "./stem.ts";

/** One word of a text. */
export interface Token {
  readonly term: string;
  /** As it is written, lower-cased; for a pair of characters the pair. */
  readonly word: string;
  /** The term without accents, where that is another. */
  readonly folded?: string;
  readonly stopWord: boolean;
  /** An identifier whole, after the tokens of its parts. */
  readonly whole?: true;
  /** The run of an unspaced script that the pair of characters is from, lower-cased. */
  readonly run?: string;
}

export interface TokeniseBounds {
  /** UTF-16 units of the text that are read; the rest is ignored. */
  readonly maxChars: number;
  readonly maxTokens: number;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_PARTS = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const PARTS =
  /\p{Lu}{2,}s(?!\p{Ll})|[\p{Lu}\p{Lt}\p{M}]+(?![\p{Ll}\p{M}])|[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

/** Scripts written without spaces between words, and Hangul, whose words carry their particles: read by bigrams. */
const UNSPACED =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
const RUNS = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, "gu");
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
/** A character with the marks on it. */
const CLUSTER = /\P{M}\p{M}*|\p{M}+/gu;

const ACCENTED_SCRIPT = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;
const MARKS = /\p{M}+/gu;
/** Letters that Unicode does not take apart into a base and a mark. */
const UNDECOMPOSED = /[ßςłøđæœı]/g;
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["ς", "σ"],
  ["ł", "l"],
  ["ø", "o"],
  ["đ", "d"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ı", "i"],
]);

/** Lower-cased text without accents; text of other scripts keeps its marks, which are letters there. */
export function fold(word: string): string {
  if (!ACCENTED_SCRIPT.test(word)) return word;
  return word
    .normalize("NFD")
    .replace(MARKS, "")
    .replace(UNDECOMPOSED, (letter) => PLAIN_LETTERS.get(letter) ?? letter);
}

/** Cuts a word to the longest term kept, never through a surrogate pair. */
function clip(word: string): string {
  if (word.length <= ROUTING_TERM_MAX_CHARS) return word;
  return word.slice(0, ROUTING_TERM_MAX_CHARS).replace(/[\uD800-\uDBFF]$/, "");
}

function spacedToken(part: string): Token {
  const word = part.toLowerCase();
  const term = stem(word);
  const stopWord = isStopWord(word);
  if (ASCII.test(word)) return { term, word, stopWord };
  const folded = stem(fold(word));
  return folded === term || folded === "" ? { term, word, stopWord } : { term, word, folded, stopWord };
}

/** The parts of an identifier, and the identifier whole where it has several: `GitHub` is also `github`. */
function* spacedTokens(run: string): Generator<Token> {
  const word = clip(run);
  const parts = word.match(ASCII.test(word) ? ASCII_PARTS : PARTS) ?? [word];
  for (const part of parts) yield spacedToken(part);
  if (parts.length > 1) yield { ...spacedToken(word), whole: true };
}

function* bigrams(text: string): Generator<Token> {
  const run = text.toLowerCase();
  let previous: string | undefined;
  let pairs = 0;
  for (const [cluster] of run.matchAll(CLUSTER)) {
    const unit = clip(cluster);
    if (previous !== undefined) {
      pairs += 1;
      yield { term: previous + unit, word: previous + unit, stopWord: false, run };
    }
    previous = unit;
  }
  if (pairs === 0 && previous !== undefined) {
    yield { term: previous, word: previous, stopWord: false, run };
  }
}

function* tokens(text: string): Generator<Token> {
  for (const [word] of text.matchAll(WORD)) {
    if (ASCII.test(word)) yield* spacedTokens(word);
    else {
      for (const [run] of word.matchAll(RUNS)) {
        yield* STARTS_UNSPACED.test(run) ? bigrams(run) : spacedTokens(run);
      }
    }
  }
}

/**
 * The words of a text in order, at most `maxTokens`. Identifiers are split at separators, case and digits; unspaced
 * scripts give bigrams; compatibility forms (full width, ligatures) are read as the plain ones; case is lowered without
 * a locale; English words are stemmed. Anything that is no letter, mark or number separates, lone surrogates included.
 */
export function tokenise(text: string, bounds: TokeniseBounds): Token[] {
  const found: Token[] = [];
  if (bounds.maxTokens <= 0) return found;
  for (const token of tokens(text.slice(0, bounds.maxChars).normalize("NFKC"))) {
    found.push(token);
    if (found.length >= bounds.maxTokens) break;
  }
  return found;
}

/**
 * An identifier in plain writing: its words lower-cased with one space between, so that `createIssue`, `create_issue` and
 * `create issue` are one. Empty where there is no letter and no number.
 */
export function spellOut(identifier: string): string {
  const words = identifier.normalize("NFKC").match(WORD) ?? [];
  return words
    .flatMap((word) => word.match(ASCII.test(word) ? ASCII_PARTS : PARTS) ?? [word])
    .map((part) => part.toLowerCase())
    .join(" ");
}
