import { CATALOG_READ_ATTEMPTS_COUNT, FIRST_REFRESH_WAIT_MS, POINTER_LOOK_MS } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import type { CatalogCache } from "./catalog-cache.ts";
import type {
  Catalog,
  CatalogKind,
  CatalogPort,
  CatalogUnavailable,
  OtherKind,
  Sees,
  ToolDefinition,
} from "../catalog.ts";
import type { CatalogObjectPort } from "./object-port.ts";
import { OTHER_KINDS, type Pointer, sameContent } from "../snapshot/pointer.ts";
import type { MoveRequest, RefreshReason } from "../refresh/refresh-contract.ts";
import { parseShard } from "../snapshot/shards.ts";
import { loadSnapshot, type LoadedSnapshot, SnapshotCatalog, unavailable } from "./snapshot-catalog.ts";
import { contentHash, type ContentKind, type SnapshotStore } from "../snapshot/snapshot-store.ts";
import { openSnapshot } from "../snapshot/open-snapshot.ts";
import { isVisiblyChanged } from "./visible-change.ts";

/** One request's way to the catalog; only the cache outlives the request. */
export interface ReaderPorts {
  readonly cache: CatalogCache;
  readonly kv: SnapshotStore;
  readonly object: CatalogObjectPort;
  /** The configuration that this Worker runs with. */
  readonly config: { readonly hash: string; readonly text: string };
  readonly nowMs: () => number;
  /** Ends after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Keeps the Worker alive for work that nobody waits for. */
  readonly background: (work: Promise<unknown>) => void;
  /** The operator's log. */
  readonly log: (text: string) => void;
}

type Answer = Result<SnapshotCatalog, CatalogUnavailable>;

const decoder = new TextDecoder();

/** Reads catalogs: from memory when warm, from KV else, and from the object where KV lags behind. */
export class CatalogReader implements CatalogPort {
  readonly #ports: ReaderPorts;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  async current(): Promise<Answer> {
    const { cache, config, nowMs } = this.#ports;
    const known = cache.known(config.hash);
    if (known === undefined) return this.#first();
    if (nowMs() - known.lookedAtMs >= POINTER_LOOK_MS) {
      cache.markLooked(config.hash, nowMs());
      this.#ports.background(this.#look());
    }
    return this.#catalog(known.pointer);
  }

  async atLeast(generation: number): Promise<Answer> {
    const { cache, config, kv, object } = this.#ports;
    const known = cache.known(config.hash)?.pointer;
    if (known !== undefined && known.generation >= generation) return this.#catalog(known);
    const kept = await this.#tolerant(() => kv.generation(config.hash, generation));
    if (kept !== undefined && kept.generation >= generation) {
      const catalog = await this.#adopt(kept);
      if (catalog.ok) return catalog;
    }
    const newest = await object.newest(config.hash);
    if (!newest.ok) return unavailable(newest.reason.detail);
    if (newest.value === undefined || newest.value.generation < generation) {
      return unavailable(`generation ${generation} is nowhere to be found`);
    }
    return this.#adopt(newest.value);
  }

  async newest(): Promise<Answer> {
    const newest = await this.#ports.object.newest(this.#ports.config.hash);
    if (!newest.ok) return unavailable(newest.reason.detail);
    return newest.value === undefined ? this.#first() : this.#adopt(newest.value);
  }

  known(): Catalog["version"] | undefined {
    const { cache, config } = this.#ports;
    const generation = cache.known(config.hash)?.pointer.generation;
    return generation === undefined ? undefined : { catalog: config.hash, generation };
  }

  async changedSince(generation: number, sees: Sees): Promise<boolean> {
    const { cache, config, kv } = this.#ports;
    const now = cache.known(config.hash)?.pointer;
    if (now?.generation === generation) return false;
    const then = await this.#tolerant(() => kv.generation(config.hash, generation));
    const seesAll = sees.key === null;
    if (now === undefined || then === undefined) return seesAll;
    if (sameContent(now, then)) return false;
    return seesAll || this.#changedFor(sees, then, now);
  }

  refreshSoon(reason: string): void {
    this.#ports.log(`a refresh was asked for: ${reason}`);
    this.#ports.background(this.refresh("unknown_tool"));
  }

  /** Asks the object for a refresh, waits for the answer, as the operator does, and goes by it from then on. */
  async refresh(reason: RefreshReason) {
    const answer = await this.#ports.object.refresh(reason, this.#ports.config.text);
    if (answer.ok && answer.value.pointer !== null) await this.#adopt(answer.value.pointer);
    return answer;
  }

  /** Moves a server's calls, and goes by what became of it from then on. */
  async move(request: Omit<MoveRequest, "version" | "config">) {
    const { object, config } = this.#ports;
    const answer = await object.move({ ...request, version: 1, config: config.text });
    if (answer.ok && answer.value.moved) await this.newest();
    return answer;
  }

  /** The first use in an isolate: KV's pointer, else a first refresh, for which one waits a bounded time. */
  async #first(): Promise<Answer> {
    const { config, kv, object, sleep } = this.#ports;
    const pointer = await this.#tolerant(() => kv.pointer(config.hash));
    if (pointer !== undefined) {
      const catalog = await this.#adopt(pointer);
      if (catalog.ok) return catalog;
    }
    const refreshing = object.refresh("first_use", config.text);
    // Who gives up waiting does not end the refresh: it runs in the object.
    const answer = await Promise.race([refreshing, sleep(FIRST_REFRESH_WAIT_MS)]);
    if (answer === undefined) return unavailable("the first refresh takes longer than one may wait");
    if (!answer.ok) return unavailable(answer.reason.detail);
    const { pointer: published, problems, failure } = answer.value;
    if (published !== null) return this.#adopt(published);
    return unavailable(failure ?? problems?.join("; ") ?? "the first refresh published nothing");
  }

  /** Compares with KV's pointer, behind an answer that has been given. */
  async #look(): Promise<void> {
    const { config, kv } = this.#ports;
    const pointer = await this.#tolerant(() => kv.pointer(config.hash));
    if (pointer !== undefined) await this.#adopt(pointer);
  }

  /** Goes by a pointer from now on, if it is news, once its snapshot is here: until then the old catalog answers. */
  async #adopt(pointer: Pointer): Promise<Answer> {
    const { cache, config, nowMs } = this.#ports;
    const known = cache.known(config.hash)?.pointer;
    const newer = known !== undefined && known.revision >= pointer.revision ? known : pointer;
    const catalog = await this.#catalog(newer);
    if (!catalog.ok) return catalog;
    const adopted = cache.adopt(config.hash, newer, nowMs());
    return adopted === newer ? catalog : this.#catalog(adopted);
  }

  /** All kinds or none: a catalog without a kind that it has would say that there is none. */
  async #catalog(pointer: Pointer): Promise<Answer> {
    const { config } = this.#ports;
    const kinds = OTHER_KINDS.filter((kind) => pointer.kinds?.[kind] !== undefined);
    const [loaded, ...loadedKinds] = await Promise.all([
      this.#snapshot("tool", pointer.hash),
      ...kinds.map((kind) => this.#snapshot(kind, pointer.kinds?.[kind] ?? "")),
    ]);
    if (!loaded.ok) return loaded;
    const readShard = (hash: string) => this.#shard(hash);
    const others = new Map<OtherKind, SnapshotCatalog>();
    for (const [at, kind] of kinds.entries()) {
      const snapshot = loadedKinds[at];
      if (snapshot?.ok === false) return snapshot;
      if (snapshot === undefined) continue;
      others.set(kind, new SnapshotCatalog(config.hash, pointer, snapshot.value, readShard, { kind }));
    }
    return ok(new SnapshotCatalog(config.hash, pointer, loaded.value, readShard, { others }));
  }

  async #changedFor(sees: Sees, then: Pointer, now: Pointer): Promise<boolean> {
    if (await this.#kindChangedFor(sees, "tool", then.hash, now.hash)) return true;
    for (const kind of OTHER_KINDS) {
      if (await this.#kindChangedFor(sees, kind, then.kinds?.[kind], now.kinds?.[kind])) return true;
    }
    return false;
  }

  /** Between two snapshots of a kind, once for all who see the same; not, where one of them cannot be had. */
  async #kindChangedFor(
    sees: Sees,
    kind: CatalogKind,
    thenHash: string | undefined,
    nowHash: string | undefined,
  ): Promise<boolean> {
    if (thenHash === nowHash) return false;
    const { cache } = this.#ports;
    const name = JSON.stringify([kind, thenHash ?? null, nowHash ?? null, sees.key]);
    const known = sees.key === undefined ? undefined : cache.visibleChange(name);
    if (known !== undefined) return known;
    const then = thenHash === undefined ? ok(undefined) : await this.#earlierSnapshot(kind, thenHash);
    const now = nowHash === undefined ? ok(undefined) : await this.#snapshot(kind, nowHash);
    if (!then.ok || !now.ok) return false;
    const changed = isVisiblyChanged(then.value, now.value, sees);
    if (sees.key !== undefined) cache.keepVisibleChange(name, changed);
    return changed;
  }

  /** One that nobody is answered from any more: it puts none of those out that are, and is not worth waking the object for. */
  async #earlierSnapshot(
    kind: CatalogKind,
    hash: string,
  ): Promise<Result<LoadedSnapshot, CatalogUnavailable>> {
    const known = this.#ports.cache.snapshot(kind, hash);
    if (known !== undefined) return ok(known);
    const bytes = await this.#tolerant(() => this.#ports.kv.content("snapshot", hash));
    return bytes === undefined || bytes === null
      ? unavailable(`snapshot ${hash} is not there any more`)
      : loadedFrom(hash, bytes);
  }

  async #snapshot(kind: CatalogKind, hash: string): Promise<Result<LoadedSnapshot, CatalogUnavailable>> {
    const known = this.#ports.cache.snapshot(kind, hash);
    if (known !== undefined) return ok(known);
    const bytes = await this.#content("snapshot", hash);
    if (!bytes.ok) return bytes;
    const loaded = loadedFrom(hash, bytes.value);
    if (loaded.ok) this.#ports.cache.keepSnapshot(kind, hash, loaded.value);
    return loaded;
  }

  async #shard(hash: string): Promise<Result<ReadonlyMap<string, ToolDefinition>, CatalogUnavailable>> {
    const known = this.#ports.cache.shard(hash);
    if (known !== undefined) return ok(known);
    const bytes = await this.#content("shard", hash);
    if (!bytes.ok) return bytes;
    const definitions = parseShard(decoder.decode(bytes.value));
    if (definitions === undefined) return unavailable(`shard ${hash} has another format`);
    this.#ports.cache.keepShard(hash, definitions, bytes.value.length);
    return ok(definitions);
  }

  /**
   * Content by its hash. KV may not show it yet, may remember that it was not there, and may show something else: what does
   * not have the hash is not used. The object has what it published last.
   */
  async #content(kind: ContentKind, hash: string): Promise<Result<Uint8Array, CatalogUnavailable>> {
    for (let attempt = 0; attempt < CATALOG_READ_ATTEMPTS_COUNT; attempt += 1) {
      const bytes = await this.#tolerant(() => this.#ports.kv.content(kind, hash));
      if (bytes !== undefined && bytes !== null) return ok(bytes);
    }
    const kept = await this.#ports.object.content(kind, hash);
    if (!kept.ok) return unavailable(kept.reason.detail);
    if (kept.value !== null && (await contentHash(kept.value)) === hash) return ok(kept.value);
    return unavailable(`${kind} ${hash} is nowhere to be found`);
  }

  /** KV may refuse a read; then it is as if it had nothing. */
  async #tolerant<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#ports.log(`KV could not be read: ${String(error)}`);
      return undefined;
    }
  }
}

function loadedFrom(hash: string, bytes: Uint8Array): Result<LoadedSnapshot, CatalogUnavailable> {
  const snapshot = openSnapshot(bytes);
  return snapshot.ok
    ? ok(loadSnapshot(snapshot.value))
    : unavailable(`snapshot ${hash} cannot be read: ${snapshot.reason.reason}`);
}
