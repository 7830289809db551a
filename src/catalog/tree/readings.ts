import { ACTIONS, COMMON_VERBS, NOUN_VERBS, PREPOSITIONS, QUALIFIERS } from "./vocabulary.ts";
import { isMeaningless, nounKey, splitWords } from "./words.ts";
import type { Word } from "./words.ts";

/** What a tool's name says: its nouns in order, those after a preposition apart, and what it does. */
export interface Reading {
  readonly words: readonly Word[];
  readonly heads: readonly Word[];
  readonly tail: readonly Word[];
  readonly actions: readonly Word[];
}

/** A word in more names than this share of them says nothing about any one. */
const UBIQUITOUS_SHARE = 0.9;

/** Whether `count` of `total` is so many that a word tells nothing apart. */
export function isUbiquitous(count: number, total: number): boolean {
  return count > total * UBIQUITOUS_SHARE;
}

function word(form: string): Word {
  return { form, key: nounKey(form) };
}

/** The most frequent word at a place of the names, if nearly all have it there. */
function sharedWord(names: readonly (readonly string[])[], at: number): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) {
    const form = name[at];
    if (form !== undefined && name.length > at + 1) counts.set(form, (counts.get(form) ?? 0) + 1);
  }
  for (const [form, count] of counts) if (isUbiquitous(count, names.length)) return form;
  return undefined;
}

/** The words that lead nearly all names, such as the server's own name: a prefix, and no topic. */
function sharedLead(names: readonly (readonly string[])[]): string[] {
  const lead: string[] = [];
  for (;;) {
    const next = sharedWord(names, lead.length);
    if (next === undefined) return lead;
    lead.push(next);
  }
}

/** Drops the lead that the name has, and always leaves a word. */
function withoutLead(name: readonly string[], lead: readonly string[]): readonly string[] {
  let at = 0;
  while (at < lead.length && at < name.length - 1 && name[at] === lead[at]) at += 1;
  return name.slice(at);
}

/**
 * The words that are verbs as often as nouns, and that lead most names here as nouns: with `chat_list` and `chat_delete`
 * beside it, `chat_mute` is about chats.
 */
function leadingNouns(names: readonly (readonly string[])[]): Set<string> {
  const leads = new Map<string, { names: number; withVerb: number }>();
  for (const name of names) {
    const [first] = name;
    if (first === undefined || name.length < 2 || !NOUN_VERBS.has(first)) continue;
    const seen = leads.get(first) ?? { names: 0, withVerb: 0 };
    const hasVerb = name.some((form) => COMMON_VERBS.has(form));
    leads.set(first, { names: seen.names + 1, withVerb: seen.withVerb + (hasVerb ? 1 : 0) });
  }
  return new Set(
    [...leads].filter(([, { names, withVerb }]) => withVerb * 2 > names).map(([first]) => first),
  );
}

function read(words: readonly string[], leading: ReadonlySet<string>): Reading {
  const cut = words.findIndex((form, at) => at > 0 && PREPOSITIONS.has(form));
  const front = cut === -1 ? words : words.slice(0, cut);
  const isNoun = (form: string): boolean =>
    !COMMON_VERBS.has(form) && !QUALIFIERS.has(form) && !PREPOSITIONS.has(form) && !isMeaningless(form);
  const nouns = front.filter(isNoun);
  const hasVerb = front.some((form) => COMMON_VERBS.has(form));
  const first = front[0] ?? "";
  // `export report` exports; in `report export`, `create report` and a bare `report` it is a noun.
  const verb =
    !hasVerb && nouns.length > 1 && nouns[0] === first && NOUN_VERBS.has(first) && !leading.has(first)
      ? first
      : undefined;
  const heads = (verb === undefined ? nouns : nouns.slice(1)).map(word);
  const tail = words.slice(front.length).filter(isNoun).map(word);
  return {
    words: words.map(word),
    heads: heads.length > 0 ? heads : tail,
    tail: heads.length > 0 ? tail : [],
    actions: front.filter((form) => ACTIONS.has(form) || form === verb).map(word),
  };
}

/**
 * Reads the names of one namespace together, in their order: what leads them all is dropped first, as is the
 * namespace's own name where it leads one.
 */
export function readNames(names: readonly string[], namespace: string): Reading[] {
  const own = splitWords(namespace);
  const bare = names.map((name) => splitWords(name)).map((words) => withoutLead(words, own));
  const lead = sharedLead(bare);
  const short = bare.map((words) => withoutLead(words, lead));
  const leading = leadingNouns(short);
  return short.map((words) => read(words, leading));
}
