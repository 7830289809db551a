import { memberOf, isJsonArray, isRecord } from "../../src/json.ts";

/** Word vectors of one length, rows in order of the words' frequency. */
export interface Vectors {
  readonly words: readonly string[];
  readonly dimensions: number;
  /** Row after row, each of length 1. */
  readonly rows: Float32Array;
}

/**
 * Reads the vectors of the words that `wanted` lets through out of the package's JSON: `words` in order of frequency,
 * `vectors` with the numbers of each word followed by its length and rank.
 */
export function readVectors(json: unknown, wanted: (word: string, rank: number) => boolean): Vectors {
  const all = memberOf(json, "words");
  const numbersOf = memberOf(json, "vectors");
  const dimensions = memberOf(json, "dimensions");
  if (!isJsonArray(all) || !isRecord(numbersOf) || typeof dimensions !== "number") {
    throw new TypeError("the package holds no vectors in the form known to this script");
  }
  const words: string[] = [];
  for (const [rank, word] of all.entries()) {
    if (typeof word === "string" && wanted(word, rank)) words.push(word);
  }
  const rows = new Float32Array(words.length * dimensions);
  for (const [index, word] of words.entries()) {
    const numbers = Object.hasOwn(numbersOf, word) ? numbersOf[word] : undefined;
    if (!isJsonArray(numbers)) throw new TypeError(`the package lists ${word} without its vector`);
    rows.set(
      normalise(Array.from({ length: dimensions }, (_, at) => Number(numbers[at]))),
      index * dimensions,
    );
  }
  return { words, dimensions, rows };
}

/** The vector of length 1 in the same direction. */
export function normalise(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => (length === 0 ? 0 : value / length));
}
