import { compareCodePoints } from "../../src/code-points.ts";
import { isStopWord } from "../../src/routing/text/stop-words.ts";
import { stem } from "../../src/routing/text/stem.ts";
import { fold } from "../../src/routing/text/tokenise.ts";
import type { Neighbours } from "./encode.ts";
import type { Relation } from "./relate.ts";

export interface Curated {
  readonly synonyms: readonly (readonly string[])[];
  readonly everyday: ReadonlyMap<string, readonly string[]>;
  readonly translations: readonly ReadonlyMap<string, readonly string[]>[];
  readonly derivations: readonly (readonly [string, string])[];
}

/** A word and what is made from it name one thing as a deed and as its result, or its doer. */
const DERIVED_LIKENESS = 0.92;
/** How like words out of the lists are; what vectors say stays below. */
const SYNONYM_LIKENESS = 0.8;
const EVERYDAY_LIKENESS = 0.8;
const EVERYDAY_STEP = 0.05;
const EVERYDAY_MIN_LIKENESS = 0.65;
const TRANSLATION_LIKENESS = 0.9;
const TRANSLATION_STEP = 0.1;
const TRANSLATION_MIN_LIKENESS = 0.6;
/** A word of another language that English uses this much is read as English (`lot`, which is a Polish flight). */
const ENGLISH_RANK = 10_000;
/** Of one that English hardly uses both meanings are kept (`dossier`). */
const SHARED_SPELLING_LIKENESS = 0.6;

/**
 * The table's content: the words' relations, the groups of synonyms, and the words of other languages. Each English
 * stem has one row, named by its most frequent form, and no row more than `most` neighbours. `words` are in order of
 * frequency.
 */
export function mergeNeighbours(
  words: readonly string[],
  relations: readonly (readonly Relation[])[],
  { synonyms, everyday, translations, derivations }: Curated,
  most: number,
): Neighbours {
  const rows = new Map<string, Map<string, number>>();
  const relate = (key: string, other: string, likeness: number): void => {
    if (stem(key) === stem(other)) return;
    const row = rows.get(key) ?? new Map<string, number>();
    row.set(other, Math.max(row.get(other) ?? 0, likeness));
    rows.set(key, row);
  };
  const english = englishHeads(words, [...synonyms, [...everyday.keys()], ...everyday.values()]);
  const headOf = (word: string): string => english.get(stem(word))?.head ?? word;

  for (const [index, list] of relations.entries()) {
    for (const { word, likeness } of list)
      relate(headOf(words[index] ?? ""), headOf(words[word] ?? ""), likeness);
  }
  for (const [word, other] of derivations) {
    if (!english.has(stem(word)) || !english.has(stem(other))) continue;
    relate(headOf(word), headOf(other), DERIVED_LIKENESS);
    relate(headOf(other), headOf(word), DERIVED_LIKENESS);
  }
  for (const group of synonyms) {
    for (const word of group) {
      for (const other of group) relate(headOf(word), headOf(other), SYNONYM_LIKENESS);
    }
  }
  for (const [word, meanings] of everyday) {
    for (const [place, meaning] of meanings.entries()) {
      const likeness = Math.max(EVERYDAY_LIKENESS - place * EVERYDAY_STEP, EVERYDAY_MIN_LIKENESS);
      relate(headOf(word), headOf(meaning), likeness);
    }
  }
  const foreign = new Set(translations.flatMap((words) => [...words.keys()]));
  for (const [word, meanings] of translations.flatMap((words) => [...words])) {
    const plain = fold(word);
    const isOther = plain === word || foreign.has(plain) || english.has(stem(plain));
    for (const spelling of isOther ? [word] : [word, plain]) {
      const shared = english.get(stem(spelling));
      if (isStopWord(spelling) || (shared !== undefined && shared.rank < ENGLISH_RANK)) continue;
      const highest = shared === undefined ? TRANSLATION_LIKENESS : SHARED_SPELLING_LIKENESS;
      for (const [place, meaning] of meanings.entries()) {
        const likeness = Math.max(TRANSLATION_LIKENESS - place * TRANSLATION_STEP, TRANSLATION_MIN_LIKENESS);
        relate(shared?.head ?? spelling, headOf(meaning), Math.min(likeness, highest));
      }
    }
  }
  return new Map([...rows].map(([key, row]) => [key, nearestFirst(row).slice(0, most)]));
}

/** For every stem its most frequent form and that form's rank; a word that only the lists know ranks first. */
function englishHeads(
  words: readonly string[],
  synonyms: readonly (readonly string[])[],
): Map<string, { readonly head: string; readonly rank: number }> {
  const heads = new Map<string, { readonly head: string; readonly rank: number }>();
  for (const [rank, head] of words.entries()) {
    if (!heads.has(stem(head))) heads.set(stem(head), { head, rank });
  }
  for (const head of synonyms.flat()) {
    if (!heads.has(stem(head))) heads.set(stem(head), { head, rank: 0 });
  }
  return heads;
}

function nearestFirst(row: ReadonlyMap<string, number>): [string, number][] {
  return [...row].sort(([a, x], [b, y]) => y - x || compareCodePoints(a, b));
}
