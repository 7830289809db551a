import { fail, ok, type Result } from "../../result.ts";
import { compareCodePoints } from "../../code-points.ts";
import { findRenamed } from "../../routing/index/exact-name.ts";
import { rank, type Ranking } from "../../routing/rank/rank.ts";
import type {
  Catalog,
  CatalogTool,
  CatalogUnavailable,
  OtherKind,
  Sees,
  ToolDefinition,
} from "../catalog.ts";
import type { Path } from "../tree/path.ts";
import { type Pointer, targetIn } from "../snapshot/pointer.ts";
import { type Listing, type PathNotFound, resolvePath } from "../tree/resolve.ts";
import type { Tree } from "../tree/tree.ts";
import { snapshotFingerprint } from "../refresh/publication-facts.ts";
import { likelyIds, unlisted } from "./similar.ts";
import type { Snapshot } from "../snapshot/open-snapshot.ts";
import type { SnapshotTool } from "../snapshot/snapshot.ts";
import { VisibleTools } from "./visible-tools.ts";
import { VisibleTrees } from "./visible-trees.ts";

/** A snapshot in memory, with what was found out about it. */
export interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  readonly visible: VisibleTools;
  readonly trees: VisibleTrees;
  /** See `SnapshotCatalog.fingerprint`. */
  fingerprint?: string;
}

export function loadSnapshot(snapshot: Snapshot): LoadedSnapshot {
  return { snapshot, visible: new VisibleTools(snapshot), trees: new VisibleTrees(snapshot) };
}

/** Reads one shard's definitions, from memory or from wherever they are kept. */
export type ReadShard = (
  hash: string,
) => Promise<Result<ReadonlyMap<string, ToolDefinition>, CatalogUnavailable>>;

type Others = ReadonlyMap<OtherKind, SnapshotCatalog>;

const NO_OTHERS: Others = new Map();

/** A catalog over one snapshot, as its pointer presents it. */
export class SnapshotCatalog implements Catalog {
  readonly version: Catalog["version"];
  /** Content hash of the snapshot. */
  readonly hash: string;
  readonly #loaded: LoadedSnapshot;
  readonly #stale: ReadonlySet<string>;
  readonly #pointer: Pick<Pointer, "targets">;
  readonly #readShard: ReadShard;
  readonly #others: Others;

  /** Of tools with the catalogs of the other kinds that the pointer names, or of one of those kinds. */
  constructor(
    config: string,
    pointer: Pointer,
    loaded: LoadedSnapshot,
    readShard: ReadShard,
    { kind, others = NO_OTHERS }: { readonly kind?: OtherKind; readonly others?: Others } = {},
  ) {
    this.version = { catalog: config, generation: pointer.generation };
    this.hash = (kind === undefined ? undefined : pointer.kinds?.[kind]) ?? pointer.hash;
    this.#loaded = loaded;
    const staleOfKind = kind === undefined ? undefined : pointer.staleKinds?.[kind];
    this.#stale = new Set(kind === undefined ? pointer.stale : staleOfKind);
    this.#pointer = pointer;
    this.#readShard = readShard;
    this.#others = others;
  }

  get content(): object {
    return this.#loaded;
  }

  namespaces(sees: Sees) {
    const { namespaces } = this.#tree(sees);
    return namespaces.map(({ segment, count }) => ({ namespace: segment, tools: count }));
  }

  find(idOrListedName: string): CatalogTool | undefined {
    const { snapshot } = this.#loaded;
    const tool = snapshot.tool(snapshot.find(idOrListedName));
    return tool === undefined ? undefined : this.#present(tool);
  }

  search(query: string, topK: number, sees: Sees): Ranking {
    const { snapshot, visible } = this.#loaded;
    const allow = visible.setFor(sees);
    // A listed name is asked for as its id is, also one of before the tool's schema changed; the long form, which cannot be
    // read back, where it is a visible tool's.
    const named = snapshot.find(query.trim());
    const asked = named >= 0 && allow?.[named] !== 0 ? snapshot.id(named) : unlisted(query.trim());
    return rank(snapshot.index, asked, allow === undefined ? { topK } : { topK, allow });
  }

  resolve(path: Path, sees: Sees): Result<Listing, PathNotFound> {
    return resolvePath(this.#tree(sees), path);
  }

  similar(id: string, count: number, sees: Sees): readonly string[] {
    const { snapshot, visible } = this.#loaded;
    const set = visible.setFor(sees);
    // A hidden tool's listed name is read like any other wrong one.
    const named = snapshot.find(id);
    const asked = named >= 0 && set?.[named] !== 0 ? snapshot.id(named) : id;
    const ids = set === undefined ? snapshot.ids : snapshot.ids.filter((_, place) => set[place] === 1);
    const renamed = findRenamed(snapshot.index, id)
      .filter((place) => set === undefined || set[place] === 1)
      .map((place) => snapshot.id(place))
      .sort(compareCodePoints);
    return [...new Set([...renamed, ...likelyIds(asked, ids, count)])].slice(0, count);
  }

  async definition(tool: CatalogTool): Promise<Result<ToolDefinition, CatalogUnavailable>> {
    const { snapshot } = this.#loaded;
    const place = snapshot.find(tool.id);
    const own = snapshot.tool(place);
    const hash = snapshot.shardOf(place);
    if (own === undefined || hash === undefined) return unavailable(`no tool ${tool.id} in ${this.hash}`);
    const shard = await this.#readShard(hash);
    if (!shard.ok) return shard;
    const definition = shard.value.get(own.definitionHash);
    return definition === undefined
      ? unavailable(`shard ${hash} lacks ${own.definitionHash}`)
      : ok(definition);
  }

  page(
    after: string | undefined,
    count: number,
    sees: Sees,
  ): { readonly tools: readonly CatalogTool[]; readonly more: boolean } {
    const { snapshot, visible } = this.#loaded;
    const set = visible.setFor(sees);
    const tools: CatalogTool[] = [];
    for (let place = snapshot.firstAfter(after); place < snapshot.count; place += 1) {
      if (set?.[place] === 0) continue;
      if (tools.length >= count) return { tools, more: true };
      const tool = snapshot.tool(place);
      if (tool !== undefined) tools.push(this.#present(tool));
    }
    return { tools, more: false };
  }

  leftOut(server: string): readonly string[] {
    return this.#loaded.snapshot.leftOut(server);
  }

  of(kind: OtherKind): SnapshotCatalog | undefined {
    return this.#others.get(kind);
  }

  /** The hash that `gateway.pin` names. Reads every tool, once for all catalogs over this snapshot; for operators alone. */
  async fingerprint(): Promise<string> {
    this.#loaded.fingerprint ??= await snapshotFingerprint(this.#loaded.snapshot);
    return this.#loaded.fingerprint;
  }

  #tree(sees: Sees): Tree {
    return this.#loaded.trees.treeFor(this.#loaded.visible.setFor(sees));
  }

  #present(tool: SnapshotTool): CatalogTool {
    const { target, generation } = targetIn(this.#pointer, tool.server);
    return { ...tool, stale: this.#stale.has(tool.server), target, targetGeneration: generation };
  }
}

export function unavailable(detail: string): Result<never, CatalogUnavailable> {
  return fail({ reason: "catalog_unavailable", detail });
}
