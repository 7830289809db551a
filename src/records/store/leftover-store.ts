import { RECORD_LEFTOVER_MIN_AGE_MS, RECORD_OBJECTS_REMOVED_COUNT } from "../../limits/records.ts";
import type { BodyStore } from "./body-store.ts";

export interface Collection {
  /** Objects that were looked at. */
  readonly bodies: number;
  readonly removed: number;
  /** Where to go on; null at the end. */
  readonly cursor: string | null;
}

type Row = Record<string, unknown>;

/** Finds bodies in the bucket that no version names: a batch was cut off between the two. Methods throw where D1 or R2 does. */
export class LeftoverStore {
  readonly #db: D1Database;
  readonly #bodies: BodyStore;

  constructor(db: D1Database, bodies: BodyStore) {
    this.#db = db;
    this.#bodies = bodies;
  }

  /** Looks through the next bodies and removes what is left over; a young one may be of a batch under way. */
  async step(cursor: string | undefined, nowMs: number): Promise<Collection> {
    const listed = await this.#bodies.list("records/", RECORD_OBJECTS_REMOVED_COUNT, cursor);
    const old = listed.objects.filter(
      ({ uploadedAtMs }) => uploadedAtMs <= nowMs - RECORD_LEFTOVER_MIN_AGE_MS,
    );
    const { results } = await this.#db
      .prepare(
        `SELECT j.value AS object FROM json_each(?) j
WHERE NOT EXISTS (SELECT 1 FROM record_versions v WHERE v.data_object = j.value)`,
      )
      .bind(JSON.stringify(old.map(({ key }) => key)))
      .all<Row>();
    const left = results.map(({ object }) => String(object));
    await this.#bodies.remove(left);
    return { bodies: listed.objects.length, removed: left.length, cursor: listed.cursor };
  }
}
