import { PATH_SUGGESTIONS_MAX_ITEMS } from "../../limits.ts";
import { fail, ok } from "../../result.ts";
import type { Result } from "../../result.ts";
import { compareCodePoints } from "../../code-points.ts";
import { STAR, pathText } from "./path.ts";
import type { Path } from "./path.ts";
import { closeness } from "./closeness.ts";
import { isLeaf } from "./tree.ts";
import type { Leaf, Tree, TreeNode } from "./tree.ts";

/** A namespace or cluster to browse further, with the number of tools below it. */
interface NodeEntry {
  readonly kind: "node";
  readonly segment: string;
  readonly path: string;
  readonly count: number;
}

/** A tool. */
interface LeafEntry {
  readonly kind: "leaf";
  readonly segment: string;
  readonly path: string;
  readonly id: string;
}

/** What a path shows: nodes sorted by path or leaves sorted by id, never both. `path` is the one shown, without `*`. */
export interface Listing {
  readonly kind: "namespaces" | "children" | "leaf";
  readonly path: string;
  readonly entries: readonly (NodeEntry | LeafEntry)[];
}

/** A well-formed path that leads nowhere: how far it led, and paths that exist, the likeliest first. */
export interface PathNotFound {
  readonly reason: "path_not_found";
  readonly nearest: string;
  readonly suggestions: readonly string[];
}

type Child = TreeNode | Leaf;

function entry(child: Child, above: readonly string[]): NodeEntry | LeafEntry {
  const { segment } = child;
  const path = pathText([...above, segment]);
  return isLeaf(child)
    ? { kind: "leaf", segment, path, id: child.id }
    : { kind: "node", segment, path, count: child.count };
}

function childNamed(children: readonly Child[], segment: string): Child | undefined {
  return children.find((child) => child.segment === segment);
}

/** Collects the paths below the children that end in the segment, wherever they are. */
function collectPlaces(segment: string, children: readonly Child[], above: string, found: string[]): void {
  for (const child of children) {
    if (child.segment === segment) found.push(`${above}/${segment}`);
    if (!isLeaf(child)) collectPlaces(segment, child.children, `${above}/${child.segment}`, found);
  }
}

/** Where a path leads nowhere: the same name elsewhere below, then names like it beside, else the first ones beside. */
function suggestions(
  missing: readonly string[],
  beside: readonly Child[],
  above: readonly string[],
): string[] {
  const [next] = missing;
  const last = missing.at(-1);
  const found: string[] = [];
  if (last !== undefined) collectPlaces(last, beside, above.map((segment) => `/${segment}`).join(""), found);
  found.sort(compareCodePoints);
  const alike = beside
    .map(({ segment }) => ({ segment, score: next === undefined ? 0 : closeness(next, segment) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareCodePoints(a.segment, b.segment));
  const likely = [...found, ...alike.map(({ segment }) => pathText([...above, segment]))];
  const all = likely.length > 0 ? likely : beside.map(({ segment }) => pathText([...above, segment]));
  return [...new Set(all)].slice(0, PATH_SUGGESTIONS_MAX_ITEMS);
}

/**
 * What a path shows. A trailing `*` is as if it were left out (seed 000 §3.2), of a leaf too, which is then itself. The
 * reason for a path that leads nowhere names paths that exist, and nothing of the path asked for.
 */
export function resolvePath(tree: Tree, path: Path): Result<Listing, PathNotFound> {
  const segments = path.segments.at(-1) === STAR ? path.segments.slice(0, -1) : path.segments;
  let children: readonly Child[] = tree.namespaces;
  for (const [at, segment] of segments.entries()) {
    const above = segments.slice(0, at);
    const child = childNamed(children, segment);
    if (child === undefined) {
      return fail({
        reason: "path_not_found",
        nearest: pathText(above),
        suggestions: suggestions(segments.slice(at), children, above),
      });
    }
    if (isLeaf(child)) {
      const leaf = entry(child, above);
      if (at === segments.length - 1) return ok({ kind: "leaf", path: leaf.path, entries: [leaf] });
      return fail({ reason: "path_not_found", nearest: leaf.path, suggestions: [leaf.path] });
    }
    children = child.children;
  }
  return ok({
    kind: segments.length === 0 ? "namespaces" : "children",
    path: pathText(segments),
    entries: children.map((child) => entry(child, segments)),
  });
}
