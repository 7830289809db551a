import { type Random, shuffled } from "./random.ts";

/**
 * Heaps' law, different words = 9.7 · (all words)^0.55, as fitted to the names, descriptions and parameters of 3,100 real
 * tools of 430 servers in chance order: 3,300 different words in 1,000 tools, 6,000 in 3,000.
 */
const HEAPS_FACTOR = 9.7;
const HEAPS_EXPONENT = 0.55;

/** How many different words real catalogs have among so many. */
export function heapsWords(allWords: number): number {
  return HEAPS_FACTOR * allWords ** HEAPS_EXPONENT;
}

/**
 * Gives out words so that the words of a growing catalog come to follow Heaps' law: one that was never used while there are
 * fewer than the law says, else one given out before, the oftener the likelier it has been (which makes their
 * frequencies Zipf's).
 */
export class Vocabulary {
  readonly #random: Random;
  readonly #unused: string[];
  readonly #given: string[] = [];
  readonly #known = new Set<string>();
  #allWords = 0;

  constructor(words: readonly string[], random: Random) {
    this.#random = random;
    this.#unused = shuffled(words, random);
  }

  /** Counts words that stand in the catalog. */
  note(words: readonly string[]): void {
    this.#allWords += words.length;
    for (const word of words) this.#known.add(word);
  }

  draw(): string {
    const word = this.#isShort() ? (this.#fresh() ?? this.#again()) : this.#again();
    this.#given.push(word);
    this.#known.add(word);
    return word;
  }

  get size(): { readonly allWords: number; readonly differentWords: number } {
    return { allWords: this.#allWords, differentWords: this.#known.size };
  }

  #isShort(): boolean {
    return this.#given.length === 0 || this.#known.size < heapsWords(this.#allWords);
  }

  #fresh(): string | undefined {
    for (let word = this.#unused.pop(); word !== undefined; word = this.#unused.pop()) {
      if (!this.#known.has(word)) return word;
    }
    return undefined;
  }

  #again(): string {
    const word = this.#given[this.#random.below(this.#given.length)];
    if (word === undefined) throw new Error("a catalog cannot grow without words");
    return word;
  }
}
