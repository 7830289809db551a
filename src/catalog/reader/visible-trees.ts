import { parseToolId } from "../../identity/tool-id.ts";
import { VISIBLE_TREES_CACHED_MAX_COUNT } from "../../limits.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { buildTree, type Tree, type TreeItem, type TreeNode } from "../tree/tree.ts";

/** Which of a namespace's tools are visible, in the order of their ids, packed 16 to a character. */
function bitsOf(flags: readonly boolean[]): string {
  const units = new Uint16Array(Math.ceil(flags.length / 16));
  for (const [at, flag] of flags.entries()) {
    if (flag) units[at >>> 4] = (units[at >>> 4] ?? 0) | (1 << (at & 15));
  }
  return Array.from(units, (unit) => String.fromCharCode(unit)).join("");
}

function namespaceOf(id: string): string {
  return id.slice(0, id.indexOf(":"));
}

function itemOf(id: string): readonly TreeItem[] {
  const parts = parseToolId(id);
  return parts.ok ? [{ id, namespace: parts.value.namespace, name: parts.value.name }] : [];
}

/**
 * The trees of one snapshot as bearers see them. Cluster names and hash suffixes come from all tools of a namespace, so one
 * of which some are hidden is built again over the others: what a bearer sees never hangs on what it may not see. Such a
 * namespace is kept under the exact set of its visible tools, so that whoever sees the same shares it.
 */
export class VisibleTrees {
  readonly #snapshot: Snapshot;
  readonly #ids = new Map<string, string[]>();
  readonly #built = new Map<string, TreeNode>();
  #leaves = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    for (const { id } of snapshot.tools) {
      const ids = this.#ids.get(namespaceOf(id));
      if (ids === undefined) this.#ids.set(namespaceOf(id), [id]);
      else ids.push(id);
    }
  }

  /** The tree that a catalog of the visible tools alone would have. One pass over the tools; parts are built when looked into. */
  treeFor(sees: (id: string) => boolean): Tree {
    const namespaces = this.#snapshot.tree.namespaces.flatMap((whole) => {
      const ids = this.#ids.get(whole.segment) ?? [];
      const flags = ids.map((id) => sees(id));
      const count = flags.reduce((sum, flag) => sum + (flag ? 1 : 0), 0);
      if (count === 0) return [];
      return [count === whole.count ? whole : this.#part(whole.segment, ids, flags, count)];
    });
    return { namespaces };
  }

  /** For tests: the tools in the parts that are held. */
  get leavesHeld(): number {
    return this.#leaves;
  }

  #part(segment: string, ids: readonly string[], flags: readonly boolean[], count: number): TreeNode {
    const children = (): TreeNode["children"] => this.#children(segment, ids, flags);
    return {
      segment,
      count,
      get children() {
        return children();
      },
    };
  }

  #children(namespace: string, ids: readonly string[], flags: readonly boolean[]): TreeNode["children"] {
    const key = `${namespace}:${bitsOf(flags)}`;
    const known = this.#built.get(key);
    if (known !== undefined) {
      this.#built.delete(key);
      this.#built.set(key, known);
      return known.children;
    }
    const [built] = buildTree(ids.filter((_, at) => flags[at]).flatMap(itemOf)).namespaces;
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
