import { CATALOG_ROW_CHUNK_BYTES } from "../../limits.ts";
import { OUTBOX_TABLES } from "../../outbox/outbox-store.ts";

/** The object's tables, one list a version. Only ever added to: two Worker versions may talk to one object. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    `CREATE TABLE configs (hash TEXT PRIMARY KEY, asked_at_ms INTEGER NOT NULL,
       refreshed_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
    "CREATE TABLE judgements (key TEXT PRIMARY KEY, judged TEXT NOT NULL, analysed TEXT, definition_hash TEXT)",
    "CREATE INDEX judgements_by_definition ON judgements (definition_hash)",
    "CREATE TABLE definitions (hash TEXT PRIMARY KEY, json TEXT NOT NULL)",
    "CREATE TABLE listings (source TEXT PRIMARY KEY, hash TEXT NOT NULL, listed_at_ms INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE shards (plan TEXT PRIMARY KEY, hash TEXT NOT NULL)",
    "CREATE INDEX shards_by_hash ON shards (hash)",
    `CREATE TABLE generations (generation INTEGER PRIMARY KEY, config TEXT NOT NULL, identity TEXT NOT NULL,
       pointer TEXT NOT NULL, contents TEXT NOT NULL, pointer_written INTEGER NOT NULL, replaced_at_ms INTEGER)`,
    "CREATE TABLE kv_values (key TEXT PRIMARY KEY, written INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE chunks (name TEXT, part INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (name, part))",
  ],
  // NULL in what an older version published.
  ["ALTER TABLE generations ADD COLUMN facts TEXT", ...OUTBOX_TABLES],
  [
    // A target by `TargetIdentity.key`, a source as in listings.
    "CREATE TABLE targets (server TEXT, target TEXT, generation INTEGER NOT NULL, PRIMARY KEY (server, target)) WITHOUT ROWID",
    "CREATE TABLE rollouts (server TEXT PRIMARY KEY, active TEXT, previous TEXT) WITHOUT ROWID",
    `CREATE TABLE rejections (server TEXT, source TEXT, reason TEXT NOT NULL, at_ms INTEGER NOT NULL,
       PRIMARY KEY (server, source)) WITHOUT ROWID`,
  ],
  // NULL where there are tools alone.
  ["ALTER TABLE generations ADD COLUMN parts TEXT"],
];

export type SqlRow = Record<string, SqlStorageValue>;

/** SQL over the object's tables, which are made before the first statement. */
export class CatalogSql {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY)");
    const [row] = sql.exec<SqlRow>("SELECT max(version) AS version FROM schema_migrations").toArray();
    const installed = typeof row?.["version"] === "number" ? row["version"] : 0;
    for (const [index, statements] of MIGRATIONS.entries()) {
      if (index < installed) continue;
      for (const statement of statements) sql.exec(statement);
      sql.exec("INSERT INTO schema_migrations (version) VALUES (?)", index + 1);
    }
  }

  run(query: string, ...bindings: SqlStorageValue[]): readonly SqlRow[] {
    return this.#sql.exec<SqlRow>(query, ...bindings).toArray();
  }

  first(query: string, ...bindings: SqlStorageValue[]): SqlRow | undefined {
    return this.run(query, ...bindings)[0];
  }

  /** A text column of the first row. */
  text(query: string, ...bindings: SqlStorageValue[]): string | undefined {
    const [value] = Object.values(this.first(query, ...bindings) ?? {});
    return typeof value === "string" ? value : undefined;
  }

  /** Keeps bytes of any length, in rows under the platform's bound. */
  writeChunks(name: string, bytes: Uint8Array): void {
    this.deleteChunks(name);
    for (let part = 0; part * CATALOG_ROW_CHUNK_BYTES < bytes.length; part += 1) {
      const from = part * CATALOG_ROW_CHUNK_BYTES;
      const piece = bytes.slice(from, from + CATALOG_ROW_CHUNK_BYTES);
      this.run("INSERT INTO chunks (name, part, bytes) VALUES (?, ?, ?)", name, part, piece.buffer);
    }
  }

  /** Row by row: of a snapshot, its rows and the whole are too much to be held together. */
  readChunks(name: string): Uint8Array | undefined {
    const size = this.first("SELECT sum(length(bytes)) AS size FROM chunks WHERE name = ?", name)?.["size"];
    if (typeof size !== "number") return undefined;
    const whole = new Uint8Array(size);
    let at = 0;
    for (const { bytes } of this.#sql.exec<SqlRow>(
      "SELECT bytes FROM chunks WHERE name = ? ORDER BY part",
      name,
    )) {
      if (!(bytes instanceof ArrayBuffer)) continue;
      whole.set(new Uint8Array(bytes), at);
      at += bytes.byteLength;
    }
    return whole;
  }

  deleteChunks(name: string): void {
    this.run("DELETE FROM chunks WHERE name = ?", name);
  }
}
