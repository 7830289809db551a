import {
  CATALOG_ROW_MAX_BYTES,
  CONFIG_KEPT_MS,
  CONFIGS_MAX_COUNT,
  GENERATION_KEPT_MS,
} from "../../limits.ts";
import type { AnalysedDocument } from "../../routing/document/analyse-document.ts";
import { type Inventory, inventoryText, readInventory } from "../drift/inventory.ts";
import { CatalogSql, type SqlRow } from "./catalog-schema-store.ts";
import type { JudgedTool } from "./judge-tool.ts";
import {
  keptAnalysis,
  keptFacts,
  keptItems,
  keptJudgement,
  keptListing,
  keptParts,
  keptStrings,
} from "./kept-forms.ts";
import type { RolloutStore } from "../rollout/rollout-ports.ts";
import { SqlRolloutStore } from "../rollout/rollout-store.ts";
import { type Pointer, readPointer } from "../snapshot/pointer.ts";
import type { Listing, Published, RefreshStore } from "./refresh-ports.ts";
import { type ShardItem, shardText } from "../snapshot/shards.ts";
import { contentKey, type ContentKind } from "../snapshot/snapshot-store.ts";

/** Two servers may write equal definitions in two ways: which one is kept must not hang on who answered first. */
const KEEP_DEFINITION = `INSERT INTO definitions (hash, json) VALUES (?, ?)
  ON CONFLICT (hash) DO UPDATE SET json = excluded.json WHERE excluded.json < json`;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What the catalog's object remembers, in its SQLite. */
export class SqlRefreshStore implements RefreshStore {
  readonly rollouts: RolloutStore;
  readonly #sql: CatalogSql;
  readonly #transaction: (work: () => void) => void;
  #listingsChanged = false;

  /** `transaction` is the storage's own; without one, what throws half-way stays half-way. */
  constructor(
    sql: SqlStorage,
    tables = new CatalogSql(sql),
    transaction = (work: () => void): void => {
      work();
    },
  ) {
    this.#sql = tables;
    this.rollouts = new SqlRolloutStore(tables);
    this.#transaction = transaction;
  }

  atomically(work: () => void): void {
    this.#transaction(work);
  }

  recall(key: string): JudgedTool | undefined {
    const text = this.#sql.text("SELECT judged FROM judgements WHERE key = ?", key);
    return text === undefined ? undefined : keptJudgement(text);
  }

  keep(
    key: string,
    judged: JudgedTool,
    parts?: { readonly definition: string; readonly analysed: AnalysedDocument },
  ): void {
    const hash = judged.kind === "accepted" ? judged.definitionHash : null;
    const texts = [
      JSON.stringify(judged),
      parts === undefined ? null : JSON.stringify(parts.analysed),
    ] as const;
    // A row that the platform would refuse is never tried; the definition is then judged anew each time.
    if (texts.some((text) => text !== null && encoder.encode(text).length > CATALOG_ROW_MAX_BYTES)) return;
    this.#sql.run(
      "INSERT OR REPLACE INTO judgements (key, judged, analysed, definition_hash) VALUES (?, ?, ?, ?)",
      key,
      texts[0],
      texts[1],
      hash,
    );
    if (parts === undefined || hash === null) return;
    this.#sql.run(KEEP_DEFINITION, hash, parts.definition);
  }

  analysed(key: string): AnalysedDocument | undefined {
    const text = this.#sql.text("SELECT analysed FROM judgements WHERE key = ?", key);
    return text === undefined ? undefined : keptAnalysis(text);
  }

  definition(hash: string): string | undefined {
    return this.#sql.text("SELECT json FROM definitions WHERE hash = ?", hash);
  }

  listing(source: string): Listing | undefined {
    const bytes = this.#sql.readChunks(`listing:${source}`);
    return bytes === undefined ? undefined : keptListing(decoder.decode(bytes));
  }

  saveListing(source: string, listing: Listing, nowMs: number): void {
    const { basis, digest } = listing;
    // The same listing judged by the same is the same text: it need not be made to be compared.
    const name = basis === undefined || digest === undefined ? "" : `${basis} ${digest}`;
    const known = this.#sql.text("SELECT hash FROM listings WHERE source = ?", source);
    if (name === "" || known !== name) {
      this.#listingsChanged = true;
      this.#sql.writeChunks(`listing:${source}`, encoder.encode(JSON.stringify(listing)));
    }
    this.#sql.run(
      "INSERT OR REPLACE INTO listings (source, hash, listed_at_ms) VALUES (?, ?, ?)",
      source,
      name,
      nowMs,
    );
  }

  shard(planHash: string): string | undefined {
    return this.#sql.text("SELECT hash FROM shards WHERE plan = ?", planHash);
  }

  saveShard(planHash: string, hash: string, items: readonly ShardItem[]): void {
    const kept = items.map(({ definitionHash, definitionBytes, schemaHash, schemaBytes }) => ({
      definitionHash,
      definitionBytes,
      schemaHash,
      schemaBytes,
    }));
    this.#sql.writeChunks(`items:${hash}`, encoder.encode(JSON.stringify(kept)));
    this.#sql.run("INSERT OR REPLACE INTO shards (plan, hash) VALUES (?, ?)", planHash, hash);
  }

  saveSnapshot(hash: string, bytes: Uint8Array, keys: readonly string[]): void {
    const key = contentKey("snapshot", hash);
    if (this.#sql.first("SELECT 1 FROM chunks WHERE name = ?", keysOf(key)) !== undefined) return;
    this.#sql.writeChunks(key, bytes);
    this.#sql.writeChunks(keysOf(key), encoder.encode(JSON.stringify(keys)));
  }

  savedSnapshot(hash: string) {
    const key = contentKey("snapshot", hash);
    const [bytes, keys] = [this.#sql.readChunks(key), this.#sql.readChunks(keysOf(key))];
    if (bytes === undefined || keys === undefined) return undefined;
    return { bytes, keys: keptStrings(decoder.decode(keys)) };
  }

  /** The judgements' keys of a snapshot's tools. */
  #keysOf(hash: string): readonly string[] {
    const keys = this.#sql.readChunks(keysOf(contentKey("snapshot", hash)));
    return keys === undefined ? [] : keptStrings(decoder.decode(keys));
  }

  /** By its key, which may be of an older format. */
  #deleteSnapshot(key: string): void {
    this.#sql.deleteChunks(key);
    this.#sql.deleteChunks(keysOf(key));
  }

  /** Content from here, for a Worker whose KV does not show it yet. A shard is built again from its definitions. */
  content(kind: ContentKind, hash: string): Uint8Array | undefined {
    if (kind === "snapshot") return this.#sql.readChunks(contentKey("snapshot", hash));
    const items = this.#sql.readChunks(`items:${hash}`);
    if (items === undefined) return undefined;
    const text = shardText(keptItems(decoder.decode(items)), (definition) => this.definition(definition));
    return text === undefined ? undefined : encoder.encode(text);
  }

  hasWritten(key: string): boolean {
    return this.#sql.first("SELECT 1 FROM kv_values WHERE key = ? AND written = 1", key) !== undefined;
  }

  beginWrite(key: string): void {
    this.#sql.run("INSERT OR REPLACE INTO kv_values (key, written) VALUES (?, 0)", key);
  }

  markWritten(key: string): void {
    this.#sql.run("UPDATE kv_values SET written = 1 WHERE key = ?", key);
  }

  /** A Worker did not find this in KV, where it should be: the next run writes it again. */
  doubt(key: string): void {
    this.#sql.run("UPDATE kv_values SET written = 0 WHERE key = ?", key);
  }

  doubtPointer(config: string): void {
    this.#sql.run(
      "UPDATE generations SET pointer_written = 0 WHERE config = ? AND replaced_at_ms IS NULL",
      config,
    );
  }

  published(config: string): Published | undefined {
    const row = this.#sql.first(
      "SELECT * FROM generations WHERE config = ? AND replaced_at_ms IS NULL ORDER BY generation DESC LIMIT 1",
      config,
    );
    return row === undefined ? undefined : publishedOf(row);
  }

  nextGeneration(): number {
    return this.#next("generation");
  }

  nextRevision(): number {
    return this.#next("revision");
  }

  get isSeeded(): boolean {
    return this.#sql.first("SELECT 1 FROM counters WHERE name = 'generation'") !== undefined;
  }

  seed(pointer: Pointer): void {
    for (const [name, value] of [
      ["generation", pointer.generation],
      ["revision", pointer.revision],
    ] as const) {
      this.#sql.run(
        "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
        name,
        value,
      );
    }
  }

  publish(config: string, published: Published, nowMs: number): void {
    const { pointer, identity, contents, pointerWritten, facts, parts } = published;
    const before = this.published(config);
    this.#sql.run(
      "UPDATE generations SET replaced_at_ms = ? WHERE config = ? AND generation <> ? AND replaced_at_ms IS NULL",
      nowMs,
      config,
      pointer.generation,
    );
    this.#sql.run(
      `INSERT OR REPLACE INTO generations (generation, config, identity, pointer, contents, pointer_written, facts, parts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      pointer.generation,
      config,
      identity,
      JSON.stringify(pointer),
      JSON.stringify(contents),
      pointerWritten ? 1 : 0,
      facts === undefined ? null : JSON.stringify(facts),
      parts === undefined ? null : JSON.stringify(parts),
    );
    if (before === undefined) return;
    // Only the newest snapshots are kept here beside KV: by the time one is replaced, KV shows it everywhere.
    const newest = this.#newestHashes();
    for (const hash of hashesOf(before.pointer))
      if (!newest.has(hash)) this.#deleteSnapshot(contentKey("snapshot", hash));
  }

  inventory(config: string, fingerprint: string): Inventory | undefined {
    const bytes = this.#sql.readChunks(`inventory:${config}`);
    return bytes === undefined ? undefined : readInventory(decoder.decode(bytes), fingerprint);
  }

  saveInventory(config: string, fingerprint: string, tools: Inventory): void {
    this.#sql.writeChunks(`inventory:${config}`, encoder.encode(inventoryText(fingerprint, tools)));
  }

  garbage(nowMs: number, count: number): readonly string[] {
    this.#retireConfigs(nowMs);
    this.#sql.run("DELETE FROM generations WHERE replaced_at_ms <= ?", nowMs - GENERATION_KEPT_MS);
    const needed = new Set<string>();
    for (const row of this.#sql.run("SELECT contents FROM generations")) {
      for (const key of keptStrings(textOf(row, "contents"))) needed.add(key);
    }
    const keys = this.#sql.run("SELECT key FROM kv_values ORDER BY key").map((row) => textOf(row, "key"));
    return keys.filter((key) => !needed.has(key)).slice(0, count);
  }

  forget(key: string): void {
    this.#sql.run("DELETE FROM kv_values WHERE key = ?", key);
    const hash = key.slice(key.lastIndexOf(":") + 1);
    if (key.startsWith("snapshot:")) this.#deleteSnapshot(key);
    if (!key.startsWith("shard:")) return;
    this.#sql.run("DELETE FROM shards WHERE hash = ?", hash);
    this.#sql.deleteChunks(`items:${hash}`);
  }

  sweepRows(nowMs: number, count: number): void {
    for (const row of this.#sql.run(
      "SELECT source FROM listings WHERE listed_at_ms <= ?",
      nowMs - CONFIG_KEPT_MS,
    )) {
      const source = textOf(row, "source");
      this.#sql.deleteChunks(`listing:${source}`);
      this.#sql.run("DELETE FROM listings WHERE source = ?", source);
      this.#listingsChanged = true;
    }
    // Going through all keys is dear, and nothing falls free while every listing is as it was.
    if (!this.#listingsChanged) return;
    const needed = new Set<string>();
    for (const row of this.#sql.run("SELECT source FROM listings")) {
      for (const key of this.listing(textOf(row, "source"))?.keys ?? []) needed.add(key);
    }
    // A catalog that a pin or a required server holds fast may have what no listing has any more.
    for (const hash of this.#newestHashes()) for (const key of this.#keysOf(hash)) needed.add(key);
    const unused = this.#sql
      .run("SELECT key FROM judgements")
      .map((row) => textOf(row, "key"))
      .filter((key) => !needed.has(key));
    for (const key of unused.slice(0, count)) this.#sql.run("DELETE FROM judgements WHERE key = ?", key);
    this.#sql.run(
      `DELETE FROM definitions WHERE hash IN (SELECT hash FROM definitions WHERE NOT EXISTS
         (SELECT 1 FROM judgements WHERE definition_hash = hash) LIMIT ?)`,
      count,
    );
    this.#listingsChanged = unused.length > count;
  }

  /** Notes that a configuration was asked for, so that its catalog stays in use. */
  rememberConfig(hash: string, nowMs: number): void {
    const known = this.#sql.first("SELECT 1 FROM configs WHERE hash = ?", hash);
    if (known === undefined) {
      this.#sql.run(
        `DELETE FROM configs WHERE hash NOT IN (SELECT hash FROM configs ORDER BY asked_at_ms DESC LIMIT ?)`,
        CONFIGS_MAX_COUNT - 1,
      );
    }
    this.#sql.run(
      `INSERT INTO configs (hash, asked_at_ms, refreshed_at_ms) VALUES (?, ?, 0)
       ON CONFLICT (hash) DO UPDATE SET asked_at_ms = excluded.asked_at_ms`,
      hash,
      nowMs,
    );
  }

  refreshedAtMs(hash: string): number {
    const value = this.#sql.first("SELECT refreshed_at_ms AS at FROM configs WHERE hash = ?", hash)?.["at"];
    return typeof value === "number" ? value : 0;
  }

  markRefreshed(hash: string, nowMs: number): void {
    this.#sql.run("UPDATE configs SET refreshed_at_ms = ? WHERE hash = ?", nowMs, hash);
  }

  /** Takes the catalogs of configurations that are gone out of use. */
  #retireConfigs(nowMs: number): void {
    this.#sql.run("DELETE FROM configs WHERE max(asked_at_ms, refreshed_at_ms) <= ?", nowMs - CONFIG_KEPT_MS);
    this.#sql.run(
      "UPDATE generations SET replaced_at_ms = ? WHERE replaced_at_ms IS NULL AND config NOT IN (SELECT hash FROM configs)",
      nowMs,
    );
    // ';' is the character after ':'.
    this.#sql.run(
      `DELETE FROM chunks WHERE name > 'inventory:' AND name < 'inventory;'
         AND substr(name, length('inventory:') + 1) NOT IN (SELECT hash FROM configs)`,
    );
  }

  /** Content hashes of the snapshots that are in use. */
  #newestHashes(): ReadonlySet<string> {
    const rows = this.#sql.run("SELECT pointer FROM generations WHERE replaced_at_ms IS NULL");
    return new Set(rows.flatMap((row) => hashesOf(pointerOf(row))));
  }

  #next(name: string): number {
    const row = this.#sql.first(
      "INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value",
      name,
    );
    return typeof row?.["value"] === "number" ? row["value"] : 0;
  }
}

/** The name under which the keys of a snapshot's tools are kept. */
function keysOf(snapshotKey: string): string {
  return `keys:${snapshotKey}`;
}

function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : "";
}

function pointerOf(row: SqlRow): Pointer | undefined {
  return readPointer(JSON.parse(textOf(row, "pointer")));
}

/** Of its snapshots of all kinds. */
function hashesOf(pointer: Pointer | undefined): readonly string[] {
  return pointer === undefined ? [] : [pointer.hash, ...Object.values(pointer.kinds ?? {})];
}

function publishedOf(row: SqlRow): Published | undefined {
  const pointer = pointerOf(row);
  if (pointer === undefined) return undefined;
  const kept = textOf(row, "facts");
  const parts = keptParts(textOf(row, "parts"));
  const facts = kept === "" ? undefined : keptFacts(kept);
  return {
    pointer,
    identity: textOf(row, "identity"),
    contents: keptStrings(textOf(row, "contents")),
    pointerWritten: row["pointer_written"] === 1,
    ...(facts === undefined ? {} : { facts }),
    ...(parts === undefined ? {} : { parts }),
  };
}
