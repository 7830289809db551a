import { OUTBOX_TABLES } from "../outbox/outbox-store.ts";
import { numberOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/**
 * A principal's tables, one list a version. Only ever added to: two Worker versions may talk to one object, so a new
 * version's tables stand before anything needs them. Every row has an expiry, in milliseconds, so that an object can end;
 * the outbox's last as long as they wait to be shipped.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    "CREATE TABLE sessions (key TEXT PRIMARY KEY, ended INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE revoked_tokens (id TEXT PRIMARY KEY, expires_at_ms INTEGER NOT NULL) WITHOUT ROWID",
    `CREATE TABLE browse_states (key TEXT PRIMARY KEY, catalog TEXT NOT NULL, generation INTEGER NOT NULL,
       seen TEXT NOT NULL, expires_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE newest_generations (catalog TEXT PRIMARY KEY, generation INTEGER NOT NULL,
       expires_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE upstream_sessions (key TEXT PRIMARY KEY, session_id TEXT NOT NULL, protocol_version TEXT NOT NULL,
       expires_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
  ],
  [
    `CREATE TABLE artifacts (handle TEXT PRIMARY KEY, tool_id TEXT NOT NULL, media_type TEXT NOT NULL,
       size_bytes INTEGER NOT NULL, lines INTEGER, line_index TEXT NOT NULL,
       expires_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
  ],
  [
    `CREATE TABLE rate_windows (owner TEXT NOT NULL, bucket TEXT NOT NULL, calls INTEGER NOT NULL,
       span_ends_at_ms INTEGER NOT NULL, entries BLOB NOT NULL, expires_at_ms INTEGER NOT NULL,
       PRIMARY KEY (owner, bucket)) WITHOUT ROWID`,
    `CREATE TABLE approvals (binding TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
       created_by TEXT, used_by TEXT, expires_at_ms INTEGER NOT NULL, PRIMARY KEY (binding, id)) WITHOUT ROWID`,
  ],
  [
    `CREATE TABLE journal (key TEXT PRIMARY KEY, attempt TEXT NOT NULL, fingerprint TEXT NOT NULL, contract TEXT NOT NULL,
       knowledge TEXT NOT NULL, replays INTEGER NOT NULL, lease_ends_at_ms INTEGER NOT NULL,
       expires_at_ms INTEGER NOT NULL, answer TEXT) WITHOUT ROWID`,
  ],
  [
    ...OUTBOX_TABLES,
    "ALTER TABLE journal ADD COLUMN tool_id TEXT",
    "ALTER TABLE journal ADD COLUMN server TEXT",
    "ALTER TABLE journal ADD COLUMN told INTEGER NOT NULL DEFAULT 0",
  ],
  ["ALTER TABLE artifacts ADD COLUMN stored_as TEXT", "ALTER TABLE artifacts ADD COLUMN kept_at_ms INTEGER"],
  [
    `CREATE TABLE flights (attempt TEXT PRIMARY KEY, scope TEXT NOT NULL, request_key TEXT NOT NULL,
       upstream TEXT NOT NULL, server TEXT NOT NULL, target TEXT NOT NULL, request_id TEXT NOT NULL, session_id TEXT,
       protocol_version TEXT, cancelled INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
    "ALTER TABLE sessions ADD COLUMN told_catalog TEXT",
    "ALTER TABLE sessions ADD COLUMN told_generation INTEGER",
    "ALTER TABLE sessions ADD COLUMN told_from INTEGER",
    "ALTER TABLE sessions ADD COLUMN told_attempt TEXT",
  ],
  ["ALTER TABLE flights ADD COLUMN tool_id TEXT", "ALTER TABLE flights ADD COLUMN contract TEXT"],
  [
    `CREATE TABLE gone_artifacts (handle TEXT PRIMARY KEY, tool_id TEXT NOT NULL, size_bytes INTEGER NOT NULL,
       stored_as TEXT, gone_at_ms INTEGER NOT NULL, due_at_ms INTEGER NOT NULL, handed_out INTEGER NOT NULL,
       removed INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
  ],
  [
    "ALTER TABLE flights ADD COLUMN ends_at_ms INTEGER",
    "ALTER TABLE flights ADD COLUMN told INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE approvals ADD COLUMN call TEXT",
  ],
];

/** The version that a table came with, of those whose rows expire by themselves. */
const EXPIRING = {
  sessions: 1,
  revoked_tokens: 1,
  browse_states: 1,
  newest_generations: 1,
  upstream_sessions: 1,
  artifacts: 2,
  rate_windows: 3,
  approvals: 3,
  journal: 4,
  flights: 7,
  gone_artifacts: 9,
} as const;

/** `told_generations` are columns of the sessions. */
const TABLES = { ...EXPIRING, outbox: 5, told_generations: 7 } as const;

/** The tables of one object, made with the first row that is written: an object that is only asked stores nothing. */
export class PrincipalSchema {
  readonly #sql: MeteredSql;
  #version: number | null = null;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  /** Whether there is anything to read. */
  get exists(): boolean {
    return this.#installed() > 0;
  }

  /** Whether this table is there: an object that an older version wrote to gets the later ones with its next write. */
  has(table: keyof typeof TABLES): boolean {
    return this.#installed() >= TABLES[table];
  }

  /** Brings the tables up to this version, before a write. `PRAGMA user_version` is refused here, hence a table. */
  ensure(): void {
    const installed = this.#installed();
    if (installed >= MIGRATIONS.length) return;
    this.#sql.run("CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY)");
    for (const [index, statements] of MIGRATIONS.entries()) {
      if (index < installed) continue;
      for (const statement of statements) this.#sql.run(statement);
      this.#sql.run("INSERT INTO schema_migrations (version) VALUES (?)", index + 1);
    }
    this.#version = MIGRATIONS.length;
  }

  /** Deletes what has expired, and says when the next row of those left does (`null`: none is left). */
  sweep(nowMs: number): number | null {
    if (!this.exists) return null;
    let next: number | null = null;
    for (const [table, version] of Object.entries(EXPIRING)) {
      if (this.#installed() < version) continue;
      this.#sql.run(`DELETE FROM ${table} WHERE expires_at_ms <= ?`, nowMs);
      const [row] = this.#sql.run(`SELECT min(expires_at_ms) AS next FROM ${table}`);
      if (typeof row?.["next"] === "number") next = Math.min(next ?? row["next"], row["next"]);
    }
    return next;
  }

  /** To be called after everything was deleted. */
  forget(): void {
    this.#version = 0;
  }

  #installed(): number {
    if (this.#version !== null) return this.#version;
    const tables = this.#sql.run("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'");
    const [row] =
      tables.length === 0 ? [] : this.#sql.run("SELECT max(version) AS version FROM schema_migrations");
    this.#version = numberOf(row?.["version"]);
    return this.#version;
  }
}
