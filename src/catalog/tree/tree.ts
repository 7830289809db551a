import { compareCodePoints } from "../../code-points.ts";
import { NAVIGATION_PATH_MAX_TOKENS } from "../../limits.ts";
import { nameTokens } from "../../schema/name-tokens.ts";
import { arrange } from "./clusters.ts";
import type { Arrangement } from "./clusters.ts";
import type { Meter } from "./meter.ts";
import { pathText } from "./path.ts";
import { readNames } from "./readings.ts";
import { leafSegments } from "./segments.ts";

/** A tool to place. `name` is the name part of its id; `namespace` follows the id's grammar and is its own segment. */
export interface TreeItem {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
}

/** One tool at the end of its path. */
export interface Leaf {
  readonly segment: string;
  readonly id: string;
}

/** A namespace or a cluster: nodes sorted by segment or leaves sorted by id, never both. `count` is of all leaves below. */
export interface TreeNode {
  readonly segment: string;
  readonly count: number;
  readonly children: readonly TreeNode[] | readonly Leaf[];
}

/** The path tree of a catalog: plain JSON, the same bytes for the same tools in any order. Foreign names are values only. */
export interface Tree {
  readonly namespaces: readonly TreeNode[];
}

export function isLeaf(child: TreeNode | Leaf): child is Leaf {
  return "id" in child;
}

function bySegment(left: { readonly segment: string }, right: { readonly segment: string }): number {
  return compareCodePoints(left.segment, right.segment);
}

function node(segment: string, arrangement: Arrangement): TreeNode {
  if (arrangement.kind === "tools") {
    const children = arrangement.tools.map(({ segment, id }): Leaf => ({ segment, id }));
    return {
      segment,
      count: children.length,
      children: children.sort((a, b) => compareCodePoints(a.id, b.id)),
    };
  }
  const children = arrangement.clusters.map(({ segment, content }) => node(segment, content)).sort(bySegment);
  return { segment, count: children.reduce((sum, { count }) => sum + count, 0), children };
}

/** Sorted, and one item an id. */
function canonical(items: readonly TreeItem[]): TreeItem[] {
  const sorted = [...items].sort(
    (a, b) =>
      compareCodePoints(a.id, b.id) ||
      compareCodePoints(a.namespace, b.namespace) ||
      compareCodePoints(a.name, b.name),
  );
  return sorted.filter(({ id }, at) => id !== sorted[at - 1]?.id);
}

/**
 * Places every tool under exactly one path (seed 000 §3): namespaces at the top at every size, at most 20 tools or
 * clusters in any other node, no node's path over `NAVIGATION_PATH_MAX_TOKENS`. A pure function of the set of items, and
 * each namespace's part one of its own items; about n·log n, whatever the names are. `meter` counts the words and
 * characters looked at.
 */
export function buildTree(items: readonly TreeItem[], meter: Meter = { steps: 0 }): Tree {
  const groups = new Map<string, TreeItem[]>();
  for (const item of canonical(items)) {
    meter.steps += 1;
    const group = groups.get(item.namespace);
    if (group === undefined) groups.set(item.namespace, [item]);
    else group.push(item);
  }
  const namespaces = [...groups].map(([namespace, tools]) => {
    const segments = leafSegments(tools);
    const readings = readNames(
      tools.map(({ name }) => name),
      namespace,
    );
    const placed = tools.flatMap(({ id }, at) => {
      const [segment, reading] = [segments[at], readings[at]];
      return segment === undefined || reading === undefined ? [] : [{ id, segment, reading }];
    });
    return node(
      namespace,
      arrange(placed, NAVIGATION_PATH_MAX_TOKENS - nameTokens(pathText([namespace])), meter),
    );
  });
  return { namespaces: namespaces.sort(bySegment) };
}

/** Every leaf below the nodes with its path, in the tree's order. */
export function* leavesOf(
  nodes: readonly (TreeNode | Leaf)[],
  above: readonly string[] = [],
): Generator<{ readonly id: string; readonly path: string }> {
  for (const child of nodes) {
    const segments = [...above, child.segment];
    if (isLeaf(child)) yield { id: child.id, path: pathText(segments) };
    else yield* leavesOf(child.children, segments);
  }
}

/** A tool's path, or undefined for an id that the tree does not have. Looks through the leaves: no hot path's work. */
export function pathOf(tree: Tree, id: string): string | undefined {
  for (const leaf of leavesOf(tree.namespaces)) if (leaf.id === id) return leaf.path;
  return undefined;
}
