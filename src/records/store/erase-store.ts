import { RECORD_VERSIONS_PRUNED_COUNT } from "../../limits/records.ts";
import type { BodyWriterPort } from "../ingest/ports.ts";

export interface Erasure {
  readonly versions: number;
  readonly bodies: number;
  /** Whether no replaced state of these records is left. */
  readonly done: boolean;
}

type Row = Record<string, unknown>;

/** Takes away what records were before, for those that shall not be found in their history either. */
export class EraseStore {
  readonly #db: D1Database;
  readonly #bodies: BodyWriterPort;

  constructor(db: D1Database, bodies: BodyWriterPort) {
    this.#db = db;
    this.#bodies = bodies;
  }

  /**
   * A bounded number of replaced states of these records; a tombstone stays, since it tells that they are gone. A bookmark
   * that would be compared with one begins anew (410). Throws where D1 or R2 does, and may be repeated then.
   */
  async step(connectionId: string, stream: string, keys: readonly string[]): Promise<Erasure> {
    const { results } = await this.#db
      .prepare(
        `SELECT v.id, v.feed_id, v.superseded_by, v.data_object FROM record_feeds f CROSS JOIN json_each(?3) k
CROSS JOIN record_versions v ON v.feed_id = f.id AND v.record_key = k.value AND v.superseded_by IS NOT NULL
WHERE f.connection_id = ?1 AND f.stream = ?2 LIMIT ?4`,
      )
      .bind(connectionId, stream, JSON.stringify(keys), RECORD_VERSIONS_PRUNED_COUNT)
      .all<Row>();
    const [first] = results;
    if (first === undefined) return { versions: 0, bodies: 0, done: true };
    const floor = results.reduce((most, { superseded_by }) => Math.max(most, Number(superseded_by)), 0);
    const objects = results.flatMap(({ data_object }) =>
      typeof data_object === "string" ? [data_object] : [],
    );
    await this.#db.batch([
      this.#db
        .prepare("UPDATE record_feeds SET floor_version = max(floor_version, ?2) WHERE id = ?1")
        .bind(Number(first["feed_id"]), floor),
      this.#db
        .prepare("DELETE FROM record_versions WHERE id IN (SELECT value FROM json_each(?))")
        .bind(JSON.stringify(results.map(({ id }) => id))),
    ]);
    // After their states: who reads one meanwhile finds its body. What a cut leaves here is collected with the leftovers.
    await this.#bodies.remove(objects);
    return {
      versions: results.length,
      bodies: objects.length,
      done: results.length < RECORD_VERSIONS_PRUNED_COUNT,
    };
  }
}
