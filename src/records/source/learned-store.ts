import type { LearnedSource } from "./learned-source.ts";

/** What external sources told of their connections, in D1. Read with the bearer's grants (`reader-store.ts`). */
export class LearnedStore {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Writes what is news. It throws where D1 does. */
  async keep(learned: readonly LearnedSource[]): Promise<void> {
    if (learned.length === 0) return;
    await this.#db.batch(
      learned.map(({ source, targetHash, connections, learnedAtMs }) =>
        this.#db
          .prepare(
            `INSERT INTO record_source_connections (source, target_hash, connections, learned_at_ms) VALUES (?, ?, ?, ?)
ON CONFLICT (source) DO UPDATE SET target_hash = excluded.target_hash, connections = excluded.connections,
learned_at_ms = excluded.learned_at_ms
WHERE learned_at_ms <= excluded.learned_at_ms
AND (target_hash <> excluded.target_hash OR connections <> excluded.connections)`,
          )
          .bind(source, targetHash, connections, learnedAtMs),
      ),
    );
  }
}

/** A row as it is read; nothing where it was damaged. */
export function readLearned(row: Readonly<Record<string, unknown>>): LearnedSource | undefined {
  const { source, target_hash, connections, learned_at_ms } = row;
  if (typeof source !== "string" || typeof target_hash !== "string") return undefined;
  if (typeof connections !== "string" || typeof learned_at_ms !== "number") return undefined;
  return { source, targetHash: target_hash, connections, learnedAtMs: learned_at_ms };
}
