import { stem } from "../../src/routing/text/stem.ts";
import type { Dictionary } from "./dictionary.ts";
import type { Candidate } from "./nearest.ts";

export interface Relation {
  readonly word: number;
  /** From 0 to 1. */
  readonly likeness: number;
}

export interface RelateSettings {
  readonly most: number;
  /** Cosine, corrected, below which words are strangers. */
  readonly least: number;
}

/** Neighbours whose mean cosine says how crowded a word's surroundings are. */
const CROWD = 10;
/** What is taken for a cosine too low to be among the candidates. */
const FAR_COSINE = 0.35;
/** Two senses out of a dictionary say more than a few hundredths of cosine. */
const SYNONYM_BONUS = 0.2;
const KIND_BONUS = 0.1;
const SIBLING_BONUS = 0.03;
/** Corrected cosines reach a little above 1; what vectors say stays below what a person wrote down. */
const SCALE = 0.7;
const MAX_LIKENESS = 0.78;

/**
 * The neighbours of every word out of its nearest by cosine. Where everything is near (names of politicians) a cosine
 * says little: half of the two words' crowding is taken off, as in cross-domain similarity local scaling (Conneau et
 * al. 2018), and a neighbour must have the word among its own nearest. Antonyms and members of one class (`apart`)
 * are no neighbours however near; what a dictionary lists as synonyms, or as one a kind of the other, is nearer.
 */
export function relateWords(
  words: readonly string[],
  candidates: readonly (readonly Candidate[])[],
  dictionary: Dictionary,
  areApart: (left: string, right: string) => boolean,
  settings: RelateSettings,
): Relation[][] {
  const crowding = candidates.map(crowdingOf);
  const near = candidates.map((list) => new Set(list.map(({ word }) => word)));
  return candidates.map((list, word) => {
    const own = words[word] ?? "";
    const relations: Relation[] = [];
    for (const { word: other, cosine } of list) {
      const name = words[other] ?? "";
      if (near[other]?.has(word) !== true || stem(own) === stem(name)) continue;
      if (areApart(own, name) || dictionary.areAntonyms(own, name)) continue;
      const local = cosine - ((crowding[word] ?? 0) + (crowding[other] ?? 0)) / 2;
      const corrected = cosine + local + bonus(dictionary, own, name);
      if (corrected < settings.least) continue;
      relations.push({ word: other, likeness: Math.min(SCALE * corrected, MAX_LIKENESS) });
    }
    relations.sort((left, right) => right.likeness - left.likeness || left.word - right.word);
    return relations.slice(0, settings.most);
  });
}

function crowdingOf(list: readonly Candidate[]): number {
  const nearest = list.slice(0, CROWD);
  const sum = nearest.reduce((total, { cosine }) => total + cosine, 0);
  return (sum + (CROWD - nearest.length) * FAR_COSINE) / CROWD;
}

function bonus(dictionary: Dictionary, left: string, right: string): number {
  switch (dictionary.relationOf(left, right)) {
    case "synonyms":
      return SYNONYM_BONUS;
    case "kind":
      return KIND_BONUS;
    case "siblings":
      return SIBLING_BONUS;
    case "none":
      return 0;
  }
}
