import { isStopWord } from "../../src/routing/text/stop-words.ts";
import { stem } from "../../src/routing/text/stem.ts";
import { readDictionary } from "./dictionary.ts";
import { encodeNeighbours } from "./encode.ts";
import { joinForms } from "./families.ts";
import { mergeNeighbours } from "./merge.ts";
import { nearestWords } from "./nearest.ts";
import { relateWords } from "./relate.ts";
import type { Sources } from "./sources.ts";
import { readVectors } from "./vectors.ts";

const FAMILIES = 30_000;
const MOST_NEIGHBOURS = 16;
const LEAST_CORRECTED_COSINE = 0.5;
const CANDIDATES = 64;
const LEAST_COSINE = 0.35;
/** The news and Wikipedia use these so often that a dictionary's silence only means an irregular form. */
const FREQUENT_RANK = 8_000;
const WORD = /^[a-z]{2,24}$/;

/** The table's bytes from the two packages' texts and the word lists. */
export function buildTable(
  vectorsJson: unknown,
  dictionaryFiles: ReadonlyMap<string, string>,
  sources: Sources,
): Uint8Array {
  const dictionary = readDictionary(dictionaryFiles);
  const needed = new Set([
    ...sources.computing,
    ...sources.synonyms.flat(),
    ...sources.everyday.keys(),
    ...[...sources.everyday.values()].flat(),
    ...sources.translations.flatMap((words) => [...words.values()].flat()),
  ]);
  const vectors = readVectors(vectorsJson, (word, rank) => {
    if (!WORD.test(word) || isStopWord(word)) return false;
    if (needed.has(word) || dictionary.isCommon(word)) return true;
    return rank < FREQUENT_RANK && !dictionary.isName(word);
  });
  const { words, ...families } = joinForms(vectors, FAMILIES, (word) => needed.has(word));
  const candidates = nearestWords({ words, ...families }, CANDIDATES, LEAST_COSINE);
  const relations = relateWords(words, candidates, dictionary, classesOf(sources.apart), {
    most: MOST_NEIGHBOURS,
    least: LEAST_CORRECTED_COSINE,
  });
  const curated = { ...sources, derivations: dictionary.derivations };
  return encodeNeighbours(mergeNeighbours(words, relations, curated, MOST_NEIGHBOURS), sources.digest);
}

/** Whether two words are of one class, in any of their forms. */
function classesOf(classes: readonly (readonly string[])[]): (left: string, right: string) => boolean {
  const memberships = new Map<string, Set<number>>();
  for (const [index, members] of classes.entries()) {
    for (const member of members) {
      memberships.set(stem(member), (memberships.get(stem(member)) ?? new Set()).add(index));
    }
  }
  return (left, right) => {
    const others = memberships.get(stem(right));
    return (
      others !== undefined && [...(memberships.get(stem(left)) ?? [])].some((index) => others.has(index))
    );
  };
}
