import { SATURATION } from "../document/fields.ts";
import { nameShareOf, occurrencesOf } from "../document/posting-weight.ts";
import type { RoutingIndex } from "../index/routing-index.ts";
import type { Allowed } from "./postings.ts";
import type { ResolvedSentence, ResolvedWord } from "./resolve.ts";

/** A tool whose whole name is asked for has this much more than one whose name is not. */
const NAME_BONUS = 0.3;
/** What all sentences of a query together count, against the one that a tool answers best. */
const WHOLE_SHARE = 0.02;

export interface Scores {
  /** Above 0 and below 1 for each document that matched, by document. */
  readonly shares: Float64Array;
  /** Documents that matched, each once. */
  readonly matched: readonly number[];
}

/** Numbers by document that are mostly 0, and which of them are not. */
class Tally {
  readonly values: Float64Array;
  readonly documents: number[] = [];

  constructor(documents: number) {
    this.values = new Float64Array(documents);
  }

  get(document: number): number {
    return this.values[document] ?? 0;
  }

  add(document: number, value: number): void {
    const before = this.get(document);
    if (before === 0) this.documents.push(document);
    this.values[document] = before + value;
  }

  raise(document: number, value: number): void {
    const before = this.get(document);
    if (before === 0) this.documents.push(document);
    if (value > before) this.values[document] = value;
  }

  clear(): void {
    for (const document of this.documents) this.values[document] = 0;
    this.documents.length = 0;
  }
}

class Scorer {
  readonly #index: RoutingIndex;
  readonly #allowed: Allowed;
  /** Of one word: the best of its variants counts, once. */
  readonly #gains: Tally;
  readonly #wordNames: Float64Array;
  /** Of one sentence. */
  readonly #sentence: Tally;
  /** Of the whole query. */
  readonly #whole: Tally;
  readonly #best: Float64Array;
  /** The share of its name that the sentence at hand asks for. */
  readonly #names: Float64Array;

  constructor(index: RoutingIndex, allowed: Allowed) {
    const { documentCount } = index;
    this.#index = index;
    this.#allowed = allowed;
    this.#gains = new Tally(documentCount);
    this.#sentence = new Tally(documentCount);
    this.#whole = new Tally(documentCount);
    this.#wordNames = new Float64Array(documentCount);
    this.#best = new Float64Array(documentCount);
    this.#names = new Float64Array(documentCount);
  }

  #word({ variants, importance }: ResolvedWord): void {
    for (const { postings, likeness, worth } of variants) {
      for (let posting = postings.from; posting < postings.to; posting += 1) {
        const document = this.#index.documents[posting] ?? 0;
        if (this.#allowed?.[document] === 0) continue;
        const weight = this.#index.weights[posting] ?? 0;
        const occurrences = occurrencesOf(weight);
        this.#gains.raise(document, (worth * occurrences) / (SATURATION + occurrences));
        const share = likeness * nameShareOf(weight);
        if (share > (this.#wordNames[document] ?? 0)) this.#wordNames[document] = share;
      }
    }
    for (const document of this.#gains.documents) {
      this.#sentence.add(document, importance * this.#gains.get(document));
      this.#names[document] = (this.#names[document] ?? 0) + (this.#wordNames[document] ?? 0);
      this.#wordNames[document] = 0;
    }
    this.#gains.clear();
  }

  /** Adds what one sentence gives. `most` is what a document with all of it would have, its weight aside. */
  sentence({ weight, words, pairs }: ResolvedSentence, most: number): void {
    for (const word of words) this.#word(word);
    for (const { postings, worth } of pairs) {
      for (let posting = postings.from; posting < postings.to; posting += 1) {
        const document = this.#index.documents[posting] ?? 0;
        // A pair's words are words of the sentence, so that who has it has a score, unless it is hidden.
        if (this.#sentence.get(document) === 0) continue;
        this.#sentence.add(document, worth * Math.min(1, occurrencesOf(this.#index.weights[posting] ?? 0)));
      }
    }
    for (const document of this.#sentence.documents) {
      const found = this.#sentence.get(document);
      this.#whole.add(document, weight * found);
      const name = 1 + NAME_BONUS * Math.min(1, this.#names[document] ?? 0);
      const strength = weight * name * found * Math.sqrt(found / most);
      if (strength > (this.#best[document] ?? 0)) this.#best[document] = strength;
      this.#names[document] = 0;
    }
    this.#sentence.clear();
  }

  /** `largest` and `total`: the most that one sentence, and all of them, could have given. */
  scores(largest: number, total: number): Scores {
    const shares = this.#whole.values;
    const most = (1 + NAME_BONUS) * largest + WHOLE_SHARE * total;
    for (const document of this.#whole.documents) {
      const found = (this.#best[document] ?? 0) + WHOLE_SHARE * (shares[document] ?? 0);
      shares[document] = found / most;
    }
    return { shares, matched: this.#whole.documents };
  }
}

function mostOf({ words, pairs }: ResolvedSentence): number {
  const ofWords = words.reduce((sum, { importance, worth }) => sum + importance * worth, 0);
  return pairs.reduce((sum, { worth }) => sum + worth, ofWords);
}

/**
 * Scores every document that has a word of the query. A sentence gives a document what its words give by BM25F, each word by
 * the best of its variants, and what its pairs give. The sentence that a document answers best counts, by how much it gives
 * and by the share of it that is answered, and all of them together a little: a story around a question must not outvote it, and
 * what tells the story counts less than what asks (`asking.ts`).
 * Then times the share of its name that was asked for; of what a document with all of it would have.
 */
export function scoreDocuments(
  index: RoutingIndex,
  sentences: readonly ResolvedSentence[],
  allowed: Allowed,
): Scores {
  const scorer = new Scorer(index, allowed);
  let [largest, total] = [0, 0];
  for (const sentence of sentences) {
    const most = mostOf(sentence);
    scorer.sentence(sentence, most);
    largest = Math.max(largest, sentence.weight * most);
    total += sentence.weight * most;
  }
  return scorer.scores(largest, total);
}
