import * as fc from "fast-check";
import { encodeNeighbours } from "../../../scripts/neighbours/encode.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import { type NeighbourTable, openNeighbours } from "../../../src/routing/neighbours/table.ts";
import { stem } from "../../../src/routing/text/stem.ts";

export type Rows = Readonly<Record<string, readonly (readonly [string, number])[]>>;

export const DIGEST = Uint8Array.from({ length: 32 }, (_, index) => index);

export function encodeRows(rows: Rows): Uint8Array {
  return encodeNeighbours(new Map(Object.entries(rows)), DIGEST);
}

export function tableOf(rows: Rows): NeighbourTable {
  const table = openNeighbours(encodeRows(rows));
  if (!table.ok) throw new Error(table.reason.kind);
  return table.value;
}

/** The neighbours of a word by name, with their likeness. */
export function rowOf(table: NeighbourTable, word: string): [string, number][] {
  const index = table.words.indexOf(word);
  if (index === -1) return [];
  const [start, end] = [table.starts[index] ?? 0, table.starts[index + 1] ?? 0];
  return Array.from({ length: end - start }, (_, at) => [
    table.words[table.neighbours[start + at] ?? 0] ?? "",
    table.likeness[start + at] ?? 0,
  ]);
}

/** Tables of these words, with likenesses that can be written. */
export function anyRows(
  word: fc.Arbitrary<string>,
  neighboursMaxCount: number,
  wordsMaxCount?: number,
): fc.Arbitrary<Rows> {
  const likeness = fc.integer({ min: 1, max: 63 }).map((level) => level / 63);
  const row = fc.uniqueArray(fc.tuple(word, likeness), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: neighboursMaxCount,
  });
  return fc.dictionary(word, row, wordsMaxCount === undefined ? {} : { maxKeys: wordsMaxCount });
}

const word = fc.stringMatching(/^[abc]{1,3}(?:s|es|ing)?$/);
/** Tables whose words share stems. */
export const anyTable = anyRows(word, 6, 20).map((rows) => tableOf(rows));
/** Terms that such tables may know, in code point order. */
export const anyVocabulary = fc
  .uniqueArray(
    word.map((text) => stem(text)),
    { maxLength: 30 },
  )
  .map((terms) => [...terms].sort(compareCodePoints));
