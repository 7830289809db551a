import { fail, ok, type Result } from "../../result.ts";
import { rank, type Ranking } from "../../routing/rank.ts";
import type { Catalog, CatalogTool, CatalogUnavailable, ToolDefinition } from "../catalog.ts";
import type { Path } from "../tree/path.ts";
import type { Pointer } from "../snapshot/pointer.ts";
import { type Listing, type PathNotFound, resolvePath } from "../tree/resolve.ts";
import { likelyIds } from "./similar.ts";
import type { Snapshot, SnapshotTool } from "../snapshot/snapshot.ts";
import { VisibleTrees } from "./visible-trees.ts";

/** A snapshot in memory, with the ways to find a tool in it. */
export interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  /** By canonical id and by listed name; no name is both, since only ids have a colon. */
  readonly tools: ReadonlyMap<string, SnapshotTool>;
  readonly trees: VisibleTrees;
}

export function loadSnapshot(snapshot: Snapshot): LoadedSnapshot {
  const tools = new Map<string, SnapshotTool>();
  for (const tool of snapshot.tools) {
    tools.set(tool.id, tool);
    tools.set(tool.listedName, tool);
  }
  return { snapshot, tools, trees: new VisibleTrees(snapshot) };
}

/** Reads one shard's definitions, from memory or from wherever they are kept. */
export type ReadShard = (
  hash: string,
) => Promise<Result<ReadonlyMap<string, ToolDefinition>, CatalogUnavailable>>;

/** A catalog over one snapshot, as its pointer presents it. */
export class SnapshotCatalog implements Catalog {
  readonly version: Catalog["version"];
  /** Content hash of the snapshot. */
  readonly hash: string;
  readonly #loaded: LoadedSnapshot;
  readonly #stale: ReadonlySet<string>;
  readonly #readShard: ReadShard;

  constructor(config: string, pointer: Pointer, loaded: LoadedSnapshot, readShard: ReadShard) {
    this.version = { catalog: config, generation: pointer.generation };
    this.hash = pointer.hash;
    this.#loaded = loaded;
    this.#stale = new Set(pointer.stale);
    this.#readShard = readShard;
  }

  namespaces(sees: (id: string) => boolean) {
    const { namespaces } = this.#loaded.trees.treeFor(sees);
    return namespaces.map(({ segment, count }) => ({ namespace: segment, tools: count }));
  }

  find(idOrListedName: string): CatalogTool | undefined {
    const tool = this.#loaded.tools.get(idOrListedName);
    return tool === undefined ? undefined : this.#present(tool);
  }

  search(query: string, topK: number, sees: (id: string) => boolean): Ranking {
    return rank(this.#loaded.snapshot.index, query, { topK, allow: sees });
  }

  resolve(path: Path, sees: (id: string) => boolean): Result<Listing, PathNotFound> {
    return resolvePath(this.#loaded.trees.treeFor(sees), path);
  }

  similar(id: string, count: number, sees: (id: string) => boolean): readonly string[] {
    // A hidden tool's listed name is read like any other wrong one.
    const named = this.#loaded.tools.get(id);
    const asked = named !== undefined && sees(named.id) ? named.id : id;
    const visible = this.#loaded.snapshot.tools.filter((tool) => sees(tool.id)).map((tool) => tool.id);
    const likely = likelyIds(asked, visible, count);
    if (likely.length >= count) return likely;
    const words = asked.replace(/[#@].*$/s, "").replace(":", " ");
    const found = this.search(words, count, sees).hits.map((hit) => hit.id);
    return [...new Set([...likely, ...found])].slice(0, Math.max(0, count));
  }

  async definition(tool: CatalogTool): Promise<Result<ToolDefinition, CatalogUnavailable>> {
    const own = this.#loaded.tools.get(tool.id);
    const hash = own === undefined ? undefined : this.#loaded.snapshot.shards[own.shard];
    if (own === undefined || hash === undefined) return unavailable(`no tool ${tool.id} in ${this.hash}`);
    const shard = await this.#readShard(hash);
    if (!shard.ok) return shard;
    const definition = shard.value.get(own.definitionHash);
    return definition === undefined
      ? unavailable(`shard ${hash} lacks ${own.definitionHash}`)
      : ok(definition);
  }

  /** Up to `count` tools in the order of their ids, from the first one after `after`. */
  page(
    after: string | undefined,
    count: number,
  ): { readonly tools: readonly CatalogTool[]; readonly more: boolean } {
    const all = this.#loaded.snapshot.tools;
    const last = after === undefined ? undefined : this.#loaded.tools.get(after);
    const from = last === undefined ? 0 : all.indexOf(last) + 1;
    const tools = all.slice(from, from + count).map((tool) => this.#present(tool));
    return { tools, more: from + count < all.length };
  }

  #present({ shard: _place, ...tool }: SnapshotTool): CatalogTool {
    return { ...tool, stale: this.#stale.has(tool.server) };
  }
}

export function unavailable(detail: string): Result<never, CatalogUnavailable> {
  return fail({ reason: "catalog_unavailable", detail });
}
