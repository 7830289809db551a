import { RECORD_OBJECTS_REMOVED_COUNT, RECORD_REMOVAL_ROWS_COUNT } from "../../limits/records.ts";
import { bodyPrefix } from "../ingest/body-key.ts";
import type { BodyStore } from "./body-store.ts";

/** What one step took away. */
export interface RemovalStep {
  readonly records: number;
  /** States of records, replaced ones and tombstones too. */
  readonly versions: number;
  /** Objects of the bucket. */
  readonly bodies: number;
  /** Whether nothing of the connection is left. */
  readonly done: boolean;
}

type Row = Record<string, unknown>;

/**
 * Takes a connection away for good. It begins with a mark, from which on nothing reads or writes it and its grants are
 * revoked; then its rows go in steps, each a bounded batch that may be repeated after a cut; its feeds and its own row are
 * the last. Methods throw where D1 or R2 does.
 */
export class RemovalStore {
  readonly #db: D1Database;
  readonly #bodies: BodyStore;
  readonly #rowsCount: number;

  constructor(db: D1Database, bodies: BodyStore, rowsCount = RECORD_REMOVAL_ROWS_COUNT) {
    this.#db = db;
    this.#bodies = bodies;
    this.#rowsCount = rowsCount;
  }

  /** Marks it, once: the first time stands. Gives how many grants that revoked; undefined where there is no such connection. */
  async begin(connectionId: string, nowMs: number): Promise<number | undefined> {
    const [marked, revoked] = await this.#db.batch<Row>([
      this.#db
        .prepare(
          "UPDATE record_connections SET removed_at_ms = coalesce(removed_at_ms, ?2) WHERE id = ?1 RETURNING id",
        )
        .bind(connectionId, nowMs),
      // What was granted names records by their keys, which go with them.
      this.#db
        .prepare(
          `UPDATE record_grants SET streams = '[]', revoked_at_ms = coalesce(revoked_at_ms, ?2) WHERE connection_id = ?1
AND (revoked_at_ms IS NULL OR streams <> '[]') AND EXISTS (SELECT 1 FROM record_connections WHERE id = ?1) RETURNING revoked_at_ms`,
        )
        .bind(connectionId, nowMs),
    ]);
    if ((marked?.results.length ?? 0) === 0) return undefined;
    return (revoked?.results ?? []).filter(({ revoked_at_ms }) => revoked_at_ms === nowMs).length;
  }

  /** The next step of one that was marked. */
  async step(connectionId: string): Promise<RemovalStep> {
    const feed = await this.#db.prepare(NEXT_FEED).bind(connectionId).first<Row>();
    return feed === null ? this.#end(connectionId) : this.#clear(Number(feed["id"]));
  }

  async #clear(feedId: number): Promise<RemovalStep> {
    const { results } = await this.#db
      .prepare("SELECT id, data_object FROM record_versions WHERE feed_id = ? ORDER BY version LIMIT ?")
      .bind(feedId, this.#rowsCount)
      .all<Row>();
    const objects = results.flatMap(({ data_object }) =>
      typeof data_object === "string" ? [data_object] : [],
    );
    // First the bodies: a cut in between leaves versions that name nothing, and not bodies that nothing names.
    await this.#bodies.remove(objects);
    const ids = JSON.stringify(results.map(({ id }) => id));
    const bound = (sql: string) => this.#db.prepare(sql).bind(feedId, this.#rowsCount);
    const [, , records] = await this.#db.batch<Row>([
      bound(`DELETE FROM record_terms WHERE rowid IN (${SOME_DOCUMENTS})`),
      bound(`DELETE FROM record_documents WHERE id IN (${SOME_DOCUMENTS})`),
      bound(`DELETE FROM records WHERE feed_id = ?1 AND record_key IN
(SELECT record_key FROM records WHERE feed_id = ?1 ORDER BY record_key LIMIT ?2) RETURNING 1`),
      this.#db.prepare(KEEP_LAST_ID),
      this.#db.prepare("DELETE FROM record_versions WHERE id IN (SELECT value FROM json_each(?))").bind(ids),
    ]);
    return {
      records: records?.results.length ?? 0,
      versions: results.length,
      bodies: objects.length,
      done: false,
    };
  }

  /** Bodies that a cut left without a version lie under their feed's name; then the feeds go, and the connection. */
  async #end(connectionId: string): Promise<RemovalStep> {
    const { results } = await this.#db
      .prepare("SELECT id FROM record_feeds WHERE connection_id = ? ORDER BY id")
      .bind(connectionId)
      .all<Row>();
    for (const { id } of results) {
      const left = await this.#bodies.list(bodyPrefix(Number(id)), RECORD_OBJECTS_REMOVED_COUNT);
      if (left.objects.length === 0) continue;
      await this.#bodies.remove(left.objects.map(({ key }) => key));
      return { records: 0, versions: 0, bodies: left.objects.length, done: false };
    }
    const bound = (sql: string) => this.#db.prepare(sql).bind(connectionId);
    await this.#db.batch([
      bound(
        "DELETE FROM record_scopes WHERE feed_id IN (SELECT id FROM record_feeds WHERE connection_id = ?)",
      ),
      bound("DELETE FROM record_feeds WHERE connection_id = ?"),
      bound("DELETE FROM record_connections WHERE id = ? AND removed_at_ms IS NOT NULL"),
    ]);
    return { records: 0, versions: 0, bodies: 0, done: true };
  }
}

const NEXT_FEED = `SELECT f.id FROM record_feeds f JOIN record_connections c ON c.id = f.connection_id
WHERE c.id = ? AND c.removed_at_ms IS NOT NULL AND (EXISTS (SELECT 1 FROM record_versions v WHERE v.feed_id = f.id)
OR EXISTS (SELECT 1 FROM records r WHERE r.feed_id = f.id) OR EXISTS (SELECT 1 FROM record_documents d WHERE d.feed_id = f.id)) LIMIT 1`;

/** Everywhere else a record's newest version stays, and with it the newest of all. */
const KEEP_LAST_ID =
  "UPDATE record_version_ids SET last_removed = max(last_removed, (SELECT coalesce(max(id), 0) FROM record_versions)) WHERE only_row = 1";

const SOME_DOCUMENTS = "SELECT id FROM record_documents WHERE feed_id = ?1 ORDER BY record_key, id LIMIT ?2";
