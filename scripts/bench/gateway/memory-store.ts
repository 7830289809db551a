import { type Inventory, inventoryText, readInventory } from "../../../src/catalog/drift/inventory.ts";
import type { JudgedTool } from "../../../src/catalog/refresh/judge-tool.ts";
import type { Listing, Published, RefreshStore } from "../../../src/catalog/refresh/refresh-ports.ts";
import { NO_ROLLOUT } from "../../../src/catalog/rollout/rollout.ts";
import type { AnalysedDocument } from "../../../src/routing/document/analyse-document.ts";

type Parts = NonNullable<Parameters<RefreshStore["keep"]>[2]>;
type SavedSnapshot = NonNullable<ReturnType<RefreshStore["savedSnapshot"]>>;

/** What the catalog's object remembers, in memory instead of its SQLite, which a bench of the code need not write to. */
export class MemoryStore implements RefreshStore {
  readonly isSeeded = true;
  /** No server of a bench has another target. */
  readonly rollouts = {
    rollout: () => NO_ROLLOUT,
    saveRollout: () => undefined,
    rejection: () => undefined,
    reject: () => undefined,
    acquit: () => undefined,
  };
  readonly #judged = new Map<string, JudgedTool>();
  readonly #analysed = new Map<string, AnalysedDocument>();
  readonly #definitions = new Map<string, string>();
  readonly #listings = new Map<string, Listing>();
  readonly #shards = new Map<string, string>();
  readonly #snapshots = new Map<string, SavedSnapshot>();
  readonly #written = new Set<string>();
  readonly #published = new Map<string, Published>();
  readonly #inventories = new Map<string, string>();
  #counter = 0;

  get listings(): readonly Listing[] {
    return [...this.#listings.values()];
  }

  atomically(work: () => void): void {
    work();
  }

  recall(key: string): JudgedTool | undefined {
    return this.#judged.get(key);
  }

  keep(key: string, judged: JudgedTool, parts?: Parts): void {
    this.#judged.set(key, judged);
    if (parts === undefined) return;
    this.#analysed.set(key, parts.analysed);
    if (judged.kind === "accepted") this.#definitions.set(judged.definitionHash, parts.definition);
  }

  analysed(key: string): AnalysedDocument | undefined {
    return this.#analysed.get(key);
  }

  definition(hash: string): string | undefined {
    return this.#definitions.get(hash);
  }

  listing(source: string): Listing | undefined {
    return this.#listings.get(source);
  }

  saveListing(source: string, listing: Listing): void {
    this.#listings.set(source, listing);
  }

  shard(plan: string): string | undefined {
    return this.#shards.get(plan);
  }

  saveShard(plan: string, hash: string): void {
    this.#shards.set(plan, hash);
  }

  /** As in the object, the one before goes with the next. */
  saveSnapshot(hash: string, bytes: Uint8Array, keys: readonly string[]): void {
    this.#snapshots.clear();
    this.#snapshots.set(hash, { bytes, keys });
  }

  savedSnapshot(hash: string): SavedSnapshot | undefined {
    return this.#snapshots.get(hash);
  }

  hasWritten(key: string): boolean {
    return this.#written.has(key);
  }

  beginWrite(key: string): void {
    this.#written.delete(key);
  }

  markWritten(key: string): void {
    this.#written.add(key);
  }

  published(config: string): Published | undefined {
    return this.#published.get(config);
  }

  nextGeneration(): number {
    return (this.#counter += 1);
  }

  nextRevision(): number {
    return (this.#counter += 1);
  }

  seed(): void {
    // Nothing was published before this life.
  }

  publish(config: string, published: Published): void {
    this.#published.set(config, published);
  }

  /** Kept as the object keeps it: as text. */
  inventory(config: string, fingerprint: string): Inventory | undefined {
    const text = this.#inventories.get(config);
    return text === undefined ? undefined : readInventory(text, fingerprint);
  }

  saveInventory(config: string, fingerprint: string, tools: Inventory): void {
    this.#inventories.set(config, inventoryText(fingerprint, tools));
  }

  garbage(): readonly string[] {
    return [];
  }

  forget(): void {
    // Nothing is collected.
  }

  sweepRows(): void {
    // Nothing is collected.
  }
}
