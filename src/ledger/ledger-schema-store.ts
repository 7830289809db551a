/** The object's tables, one list a version. Only ever added to: two Worker versions may talk to one object. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE sources (source TEXT PRIMARY KEY, last INTEGER NOT NULL, dropped INTEGER NOT NULL,
       heard_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
    // A row for the gateway, under the empty name, and one for each server: a call rewrites its own and no other.
    `CREATE TABLE accounts (kind TEXT NOT NULL, name TEXT NOT NULL, ledger TEXT NOT NULL,
       counted_at_ms INTEGER NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID`,
    // A row for each tool, for the same reason, and one under the empty key for what has none.
    `CREATE TABLE hot_tools (key TEXT PRIMARY KEY, requests INTEGER NOT NULL, errors INTEGER NOT NULL,
       total_latency_ms INTEGER NOT NULL, max_latency_ms INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE refreshes (config TEXT PRIMARY KEY, refreshed_at_ms INTEGER NOT NULL,
       record TEXT NOT NULL) WITHOUT ROWID`,
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    // Numbers are dense: the oldest rows alone are ever deleted. No index, which every call would have to write.
    `CREATE TABLE events (number INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, name TEXT NOT NULL,
       line TEXT NOT NULL)`,
  ],
  ["kept_count", "kept_bytes", "kept_until_ms"].map(
    (column) => `ALTER TABLE sources ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`,
  ),
];

export type SqlRow = Record<string, SqlStorageValue>;

/** SQL over the object's tables, which are made before the first statement. */
export class LedgerSql {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.transactionSync(() => {
      this.run("CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY)");
      const installed = numberOf(
        this.first("SELECT max(version) AS version FROM schema_migrations"),
        "version",
      );
      for (const [index, statements] of MIGRATIONS.entries()) {
        if (index < installed) continue;
        for (const statement of statements) this.run(statement);
        this.run("INSERT INTO schema_migrations (version) VALUES (?)", index + 1);
      }
    });
  }

  /** Runs one statement to its end and gives its rows. */
  run(query: string, ...bindings: SqlStorageValue[]): readonly SqlRow[] {
    return this.#storage.sql.exec<SqlRow>(query, ...bindings).toArray();
  }

  first(query: string, ...bindings: SqlStorageValue[]): SqlRow | undefined {
    return this.run(query, ...bindings)[0];
  }

  /** All that is written in it, or nothing. */
  together<Value>(write: () => Value): Value {
    return this.#storage.transactionSync(write);
  }
}

export function numberOf(row: SqlRow | undefined, column: string): number {
  const value = row?.[column];
  return typeof value === "number" ? value : 0;
}

export function textOf(row: SqlRow | undefined, column: string): string {
  const value = row?.[column];
  return typeof value === "string" ? value : "";
}
