import { PATH_SEGMENT_MAX_CHARS, TREE_NODE_MAX_CHILDREN, TREE_TOPIC_MAX_DEPTH } from "../../limits.ts";
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

function arranged(group: Omit<Group, "name">, depth: number, meter: Meter): Arrangement {
  const { tools, excluded } = group;
  if (tools.length <= TREE_NODE_MAX_CHILDREN) return { kind: "tools", tools };
  const byTopic = depth < TREE_TOPIC_MAX_DEPTH ? groupsByTopic(tools, excluded, meter) : [];
  const groups = byTopic.length > 0 ? byTopic : runsOfTools(tools, excluded, meter);
  const below = byTopic.length > 0 ? depth + 1 : TREE_TOPIC_MAX_DEPTH;
  const names = uniqueNames(groups.map(({ name }) => name));
  const clusters = groups.map((group, at) => ({
    segment: names[at] ?? group.name,
    content: arranged(group, below, meter),
  }));
  return { kind: "clusters", clusters };
}

/**
 * Arranges one namespace's tools: up to 20 as they are, more in clusters named by what they are about, by their names
 * alone; no level has more than 20. Tools come sorted by id, and the same tools give the same arrangement.
 */
export function arrange(tools: readonly Placed[], meter: Meter): Arrangement {
  return arranged({ tools, excluded: new Set() }, 0, meter);
}
