import {
  PATH_SEGMENT_MAX_CHARS,
  TREE_LABEL_MIN_TOKENS,
  TREE_NODE_MAX_CHILDREN,
  TREE_TOPIC_MAX_DEPTH,
} from "../../limits.ts";
import { nameTokens } from "../../schema/name-tokens.ts";
import type { Meter } from "./meter.ts";
import { divide } from "./ranges.ts";
import type { Reading } from "./readings.ts";
import { topicName } from "./topic-name.ts";
import { findTopics, keepLargest } from "./topics.ts";
import type { Topics } from "./topics.ts";

/** A tool to place: its leaf's segment, unique in the namespace, and what its name says. */
export interface Placed {
  readonly id: string;
  readonly segment: string;
  readonly reading: Reading;
}

/** Tools that stand together, or groups of them. Never both at one level, so a leaf and a cluster cannot clash. */
export type Arrangement =
  | { readonly kind: "tools"; readonly tools: readonly Placed[] }
  | { readonly kind: "clusters"; readonly clusters: readonly Cluster[] };

interface Cluster {
  readonly segment: string;
  readonly content: Arrangement;
}

/** The name of what no topic took. */
const REST = "other";
/** Where topics leave more than this, the names tell too little and the alphabet tells more. */
const REST_SHARE_MAX = 0.75;
/** When topics must be folded: more left over than this, and runs of whole topics are easier to find one's way in. */
const FOLDED_SHARE_MAX = 0.25;

interface Group {
  readonly name: string;
  readonly tools: readonly Placed[];
  readonly excluded: ReadonlySet<string>;
}

/** What `-2` to `-20` cost behind a name. */
const SUFFIX_TOKENS = 2;
/** What `/01` costs. */
const NUMBERED_TOKENS = 2;

/** What the paths below a node of so many tools cost at least: a number for each level that it takes. */
function leastTokensBelow(tools: number): number {
  let levels = 0;
  for (let room = TREE_NODE_MAX_CHILDREN; room < tools; room *= TREE_NODE_MAX_CHILDREN) levels += 1;
  return levels * NUMBERED_TOKENS;
}

/** The longest beginning of a name within so many tokens that does not end in a mark. */
function cutToTokens(name: string, tokens: number): string {
  let [fits, tooLong] = [0, name.length + 1];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >>> 1;
    if (nameTokens(name.slice(0, middle)) <= tokens) fits = middle;
    else tooLong = middle;
  }
  return name.slice(0, fits).replace(/[_-]+$/, "");
}

/**
 * The segments of groups that stand together, cut where paths would get too long; undefined where what is left of
 * `tokens` would say nothing.
 */
function segmentsOf(groups: readonly Group[], tokens: number): readonly string[] | undefined {
  const rooms = groups.map(({ tools }) => tokens - 1 - leastTokensBelow(tools.length));
  const fit = (names: readonly string[]): boolean =>
    names.every((name, at) => nameTokens(name) <= (rooms[at] ?? 0));
  const whole = uniqueNames(groups.map(({ name }) => name));
  if (fit(whole)) return whole;
  const room = Math.min(...rooms) - SUFFIX_TOKENS;
  if (room < TREE_LABEL_MIN_TOKENS) return undefined;
  const cut = uniqueNames(groups.map(({ name }) => cutToTokens(name, room)));
  return fit(cut) ? cut : undefined;
}

/** Tools in runs of the same length, each with a number for its name: the shortest paths that there are. */
function numbered(tools: readonly Placed[]): Arrangement {
  if (tools.length <= TREE_NODE_MAX_CHILDREN) return { kind: "tools", tools };
  const runs = Math.min(TREE_NODE_MAX_CHILDREN, Math.ceil(tools.length / TREE_NODE_MAX_CHILDREN));
  const size = Math.ceil(tools.length / runs);
  const clusters = Array.from({ length: Math.ceil(tools.length / size) }, (_, at) => ({
    segment: String(at + 1).padStart(2, "0"),
    content: numbered(tools.slice(at * size, (at + 1) * size)),
  }));
  return { kind: "clusters", clusters };
}

/** Makes names of siblings unique: the first in order keeps its own, others get `-2`, `-3`, … */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  const wanted = new Set(names);
  return names.map((name) => {
    let free = name.slice(0, PATH_SEGMENT_MAX_CHARS);
    for (let n = 2; taken.has(free) || (free !== name && wanted.has(free)); n += 1)
      free = `${name.slice(0, 56)}-${n}`;
    taken.add(free);
    return free;
  });
}

function groupsOf(
  { topics, rest, shared }: Topics<Placed>,
  excluded: ReadonlySet<string>,
  meter: Meter,
): Group[] {
  const named = topics.map((topic) => ({
    name: topicName(topic, shared, meter),
    tools: topic.tools,
    excluded: new Set([...excluded, topic.key]),
  }));
  return rest.length === 0 ? named : [...named, { name: REST, tools: rest, excluded }];
}

/** Topics in alphabetic runs, each whole: for a namespace with more kinds of things than one list holds. */
function runsOfTopics(
  { topics, rest, shared }: Topics<Placed>,
  excluded: ReadonlySet<string>,
  meter: Meter,
): Group[] {
  const units = [
    ...topics.map((topic) => ({
      name: topicName(topic, shared, meter),
      tools: topic.tools,
      weight: topic.tools.length,
    })),
    ...rest.map((tool) => ({ name: tool.reading.heads[0]?.form ?? tool.segment, tools: [tool], weight: 1 })),
  ].sort(byName);
  return divide(units, TREE_NODE_MAX_CHILDREN, true, meter).map(({ name, units }) => ({
    name,
    tools: units.flatMap(({ tools }) => tools),
    excluded,
  }));
}

function runsOfTools(tools: readonly Placed[], excluded: ReadonlySet<string>, meter: Meter): Group[] {
  const units = tools.map((tool) => ({ name: tool.segment, tool, weight: 1 })).sort(byName);
  return divide(units, TREE_NODE_MAX_CHILDREN, false, meter).map(({ name, units }) => ({
    name,
    tools: units.map(({ tool }) => tool),
    excluded,
  }));
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}

/** Groups by topic if the names tell topics, else nothing. */
function groupsByTopic(tools: readonly Placed[], excluded: ReadonlySet<string>, meter: Meter): Group[] {
  const found = findTopics(tools, excluded, meter);
  const count = found.topics.length + (found.rest.length > 0 ? 1 : 0);
  if (count < 2 || found.rest.length > tools.length * REST_SHARE_MAX) return [];
  if (count <= TREE_NODE_MAX_CHILDREN) return groupsOf(found, excluded, meter);
  const kept = keepLargest(found, TREE_NODE_MAX_CHILDREN - 1, meter);
  const small = kept.rest.length <= Math.max(TREE_NODE_MAX_CHILDREN, tools.length * FOLDED_SHARE_MAX);
  return small ? groupsOf(kept, excluded, meter) : runsOfTopics(found, excluded, meter);
}

function arranged(group: Omit<Group, "name">, depth: number, tokens: number, meter: Meter): Arrangement {
  const { tools, excluded } = group;
  if (tools.length <= TREE_NODE_MAX_CHILDREN) return { kind: "tools", tools };
  const byTopic = depth < TREE_TOPIC_MAX_DEPTH ? groupsByTopic(tools, excluded, meter) : [];
  const groups = byTopic.length > 0 ? byTopic : runsOfTools(tools, excluded, meter);
  const below = byTopic.length > 0 ? depth + 1 : TREE_TOPIC_MAX_DEPTH;
  const segments = segmentsOf(groups, tokens);
  if (segments === undefined) {
    const named = tools.map((tool) => ({ name: tool.segment, tool })).sort(byName);
    return numbered(named.map(({ tool }) => tool));
  }
  const clusters = groups.map((group, at) => {
    const segment = segments[at] ?? group.name;
    return { segment, content: arranged(group, below, tokens - 1 - nameTokens(segment), meter) };
  });
  return { kind: "clusters", clusters };
}

/**
 * Arranges one namespace's tools: up to 20 as they are, more in clusters named by what they are about, by their names
 * alone; no level has more than 20. Tools come sorted by id, and the same tools give the same arrangement. The clusters'
 * part of a path costs at most `tokens`, of which the deepest possible tree of numbers takes 8.
 */
export function arrange(tools: readonly Placed[], tokens: number, meter: Meter): Arrangement {
  return arranged({ tools, excluded: new Set() }, 0, tokens, meter);
}
