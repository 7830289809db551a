import {
  ROUTING_RUN_WORD_MAX_CHARS,
  ROUTING_RUNS_MAX_CHARS,
  ROUTING_SLIP_MIN_CHARS,
  ROUTING_SLIP_WORDS_MAX_COUNT,
  ROUTING_VARIANTS_MAX_COUNT,
} from "../../limits.ts";
import { compareCodePoints } from "../../code-points.ts";
import type { RoutingIndex } from "../index/routing-index.ts";
import { wordsInRun } from "../neighbours/runs.ts";
import { stem } from "../text/stem.ts";
import { type Allowed, type Postings, postingsAt, postingsOf, rarity } from "./postings.ts";
import type { Query, QueryWord, Sentence } from "./query.ts";
import { slipsOf } from "./slips.ts";

/** A term of the index that stands for a word of the query. */
export interface Variant {
  readonly postings: Postings;
  /** How well it does: 1 for the word itself. */
  readonly likeness: number;
  /** What it would give a tool that had it without end. */
  readonly worth: number;
}

/** A word of the query as the index knows it. */
export interface ResolvedWord {
  readonly word: string;
  /** `own`: the word is there, as typed or as it was likely meant; `like`: only others that mean it; `none`: it is missed. */
  readonly kind: "own" | "like" | "none";
  readonly importance: number;
  readonly variants: readonly Variant[];
  /** The most that it can give. */
  readonly worth: number;
}

export interface ResolvedPair {
  readonly postings: Postings;
  readonly worth: number;
}

/** A sentence of a query as the index knows it. */
export interface ResolvedSentence {
  readonly words: readonly ResolvedWord[];
  readonly pairs: readonly ResolvedPair[];
  /** What a tool would get that had all that is asked; a word that nothing stands for is as likely a name as a want. */
  readonly asked: number;
  /** See `Sentence`. */
  readonly weight: number;
  readonly text: string;
}

/** What one slip costs. */
const SLIP_LIKENESS = 0.8;
/** Two words without the space between them: each is surely meant, though it was not written. */
const SPLIT_LIKENESS = 0.8;
/** Neighbours count in full in sentences of up to so many words; in longer ones the words say enough, and drift adds up. */
const NEIGHBOURS_FADE_FROM_WORDS = 12;
/** What an unknown word counts of what a known one does, where it is judged how much of a question was found. */
const UNKNOWN_SHARE = 0.5;
/** What two words side by side give beside what each gives, of their mean worth. */
const PAIR_SHARE = 0.5;

class Resolver {
  readonly #index: RoutingIndex;
  readonly #allowed: Allowed;
  /** What neighbours count for in the sentence at hand. */
  #fade = 1;
  #slipsLeft = ROUTING_SLIP_WORDS_MAX_COUNT;
  #runCharsLeft = ROUTING_RUNS_MAX_CHARS;
  /** By word, in the sentence at hand. */
  readonly #known = new Map<string, readonly Variant[]>();

  constructor(index: RoutingIndex, allowed: Allowed) {
    this.#index = index;
    this.#allowed = allowed;
  }

  sentence({ weight, text, words: asked, joined, pairs, runs }: Sentence): ResolvedSentence {
    this.#known.clear();
    this.#fade = Math.min(1, NEIGHBOURS_FADE_FROM_WORDS / Math.max(1, asked.length));
    const read = runs.map((run) => ({ run, words: this.#run(run) }));
    const readRuns = read.filter(({ words }) => words.length > 0).map(({ run }) => run);
    const words = asked.flatMap((word) => {
      const found = this.#word(word);
      // Two characters out of a run whose words are known are no word of their own unless somebody has them.
      const isPart = word.run !== undefined && readRuns.some((run) => run.includes(word.term));
      return isPart ? found.filter(({ kind }) => kind !== "none") : found;
    });
    // Two characters that are a word of the table are a word of the sentence already.
    const known = new Set(asked.map(({ term }) => term));
    const unknown = read.flatMap((run) => run.words).filter(({ word }) => !known.has(word));
    const inRuns = new Map(unknown.map((word) => [word.word, word]));
    const runWords = [...inRuns.values()].sort((left, right) => compareCodePoints(left.word, right.word));
    const all = [...words, ...runWords];
    const worths = new Map(words.map(({ word, importance, worth }) => [word, importance * worth]));
    return {
      weight,
      text,
      words: [...all, ...joined.flatMap((term) => this.#joined(term))],
      pairs: pairs.flatMap(({ term, of: [first, second] }) =>
        this.#pair(term, Math.sqrt((worths.get(first) ?? 0) * (worths.get(second) ?? 0))),
      ),
      asked: all.reduce((sum, word) => sum + word.importance * askedOf(word), 0),
    };
  }

  #word({ term, written, folded, importance }: QueryWord): ResolvedWord[] {
    const forms = folded === undefined ? [term] : [term, folded];
    const own = forms.flatMap((form) => this.#own(form, 1));
    const near = importance < 1 ? [] : this.#neighbours(forms, own);
    const variants = [...own, ...near];
    if (variants.length > 0) return [resolved(term, own.length > 0 ? "own" : "like", importance, variants)];
    return this.#unknown(term, written, importance);
  }

  /** A word that nobody knows: one slip is likelier than a missing space. */
  #unknown(term: string, written: string, importance: number): ResolvedWord[] {
    const slips = this.#slips(term, written);
    if (slips.length > 0) return [resolved(term, "own", importance, slips)];
    const split = this.#split(written);
    if (split.length > 0) return split.map((half) => resolved(half.word, "own", importance, half.variants));
    return [resolved(term, "none", importance, [])];
  }

  /** A joined word counts where it is known, and is no loss where it is not. */
  #joined(term: string): ResolvedWord[] {
    const variants = this.#own(term, 1);
    return variants.length === 0 ? [] : [resolved(term, "own", 1, variants)];
  }

  /**
   * The table's words inside a run of an unspaced script, as far as the caller's tools have what they mean: a word that only
   * hidden tools know must not take the place of the shorter ones in it.
   */
  #run(run: string): ResolvedWord[] {
    const read = run.slice(0, this.#runCharsLeft);
    this.#runCharsLeft -= read.length;
    const has = (word: string): boolean => this.#meanings(word).length > 0;
    return [...new Set(wordsInRun(read, has, ROUTING_RUN_WORD_MAX_CHARS))].map((word) =>
      resolved(word, "like", 1, this.#meanings(word)),
    );
  }

  #pair(term: string, worth: number): ResolvedPair[] {
    const postings = postingsOf(this.#index, term, this.#allowed);
    if (postings === undefined) return [];
    return [{ postings, worth: PAIR_SHARE * Math.min(rarity(postings.tools), worth) }];
  }

  #own(term: string, likeness: number): Variant[] {
    const postings = postingsOf(this.#index, term, this.#allowed);
    return postings === undefined ? [] : [{ postings, likeness, worth: likeness * rarity(postings.tools) }];
  }

  /**
   * Terms that mean nearly the same. The likeness is squared: the table's middle is loose company. A common neighbour of a
   * rare word is worth the mean of both rarities, and a rare one of a common word no more than the word itself.
   */
  #neighbours(forms: readonly string[], own: readonly Variant[]): Variant[] {
    const rarest =
      own.length === 0 ? rarity(0) : Math.min(...own.map(({ postings }) => rarity(postings.tools)));
    const found = new Map<number, Variant>();
    for (const form of forms) {
      for (const { term, likeness } of this.#index.neighbours(form)) {
        if (found.size >= ROUTING_VARIANTS_MAX_COUNT) break;
        if (own.some((variant) => variant.postings.place === term)) continue;
        const postings = postingsAt(this.#index, term, this.#allowed);
        if (postings === undefined) continue;
        const like = likeness * likeness;
        const worth = this.#fade * like * Math.min(rarest, Math.sqrt(rarest * rarity(postings.tools)));
        if (worth > (found.get(term)?.worth ?? 0)) found.set(term, { postings, likeness: like, worth });
      }
    }
    return [...found.values()];
  }

  /** What a word of a run means, looked up once. */
  #meanings(word: string): readonly Variant[] {
    const known = this.#known.get(word) ?? this.#neighbours([word], []);
    this.#known.set(word, known);
    return known;
  }

  #slips(term: string, written: string): Variant[] {
    if (this.#slipsLeft <= 0) return [];
    this.#slipsLeft -= 1;
    return slipsOf(this.#index, term, written)
      .flatMap((meant) => this.#own(meant, SLIP_LIKENESS))
      .slice(0, ROUTING_VARIANTS_MAX_COUNT);
  }

  /** A word that nobody has, as it is written, as two that somebody has, as even as they come. */
  #split(written: string): { readonly word: string; readonly variants: Variant[] }[] {
    const middle = written.length >>> 1;
    for (let away = 0; middle - away >= ROUTING_SLIP_MIN_CHARS - 1; away += 1) {
      for (const cut of away === 0 ? [middle] : [middle - away, middle + away]) {
        const halves = [stem(written.slice(0, cut)), stem(written.slice(cut))];
        // Most cuts fail, and a look-up costs less than to count who has the word.
        if (halves.some((word) => this.#index.findTerm(word) < 0)) continue;
        const known = halves.map((word) => ({ word, variants: this.#own(word, SPLIT_LIKENESS) }));
        if (known.every(({ variants }) => variants.length > 0)) return known;
      }
    }
    return [];
  }
}

/** What is asked by a word: of one that is in no tool at least the half that an unknown one counts, whatever stands for it. */
function askedOf({ kind, worth }: ResolvedWord): number {
  if (kind === "own") return worth;
  const unknown = UNKNOWN_SHARE * rarity(0);
  return kind === "none" ? unknown : Math.max(worth, unknown);
}

function resolved(
  word: string,
  kind: ResolvedWord["kind"],
  importance: number,
  variants: readonly Variant[],
): ResolvedWord {
  const worth = kind === "none" ? rarity(0) : Math.max(...variants.map((variant) => variant.worth));
  return { word, kind, importance, variants, worth };
}

/**
 * Looks a query up in an index. With `allowed` only terms that the caller's tools have are known, and rarity is counted over
 * those tools: the answer is that of an index over them alone.
 */
export function resolveQuery(
  index: RoutingIndex,
  query: Query,
  allowed: Allowed,
): readonly ResolvedSentence[] {
  const resolver = new Resolver(index, allowed);
  return query.map((sentence) => resolver.sentence(sentence));
}
