import type { Meter } from "./meter.ts";
import type { Reading } from "./readings.ts";
import type { Read, Topic } from "./topics.ts";
import { COMMON_VERBS, COUNTING_VERBS, NOUN_VERBS, PREPOSITIONS, QUALIFIERS } from "./vocabulary.ts";
import { isMeaningless, isPlural, pluralOf } from "./words.ts";
import type { Word } from "./words.ts";

/** Two words that stand together in this share of a topic's names are one name. */
const COMPANION_SHARE = 0.8;

/** The most frequent of some words, the alphabet deciding between equals, with its count. */
function mostFrequent(words: readonly string[]): { word: string; count: number } | undefined {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let found: { word: string; count: number } | undefined;
  for (const [word, count] of counts) {
    if (found === undefined || count > found.count || (count === found.count && word < found.word)) {
      found = { word, count };
    }
  }
  return found;
}

function formsOf(key: string, tools: readonly Read[]): string[] {
  return tools.flatMap(({ reading }) =>
    reading.words.filter((word) => word.key === key).map(({ form }) => form),
  );
}

/** The form in which a word is most often written. */
function written(key: string, tools: readonly Read[]): string {
  return mostFrequent(formsOf(key, tools))?.word ?? key;
}

/** Whether such things are counted: a tool creates or deletes one, and the noun is what it creates. */
function isCounted(key: string, { reading: { words, heads } }: Read): boolean {
  return heads.at(-1)?.key === key && words.some(({ form }) => COUNTING_VERBS.has(form));
}

/** A noun as a name: its plural where one is written or where such things are counted, else as it is written. */
function display(key: string, tools: readonly Read[]): string {
  const plural = mostFrequent(formsOf(key, tools).filter((form) => isPlural(form)));
  if (plural !== undefined) return plural.word;
  const form = written(key, tools);
  return tools.some((tool) => isCounted(key, tool)) ? pluralOf(form) : form;
}

/** The key of the word that stands beside the topic's word in nearly all its tools' names. */
function companion(
  key: string,
  tools: readonly Read[],
  beside: (at: number, reading: Reading) => Word | undefined,
): string | undefined {
  const found = mostFrequent(
    tools.flatMap(({ reading }) => {
      const at = reading.words.findIndex((word) => word.key === key);
      const word = at === -1 ? undefined : beside(at, reading);
      return word === undefined || word.key === key ? [] : [word.key];
    }),
  );
  return found !== undefined && found.count >= tools.length * COMPANION_SHARE ? found.word : undefined;
}

/** Whether the word acts as the name's verb: `stop` in `stop_job`, and not in `get_stop_words`. */
function isVerb(words: readonly Word[], at: number): boolean {
  return words.findIndex(({ form }) => COMMON_VERBS.has(form) || NOUN_VERBS.has(form)) >= at;
}

/**
 * A topic's name, a legal path segment but for its length: its noun, with the word after or before it where nearly all
 * its tools have the two together (`pull_requests`, `stop_words`), else alone. `shared` words do not count.
 */
export function topicName<Tool extends Read>(
  { key, tools }: Topic<Tool>,
  shared: ReadonlySet<string>,
  meter: Meter,
): string {
  for (const { reading } of tools) meter.steps += reading.words.length;
  const allowed = (word: Word | undefined): Word | undefined =>
    word === undefined ||
    shared.has(word.key) ||
    QUALIFIERS.has(word.form) ||
    PREPOSITIONS.has(word.form) ||
    isMeaningless(word.form)
      ? undefined
      : word;
  const after = companion(key, tools, (at, { words, heads }) =>
    heads.some((head) => head.key === words[at + 1]?.key) ? allowed(words[at + 1]) : undefined,
  );
  if (after !== undefined) return `${written(key, tools)}_${display(after, tools)}`;
  const before = companion(key, tools, (at, { words }) =>
    isVerb(words, at - 1) ? undefined : allowed(words[at - 1]),
  );
  if (before !== undefined) return `${written(before, tools)}_${display(key, tools)}`;
  // `send_as` at the end of each name is one verb of two words.
  const end = companion(key, tools, (at, { words, heads }) =>
    at === words.length - 2 && heads.every((head) => head.key !== key) ? words[at + 1] : undefined,
  );
  return end === undefined ? display(key, tools) : `${written(key, tools)}_${written(end, tools)}`;
}
