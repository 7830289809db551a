import {
  CONFIGS_MAX_COUNT,
  SHARDS_CACHED_MAX_BYTES,
  SNAPSHOTS_CACHED_MAX_COUNT,
  VISIBLE_CHANGES_CACHED_MAX_COUNT,
} from "../../limits.ts";
import type { CatalogKind, ToolDefinition } from "../catalog.ts";
import type { Pointer } from "../snapshot/pointer.ts";
import type { LoadedSnapshot } from "./snapshot-catalog.ts";

/** The pointer that an isolate goes by, and when it was last compared with KV's, in epoch milliseconds. */
interface Known {
  readonly pointer: Pointer;
  readonly lookedAtMs: number;
}

type Definitions = ReadonlyMap<string, ToolDefinition>;

/**
 * What one isolate remembers between requests: values only, never a promise, since no request may wait for another's IO.
 * Keyed by content hash, so that it is the same for everyone.
 */
export class CatalogCache {
  readonly #known = new Map<string, Known>();
  /** By kind, so that one kind's new content puts no other kind's out. */
  readonly #snapshots = {
    tool: new Map<string, LoadedSnapshot>(),
    resource: new Map<string, LoadedSnapshot>(),
    prompt: new Map<string, LoadedSnapshot>(),
  };
  readonly #shards = new Map<string, { readonly definitions: Definitions; readonly bytes: number }>();
  #shardBytes = 0;
  readonly #visibleChanges = new Map<string, boolean>();

  known(config: string): Known | undefined {
    return this.#known.get(config);
  }

  /** Goes by a pointer unless a newer one is known: nobody is led back. Tells which one holds now. */
  adopt(config: string, pointer: Pointer, nowMs: number): Pointer {
    const known = this.#known.get(config);
    const newest =
      known !== undefined && known.pointer.revision >= pointer.revision ? known.pointer : pointer;
    this.#known.delete(config);
    this.#known.set(config, { pointer: newest, lookedAtMs: nowMs });
    trim(this.#known, CONFIGS_MAX_COUNT);
    return newest;
  }

  /** Notes that somebody is looking, so that the others need not. */
  markLooked(config: string, nowMs: number): void {
    const known = this.#known.get(config);
    if (known !== undefined) this.#known.set(config, { ...known, lookedAtMs: nowMs });
  }

  snapshot(kind: CatalogKind, hash: string): LoadedSnapshot | undefined {
    return used(this.#snapshots[kind], hash);
  }

  keepSnapshot(kind: CatalogKind, hash: string, snapshot: LoadedSnapshot): void {
    this.#snapshots[kind].set(hash, snapshot);
    trim(this.#snapshots[kind], SNAPSHOTS_CACHED_MAX_COUNT);
  }

  shard(hash: string): Definitions | undefined {
    return used(this.#shards, hash)?.definitions;
  }

  /** Keeps the shards used last, by their bytes; one larger than the whole is not kept. */
  keepShard(hash: string, definitions: Definitions, bytes: number): void {
    if (this.#shards.has(hash)) return;
    this.#shards.set(hash, { definitions, bytes });
    this.#shardBytes += bytes;
    for (const [oldest, shard] of this.#shards) {
      if (this.#shardBytes <= SHARDS_CACHED_MAX_BYTES) break;
      this.#shards.delete(oldest);
      this.#shardBytes -= shard.bytes;
    }
  }

  /** Whether two snapshots differ for somebody, under a name for the three of them. */
  visibleChange(name: string): boolean | undefined {
    return used(this.#visibleChanges, name);
  }

  keepVisibleChange(name: string, changed: boolean): void {
    this.#visibleChanges.set(name, changed);
    trim(this.#visibleChanges, VISIBLE_CHANGES_CACHED_MAX_COUNT);
  }

  /** For tests: what is held. */
  get size(): { readonly snapshots: number; readonly shards: number; readonly shardBytes: number } {
    const { tool, resource, prompt } = this.#snapshots;
    const snapshots = tool.size + resource.size + prompt.size;
    return { snapshots, shards: this.#shards.size, shardBytes: this.#shardBytes };
  }
}

/** A Map iterates in the order of insertion, so the first entry is the one unused for longest. */
function used<Value>(map: Map<string, Value>, key: string): Value | undefined {
  const value = map.get(key);
  if (value === undefined) return undefined;
  map.delete(key);
  map.set(key, value);
  return value;
}

function trim(map: Map<string, unknown>, count: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= count) return;
    map.delete(oldest);
  }
}
