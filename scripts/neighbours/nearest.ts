import type { Vectors } from "./vectors.ts";

export interface Candidate {
  readonly word: number;
  readonly cosine: number;
}

/** Columns compared against a block of rows before going on: they stay in the processor's cache. */
const BLOCK_WORDS = 256;

/** For every word its nearest others by exact cosine, at most `most` and none below `least`, nearest first. */
export function nearestWords(vectors: Vectors, most: number, least: number): Candidate[][] {
  const count = vectors.words.length;
  const found: Candidate[][] = Array.from({ length: count }, () => []);
  for (let left = 0; left < count; left += BLOCK_WORDS) {
    for (let right = left; right < count; right += BLOCK_WORDS)
      compareBlocks(vectors, left, right, least, found);
    for (let word = left; word < Math.min(count, left + BLOCK_WORDS); word += 1)
      trim(found[word] ?? [], most);
    if ((left / BLOCK_WORDS) % 8 === 7)
      for (const list of found) if (list.length > 4 * most) trim(list, most);
  }
  return found;
}

function compareBlocks(
  { words, dimensions, rows }: Vectors,
  left: number,
  right: number,
  least: number,
  found: Candidate[][],
): void {
  const leftEnd = Math.min(words.length, left + BLOCK_WORDS);
  const rightEnd = Math.min(words.length, right + BLOCK_WORDS);
  for (let i = left; i < leftEnd; i += 1) {
    const row = rows.subarray(i * dimensions, (i + 1) * dimensions);
    for (let j = Math.max(right, i + 1); j < rightEnd; j += 1) {
      const cosine = dot(row, rows, j * dimensions);
      if (cosine < least) continue;
      found[i]?.push({ word: j, cosine });
      found[j]?.push({ word: i, cosine });
    }
  }
}

function dot(row: Float32Array, rows: Float32Array, start: number): number {
  let even = 0;
  let odd = 0;
  for (let at = 0; at < row.length; at += 2) {
    even += (row[at] ?? 0) * (rows[start + at] ?? 0);
    odd += (row[at + 1] ?? 0) * (rows[start + at + 1] ?? 0);
  }
  return even + odd;
}

function trim(list: Candidate[], most: number): void {
  list.sort((left, right) => right.cosine - left.cosine || left.word - right.word);
  list.length = Math.min(list.length, most);
}
