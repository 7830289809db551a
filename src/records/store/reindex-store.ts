import { parseExactJson } from "../../exact-json/parse.ts";
import { isRecord } from "../../json.ts";
import { REINDEX_BYTES, REINDEX_ROWS_COUNT } from "../../limits/records.ts";
import type { LoadedManifest } from "../grant/cover.ts";
import { readManifestTexts } from "../grant/read-manifest-texts.ts";
import { isChanged, rowChanges } from "../manifest/row-changes.ts";
import { streamForm } from "../manifest/stream-form.ts";
import type { BodyReader } from "../server/ports.ts";
import { feedStatements } from "./feed-statements.ts";
import { MOVED } from "./ingest-store.ts";
import { indexStatements, type NextFeed, type ReadRow } from "./reindex-statements.ts";

export interface ReindexStep {
  /** Records that were indexed anew. */
  readonly records: number;
  /** Whether no manifest waits any more. */
  readonly done: boolean;
}

type Row = Record<string, unknown>;

/**
 * Indexes rows by a manifest that waits, a bounded batch at a time, and lets it count when all have it. Columns and documents
 * are made beside those that are read; where the order changes, lists of that stream are not read from its first batch until
 * the end. A step that was cut off, or overtaken by a writer, is asked for again. Methods throw where D1 or R2 does.
 */
export class ReindexStore {
  readonly #db: D1Database;
  readonly #bodies: BodyReader;
  readonly #rowsCount: number;

  constructor(db: D1Database, bodies: BodyReader, rowsCount = REINDEX_ROWS_COUNT) {
    this.#db = db;
    this.#bodies = bodies;
    this.#rowsCount = rowsCount;
  }

  async step(connectorKey: string, nowMs: number): Promise<ReindexStep> {
    const row = await this.#db
      .prepare(
        "SELECT manifest, slots, next_hash, next_manifest, next_slots FROM record_manifests WHERE connector_key = ?",
      )
      .bind(connectorKey)
      .first<Row>();
    const hash = row?.["next_hash"];
    if (row === null || typeof hash !== "string") return { records: 0, done: true };
    const old = readManifestTexts(String(row["manifest"]), String(row["slots"]));
    const next = readManifestTexts(String(row["next_manifest"]), String(row["next_slots"]));
    // Both were read before they were kept.
    if (old === undefined || next === undefined)
      throw new Error(`a manifest of ${connectorKey} is not readable`);
    const changed = JSON.stringify(changedStreams(old, next));
    const feed = await this.#db.prepare(NEXT_FEED).bind(connectorKey, hash, changed).first<Row>();
    const forms = feed === null ? undefined : formsOf(old, next, String(feed["stream"]));
    if (feed === null || forms === undefined) return this.#swap(connectorKey, hash, changed, nowMs);
    return this.#index(hash, {
      ...forms,
      id: Number(feed["id"]),
      headVersion: Number(feed["head_version"]),
      isReordered: feed["is_reordered"] === 1,
      after: feed["reindex_hash"] === hash ? String(feed["reindex_key"]) : null,
    });
  }

  async #index(hash: string, feed: NextFeed): Promise<ReindexStep> {
    const { rows, isLast } = await this.#rows(feed);
    const statements = indexStatements(hash, feed, rows, isLast, await this.#scopes(feed));
    try {
      await this.#db.batch(statements.map(({ sql, values }) => this.#db.prepare(sql).bind(...values)));
    } catch (error) {
      if (error instanceof Error && MOVED.test(error.message)) return { records: 0, done: false };
      throw error;
    }
    return { records: rows.length, done: false };
  }

  /** The next rows, as many as their bodies' bytes allow, one at least. */
  async #rows({
    id,
    after,
  }: NextFeed): Promise<{ readonly rows: readonly ReadRow[]; readonly isLast: boolean }> {
    const { results } = await this.#db
      .prepare(
        `SELECT r.record_key, r.version, r.consent_time, v.data_bytes, v.data_object FROM records r
CROSS JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version
WHERE r.feed_id = ? AND r.record_key > ? ORDER BY r.record_key LIMIT ?`,
      )
      .bind(id, after ?? "", this.#rowsCount)
      .all<Row>();
    let bytes = 0;
    const fitting = results.filter(({ data_bytes }, index) => {
      bytes += Number(data_bytes);
      return index === 0 || bytes <= REINDEX_BYTES;
    });
    const bodies = await this.#db
      .prepare(
        `SELECT version, data FROM record_versions WHERE feed_id = ? AND data_object IS NULL
AND version IN (SELECT value FROM json_each(?))`,
      )
      .bind(id, JSON.stringify(fitting.map(({ version }) => version)))
      .all<Row>();
    const texts = new Map(bodies.results.map(({ version, data }) => [version, String(data)]));
    const rows: ReadRow[] = [];
    for (const { record_key, version, consent_time, data_object } of fitting) {
      const isInBucket = typeof data_object === "string";
      const text = isInBucket ? await this.#bodies.read(data_object) : texts.get(version);
      const parsed = parseExactJson(text ?? "", { duplicates: "last" });
      // A row whose body is not there was written again meanwhile, or lost it: it has no value of anything.
      const data = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
      rows.push({
        key: String(record_key),
        version: Number(version),
        consentTime: consent_time,
        isInBucket,
        data,
      });
    }
    return { rows, isLast: fitting.length === results.length && results.length < this.#rowsCount };
  }

  async #scopes({ id, before, next }: NextFeed): Promise<ReadonlyMap<string, number>> {
    const { results } = await this.#db
      .prepare(
        "SELECT id, field FROM record_scopes WHERE feed_id = ? AND field IN (SELECT value FROM json_each(?))",
      )
      .bind(id, JSON.stringify(rowChanges(before, next).lexicalFields))
      .all<Row>();
    return new Map(results.map(({ id: scope, field }) => [String(field), Number(scope)]));
  }

  async #swap(connectorKey: string, hash: string, changed: string, nowMs: number): Promise<ReindexStep> {
    const [swapped] = await this.#db.batch([
      this.#db.prepare(SWAP).bind(connectorKey, hash, changed, nowMs),
      this.#db.prepare(FORGET).bind(connectorKey),
      ...feedStatements(this.#db, "connector_key", connectorKey),
    ]);
    return { records: 0, done: (swapped?.meta.changes ?? 0) > 0 };
  }
}

function changedStreams(old: LoadedManifest, next: LoadedManifest): readonly string[] {
  return [...old.manifest.streams.keys()].filter((name) => {
    const forms = formsOf(old, next, name);
    return forms !== undefined && isChanged(rowChanges(forms.before, forms.next));
  });
}

function formsOf(
  old: LoadedManifest,
  next: LoadedManifest,
  name: string,
): Pick<NextFeed, "before" | "next"> | undefined {
  const [before, after] = [streamForm(old, name), streamForm(next, name)];
  return before === undefined || after === undefined ? undefined : { before, next: after };
}

const CONNECTIONS = "(SELECT id FROM record_connections WHERE connector_key = ?1 AND removed_at_ms IS NULL)";

/** Feeds with rows that are not all indexed yet: of streams that change, or in no order. */
const UNFINISHED = `FROM record_feeds f WHERE f.connection_id IN ${CONNECTIONS} AND f.head_version > 0
AND (f.is_reordered = 1 OR f.stream IN (SELECT value FROM json_each(?3))) AND (f.reindex_hash IS NOT ?2 OR f.reindex_key IS NOT NULL)`;

const NEXT_FEED = `SELECT f.id, f.stream, f.head_version, f.is_reordered, f.reindex_hash, f.reindex_key ${UNFINISHED} ORDER BY f.id LIMIT 1`;

const SWAP = `UPDATE record_manifests SET manifest_hash = next_hash, manifest = next_manifest, slots = next_slots, loaded_at_ms = ?4,
next_hash = NULL, next_manifest = NULL, next_slots = NULL
WHERE connector_key = ?1 AND next_hash = ?2 AND NOT EXISTS (SELECT 1 ${UNFINISHED})`;

const FORGET = `UPDATE record_feeds SET reindex_hash = NULL, reindex_key = NULL, is_reordered = 0
WHERE connection_id IN ${CONNECTIONS} AND EXISTS (SELECT 1 FROM record_manifests WHERE connector_key = ?1 AND next_hash IS NULL)`;
