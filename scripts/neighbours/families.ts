import { stem } from "../../src/routing/text/stem.ts";
import { normalise, type Vectors } from "./vectors.ts";

/** Forms less alike than this share a stem by accident (`new` and `news`) and stay apart. */
const SAME_WORD_MIN_COSINE = 0.5;

/**
 * One vector for all forms of a word: the index knows only stems, so `folders` beside `folder` would take room, and be
 * its own nearest neighbour. The most frequent form names the family, and all count alike: weighed by frequency, the
 * forms that newspapers prefer (`filed`, of lawsuits) say what the word means. At most the `most` most frequent families are made, and those of needed words.
 */
export function joinForms(vectors: Vectors, most: number, isNeeded: (word: string) => boolean): Vectors {
  const { words, dimensions, rows } = vectors;
  const heads = new Map<string, number>();
  const members: number[][] = [];
  for (const [index, word] of words.entries()) {
    const key = stem(word);
    const family = heads.get(key);
    const head = family === undefined ? undefined : members[family]?.[0];
    if (
      family !== undefined &&
      head !== undefined &&
      cosine(rows, dimensions, head, index) >= SAME_WORD_MIN_COSINE
    ) {
      members[family]?.push(index);
    } else if (members.length < most || isNeeded(word)) {
      if (family === undefined) heads.set(key, members.length);
      members.push([index]);
    }
  }
  const joined = new Float32Array(members.length * dimensions);
  for (const [family, forms] of members.entries()) {
    const sum = Array.from({ length: dimensions }, (_, at) =>
      forms.reduce((total, form) => total + (rows[form * dimensions + at] ?? 0), 0),
    );
    joined.set(normalise(sum), family * dimensions);
  }
  return { words: members.map(([head = 0]) => words[head] ?? ""), dimensions, rows: joined };
}

function cosine(rows: Float32Array, dimensions: number, left: number, right: number): number {
  let sum = 0;
  for (let at = 0; at < dimensions; at += 1) {
    sum += (rows[left * dimensions + at] ?? 0) * (rows[right * dimensions + at] ?? 0);
  }
  return sum;
}
