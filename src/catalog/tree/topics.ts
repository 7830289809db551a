import type { Meter } from "./meter.ts";
import type { Reading } from "./readings.ts";
import { isUbiquitous } from "./readings.ts";
import { VAGUE_NOUNS } from "./vocabulary.ts";
import { nounKey } from "./words.ts";
import type { Word } from "./words.ts";

/** Anything whose name was read. */
export interface Read {
  readonly reading: Reading;
}

/** Tools about one thing; `key` is the noun's. */
export interface Topic<Tool extends Read> {
  readonly key: string;
  readonly tools: readonly Tool[];
}

/** `shared` are the words that the tools have in common and that name no topic. */
export interface Topics<Tool extends Read> {
  readonly shared: ReadonlySet<string>;
  readonly topics: readonly Topic<Tool>[];
  readonly rest: readonly Tool[];
}

/** How much a noun tells by its place: `issue` in `issue_comment` more than `comment`. Integers, so sums are exact. */
const PLACE_WEIGHTS: readonly number[] = [12, 7, 5, 4];
const LAST_WEIGHT = 3;
/** For a noun that goes with everything, such as `info`: better than no topic, worse than any other. */
const VAGUE_WEIGHT = 2;
/** Choices settle in few rounds; they need not be perfect. */
const ROUNDS = 4;

const VAGUE: ReadonlySet<string> = new Set([...VAGUE_NOUNS].map((form) => nounKey(form)));

interface Candidate {
  readonly key: string;
  readonly weight: number;
}

/** `subject` is the word that leads the name: `status` is vague in `get_status` and a subject in `status_update`. */
function weighed(
  words: readonly Word[],
  excluded: ReadonlySet<string>,
  subject: string | undefined,
): Candidate[] {
  return keysOf(words, excluded).map((key, place) => ({
    key,
    weight: VAGUE.has(key) && key !== subject ? VAGUE_WEIGHT : (PLACE_WEIGHTS[place] ?? LAST_WEIGHT),
  }));
}

function keysOf(words: readonly Word[], excluded: ReadonlySet<string>): string[] {
  return [...new Set(words.map(({ key }) => key))].filter((key) => !excluded.has(key));
}

/** The words that nearly all names have. */
function ubiquitous(tools: readonly Read[], meter: Meter): Set<string> {
  const counts = new Map<string, number>();
  for (const { reading } of tools) {
    meter.steps += reading.words.length;
    for (const key of keysOf([...reading.heads, ...reading.tail], new Set())) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return new Set([...counts].filter(([, count]) => isUbiquitous(count, tools.length)).map(([key]) => key));
}

/** The candidate whose topic weighs most; the earlier one where two weigh the same. */
function best(candidates: readonly Candidate[], masses: ReadonlyMap<string, number>): string | undefined {
  let chosen: string | undefined;
  let highest = 0;
  for (const { key, weight } of candidates) {
    // The square of place × √mass: a large topic draws, but a noun's place draws more.
    const score = weight * weight * (masses.get(key) ?? 0);
    if (score > highest) [chosen, highest] = [key, score];
  }
  return chosen;
}

/**
 * Each tool's topic. A topic that only one tool chose is given up, and the tool chooses again among topics that others
 * chose or that other undecided tools could choose with it.
 */
function settle(tools: readonly (readonly Candidate[])[], meter: Meter): (string | undefined)[] {
  const lone = new Set<string>();
  let choices: (string | undefined)[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const masses = new Map<string, number>();
    const holders = new Map<string, number>();
    for (const [at, candidates] of tools.entries()) {
      meter.steps += candidates.length;
      const choice = choices[at];
      for (const { key, weight } of candidates) {
        if (lone.has(key) || (choice !== undefined && choice !== key)) continue;
        masses.set(key, (masses.get(key) ?? 0) + weight);
        holders.set(key, (holders.get(key) ?? 0) + 1);
      }
    }
    for (const [key, count] of holders) if (count < 2) masses.delete(key);
    choices = tools.map((candidates) => best(candidates, masses));
    const chosen = new Map<string, number>();
    for (const key of choices) if (key !== undefined) chosen.set(key, (chosen.get(key) ?? 0) + 1);
    for (const [key, count] of chosen) if (count < 2) lone.add(key);
    choices = choices.map((key) => (key === undefined || lone.has(key) ? undefined : key));
  }
  return choices;
}

function grouped<Tool>(
  tools: readonly Tool[],
  keyOf: (tool: Tool, at: number) => string | undefined,
): {
  groups: Map<string, Tool[]>;
  rest: Tool[];
} {
  const groups = new Map<string, Tool[]>();
  const rest: Tool[] = [];
  for (const [at, tool] of tools.entries()) {
    const key = keyOf(tool, at);
    const group = key === undefined ? undefined : groups.get(key);
    if (key === undefined) rest.push(tool);
    else if (group === undefined) groups.set(key, [tool]);
    else group.push(tool);
  }
  return { groups, rest };
}

/** Takes out the groups that are smaller, and gives their tools. */
function dissolve<Tool>(groups: Map<string, Tool[]>, smallest: number): Tool[] {
  const freed: Tool[] = [];
  for (const [key, group] of groups) {
    if (group.length >= smallest) continue;
    freed.push(...group);
    groups.delete(key);
  }
  return freed;
}

/** Adds each tool to the largest group that any of its words names, and gives those that none does. */
function join<Tool extends Read>(
  groups: Map<string, Tool[]>,
  tools: readonly Tool[],
  excluded: ReadonlySet<string>,
  meter: Meter,
): Tool[] {
  const sizes = new Map([...groups].map(([key, group]) => [key, group.length]));
  return tools.filter((tool) => {
    const { heads, tail, actions } = tool.reading;
    const candidates = weighed([...heads, ...actions, ...tail], excluded, undefined);
    meter.steps += candidates.length;
    const key = best(candidates, sizes);
    if (key === undefined) return true;
    groups.get(key)?.push(tool);
    return false;
  });
}

/** The `count` largest groups' keys, the alphabet deciding between equal ones. */
function largest<Tool>(groups: ReadonlyMap<string, readonly Tool[]>, count: number): Set<string> {
  const order = [...groups].sort(([left, a], [right, b]) => b.length - a.length || (left < right ? -1 : 1));
  return new Set(order.slice(0, count).map(([key]) => key));
}

/**
 * Groups tools by the noun that each is about. A noun that only one tool chose gives way to another of its words, then
 * to what the tool does; what is left is `rest`. `excluded` are the keys that the tools are known to share.
 */
export function findTopics<Tool extends Read>(
  tools: readonly Tool[],
  excluded: ReadonlySet<string>,
  meter: Meter,
): Topics<Tool> {
  const shared = new Set([...excluded, ...ubiquitous(tools, meter)]);
  const candidates = tools.map(({ reading: { words, heads, tail } }) => {
    const candidates = weighed(heads, shared, words[0]?.key);
    return candidates.length > 0 ? candidates : weighed(tail, shared, undefined);
  });
  const choices = settle(candidates, meter);
  const { groups, rest } = grouped(tools, (_, at) => choices[at]);
  const freed = [...dissolve(groups, 2), ...rest];
  const unjoined = join(groups, freed, shared, meter);
  const byAction = grouped(unjoined, ({ reading }) => keysOf(reading.actions, shared)[0]);
  const left = [...dissolve(byAction.groups, 2), ...byAction.rest];
  for (const [key, group] of byAction.groups) groups.set(key, [...(groups.get(key) ?? []), ...group]);
  return { topics: [...groups].map(([key, tools]) => ({ key, tools })), rest: left, shared };
}

/** Keeps the largest `count` topics; the tools of others join one of them or the rest. */
export function keepLargest<Tool extends Read>(
  { topics, rest, shared }: Topics<Tool>,
  count: number,
  meter: Meter,
): Topics<Tool> {
  const groups = new Map(topics.map(({ key, tools }) => [key, [...tools]]));
  const kept = largest(groups, count);
  const freed = topics.filter(({ key }) => !kept.has(key)).flatMap(({ tools }) => tools);
  for (const key of groups.keys()) if (!kept.has(key)) groups.delete(key);
  const left = join(groups, freed, shared, meter);
  return { topics: [...groups].map(([key, tools]) => ({ key, tools })), rest: [...rest, ...left], shared };
}
