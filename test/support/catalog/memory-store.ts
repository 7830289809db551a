import type { Inventory } from "../../../src/catalog/drift/inventory.ts";
import type { JudgedTool } from "../../../src/catalog/refresh/judge-tool.ts";
import type { Pointer } from "../../../src/catalog/snapshot/pointer.ts";
import type { Listing, Published, RefreshStore } from "../../../src/catalog/refresh/refresh-ports.ts";
import { MemoryRolloutStore } from "./memory-rollouts.ts";
import type { AnalysedDocument } from "../../../src/routing/document/analyse-document.ts";

/** What the object remembers, in maps: for tests that need no SQLite. It collects no garbage. */
export class MemoryRefreshStore implements RefreshStore {
  readonly rollouts = new MemoryRolloutStore();
  readonly judgements = new Map<
    string,
    { readonly judged: JudgedTool; readonly analysed?: AnalysedDocument }
  >();
  readonly definitions = new Map<string, string>();
  readonly snapshots = new Map<string, Uint8Array>();
  readonly #keys = new Map<string, readonly string[]>();
  readonly #listings = new Map<string, Listing>();
  readonly #shards = new Map<string, string>();
  readonly #written = new Map<string, boolean>();
  readonly #published = new Map<string, Published>();
  readonly #inventories = new Map<string, { readonly fingerprint: string; readonly tools: Inventory }>();
  #generation = 0;
  #revision = 0;

  atomically(work: () => void) {
    work();
  }

  recall(key: string) {
    return this.judgements.get(key)?.judged;
  }

  keep(key: string, judged: JudgedTool, parts?: { definition: string; analysed: AnalysedDocument }) {
    this.judgements.set(key, parts === undefined ? { judged } : { judged, analysed: parts.analysed });
    if (parts === undefined || judged.kind !== "accepted") return;
    const kept = this.definitions.get(judged.definitionHash);
    const isFirst = kept === undefined || parts.definition < kept;
    if (isFirst) this.definitions.set(judged.definitionHash, parts.definition);
  }

  analysed(key: string) {
    return this.judgements.get(key)?.analysed;
  }

  definition(hash: string) {
    return this.definitions.get(hash);
  }

  listing(source: string) {
    return this.#listings.get(source);
  }

  saveListing(source: string, listing: Listing) {
    this.#listings.set(source, listing);
  }

  shard(plan: string) {
    return this.#shards.get(plan);
  }

  saveShard(plan: string, hash: string) {
    this.#shards.set(plan, hash);
  }

  saveSnapshot(hash: string, bytes: Uint8Array, keys: readonly string[]) {
    this.snapshots.set(hash, bytes);
    this.#keys.set(hash, keys);
  }

  savedSnapshot(hash: string) {
    const [bytes, keys] = [this.snapshots.get(hash), this.#keys.get(hash)];
    return bytes === undefined || keys === undefined ? undefined : { bytes, keys };
  }

  hasWritten(key: string) {
    return this.#written.get(key) === true;
  }

  beginWrite(key: string) {
    this.#written.set(key, false);
  }

  markWritten(key: string) {
    this.#written.set(key, true);
  }

  published(config: string) {
    return this.#published.get(config);
  }

  nextGeneration() {
    this.#generation += 1;
    return this.#generation;
  }

  nextRevision() {
    this.#revision += 1;
    return this.#revision;
  }

  get isSeeded() {
    return this.#generation > 0;
  }

  seed({ generation, revision }: Pointer) {
    this.#generation = Math.max(this.#generation, generation);
    this.#revision = Math.max(this.#revision, revision);
  }

  publish(config: string, published: Published) {
    this.#published.set(config, published);
  }

  inventory(config: string, fingerprint: string) {
    const kept = this.#inventories.get(config);
    return kept?.fingerprint === fingerprint ? kept.tools : undefined;
  }

  saveInventory(config: string, fingerprint: string, tools: Inventory) {
    this.#inventories.set(config, { fingerprint, tools });
  }

  garbage() {
    return [];
  }

  forget() {}

  sweepRows() {}
}
