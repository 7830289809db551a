import { parsePrimitiveId } from "../../identity/primitive-id.ts";
import { VISIBLE_TREES_CACHED_MAX_COUNT } from "../../limits.ts";
import type { Snapshot } from "../snapshot/open-snapshot.ts";
import { buildTree, type Tree, type TreeItem, type TreeNode } from "../tree/tree.ts";
import type { VisibleSet } from "./visible-tools.ts";

/** Which of a namespace's tools are visible, in the order of their ids, packed 16 to a character. */
function bitsOf(flags: Uint8Array): string {
  const units = new Uint16Array(Math.ceil(flags.length / 16));
  for (const [at, flag] of flags.entries()) {
    if (flag === 1) units[at >>> 4] = (units[at >>> 4] ?? 0) | (1 << (at & 15));
  }
  return Array.from(units, (unit) => String.fromCharCode(unit)).join("");
}

/** What of a `~N` key of a collision is a canonical id. */
const COLLISION = /~\d+$/;

function itemOf(id: string): readonly TreeItem[] {
  const parts = parsePrimitiveId(id.replace(COLLISION, ""));
  return parts.ok ? [{ id, namespace: parts.value.namespace, name: parts.value.name }] : [];
}

/** A node whose children are made, or found, when it is looked into. */
function nodeOf(segment: string, count: number, children: () => TreeNode["children"]): TreeNode {
  return {
    segment,
    count,
    get children() {
      return children();
    },
  };
}

/** A namespace of the snapshot, and where its tools stand. */
interface Whole {
  readonly node: TreeNode;
  readonly from: number;
  readonly to: number;
}

/**
 * The trees of one snapshot as bearers see them. Cluster names and hash suffixes come from all tools of a namespace, so one
 * of which some are hidden is built again over the others: what a bearer sees never hangs on what it may not see. Such a
 * namespace is kept under the exact set of its visible tools, so that whoever sees the same shares it.
 */
export class VisibleTrees {
  readonly #snapshot: Snapshot;
  readonly #built = new Map<string, TreeNode>();
  #wholes: readonly Whole[] | undefined;
  #leaves = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The tree that a catalog of the visible tools alone would have; its parts are built when they are looked into. */
  treeFor(visible: VisibleSet): Tree {
    this.#wholes ??= this.#snapshot.namespaces.map(({ namespace, tools }, at) => ({
      node: nodeOf(namespace, tools, () => this.#snapshot.childrenOf(at)),
      ...this.#snapshot.placesOf(namespace),
    }));
    if (visible === undefined) return { namespaces: this.#wholes.map(({ node }) => node) };
    const namespaces = this.#wholes.flatMap(({ node, from, to }) => {
      const flags = visible.subarray(from, to);
      const count = flags.reduce((sum, flag) => sum + flag, 0);
      if (count === 0) return [];
      if (count === flags.length) return [node];
      return [nodeOf(node.segment, count, () => this.#children(node.segment, from, flags))];
    });
    return { namespaces };
  }

  /** For tests: the tools in the parts that are held. */
  get leavesHeld(): number {
    return this.#leaves;
  }

  #children(namespace: string, from: number, flags: Uint8Array): TreeNode["children"] {
    const key = `${namespace}:${bitsOf(flags)}`;
    const known = this.#built.get(key);
    if (known !== undefined) {
      this.#built.delete(key);
      this.#built.set(key, known);
      return known.children;
    }
    const ids = Array.from(flags, (_, at) => this.#snapshot.id(from + at)).filter((_, at) => flags[at] === 1);
    const [built] = buildTree(ids.flatMap(itemOf)).namespaces;
    if (built === undefined) return [];
    this.#built.set(key, built);
    this.#leaves += built.count;
    this.#trim();
    return built.children;
  }

  /** Those used last stay, and the last one whatever its size. */
  #trim(): void {
    for (const [oldest, { count }] of this.#built) {
      if (this.#leaves <= VISIBLE_TREES_CACHED_MAX_COUNT || this.#built.size === 1) return;
      this.#built.delete(oldest);
      this.#leaves -= count;
    }
  }
}
