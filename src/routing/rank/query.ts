import { ROUTING_QUERY_MAX_CHARS, ROUTING_QUERY_MAX_TERMS } from "../../limits.ts";
import { compareCodePoints } from "../../code-points.ts";
import { pairTerm } from "../document/analyse-document.ts";
import { isLightWord } from "../text/light-words.ts";
import { type Asking, askingOf } from "./asking.ts";
import { stem } from "../text/stem.ts";
import { type Token, tokenise } from "../text/tokenise.ts";

/** What a word that says little counts, against 1. */
const LIGHT_IMPORTANCE = 0.5;

/** One distinct word of a query. */
export interface QueryWord {
  readonly term: string;
  /** As it was typed, lower-cased. */
  readonly written: string;
  /** Without accents, where that is another term. */
  readonly folded?: string;
  /** How much of the question it is: 1, or less for a word that says little. */
  readonly importance: number;
  /** The run of an unspaced script that it is two characters of. */
  readonly run?: string;
}

export interface Sentence {
  /** What it counts, of 1 for the sentence that most likely asks: a query of statements alone has none to prefer. */
  readonly weight: number;
  readonly text: string;
  /** In code point order: the order in which words were asked changes no sum. */
  readonly words: readonly QueryWord[];
  /** Words written apart, or an identifier whole (`roll back`, `roll_back`): terms that are worth a look, and no loss if unknown. */
  readonly joined: readonly string[];
  /** Content words that stand side by side, as terms, with the two words. */
  readonly pairs: readonly { readonly term: string; readonly of: readonly [string, string] }[];
  /** Runs of unspaced scripts. */
  readonly runs: readonly string[];
}

/** A query by its sentences, those that ask first: most have one; a story has many, of which one or two ask for something. */
export type Query = readonly Sentence[];

/** One sign at a time: a row of them that ends no sentence would be read again from each. */
const SENTENCE_END = /([.!?;](?=\s|$)|[\n。！？；])/u;
const QUESTION_MARK = /[?？]/u;

const WEIGHTS: Readonly<Record<Asking, number>> = { asks: 1, open: 0.5, states: 0.4 };

function wordsOf(tokens: readonly Token[], most: number): QueryWord[] {
  const words = new Map<string, QueryWord>();
  for (const { term, word, folded, run } of tokens) {
    if (words.size >= most) break;
    if (words.has(term)) continue;
    words.set(term, {
      term,
      written: word,
      ...(folded === undefined ? {} : { folded }),
      importance: isLightWord(term) ? LIGHT_IMPORTANCE : 1,
      ...(run === undefined ? {} : { run }),
    });
  }
  return [...words.values()].sort((left, right) => compareCodePoints(left.term, right.term));
}

/** Neighbours written as one word, stemmed, with those that came whole. */
function joinedOf(tokens: readonly Token[], words: ReadonlySet<string>): string[] {
  const joined = new Set<string>();
  for (const [at, { term, word, whole, run }] of tokens.entries()) {
    const next = tokens[at + 1];
    if (whole === true) joined.add(term);
    else if (next !== undefined && next.whole !== true && run === undefined && next.run === undefined) {
      joined.add(stem(word + next.word));
    }
  }
  return [...joined].filter((term) => !words.has(term)).sort(compareCodePoints);
}

function pairsOf(tokens: readonly Token[]): Sentence["pairs"] {
  const pairs = new Map<string, readonly [string, string]>();
  let before: string | undefined;
  for (const { term, run } of tokens) {
    if (before !== undefined && run === undefined && before !== term)
      pairs.set(pairTerm(before, term), [before, term]);
    before = run === undefined ? term : undefined;
  }
  return [...pairs]
    .map(([term, of]) => ({ term, of }))
    .sort((left, right) => compareCodePoints(left.term, right.term));
}

function isContent({ stopWord, whole }: Token): boolean {
  return !stopWord && whole !== true;
}

function readSentence(
  tokens: readonly Token[],
  chosen: readonly Token[],
  most: number,
): Omit<Sentence, "weight" | "text"> {
  const words = wordsOf(chosen, most);
  const runs = chosen.flatMap(({ run }) => (run === undefined ? [] : [run]));
  return {
    words,
    joined: joinedOf(tokens, new Set(words.map(({ term }) => term))).slice(0, most),
    pairs: pairsOf(chosen).slice(0, most),
    runs: [...new Set(runs)].slice(0, most),
  };
}

/** Sentences by what they likely count, in their order where that is the same. */
function weighed(query: string): { readonly text: string; readonly weight: number }[] {
  // Between any two sentences stands what ended the first.
  const parts = query.split(SENTENCE_END);
  const sentences = parts.flatMap((text, at) => {
    if (at % 2 !== 0) return [];
    return [{ text, weight: WEIGHTS[askingOf(text, QUESTION_MARK.test(parts[at + 1] ?? ""))] }];
  });
  return sentences.sort((left, right) => right.weight - left.weight);
}

/**
 * Reads a query, sentence by sentence, up to `ROUTING_QUERY_MAX_TERMS` words in all, of those first that likely ask. Function words count only where there
 * is nothing else (`who am i`).
 */
export function readQuery(query: string): Query {
  // Every word is read before any is chosen: function words must not crowd out what follows them.
  const bounds = { maxChars: ROUTING_QUERY_MAX_CHARS, maxTokens: ROUTING_QUERY_MAX_CHARS };
  const tokenised = weighed(query.slice(0, ROUTING_QUERY_MAX_CHARS)).flatMap(({ text, weight }) => {
    const tokens = tokenise(text, bounds);
    return tokens.length === 0 ? [] : [{ text, tokens, weight }];
  });
  const hasContent = tokenised.some(({ tokens }) => tokens.some(isContent));
  const most = Math.max(...tokenised.map(({ weight }) => weight));
  const sentences: Sentence[] = [];
  let left = ROUTING_QUERY_MAX_TERMS;
  for (const { text, tokens, weight } of tokenised) {
    const chosen = tokens.filter((token) => (hasContent ? isContent(token) : token.whole !== true));
    if (chosen.length === 0 || left <= 0) continue;
    const sentence = { weight: weight / most, text, ...readSentence(tokens, chosen, left) };
    left -= sentence.words.length;
    sentences.push(sentence);
  }
  return sentences;
}
