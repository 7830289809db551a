import { type LedgerSql, numberOf, textOf } from "./ledger-schema-store.ts";

/** What the ledger knows of one outbox. */
export interface KnownSource {
  /** The last number that counts. */
  readonly last: number;
  /** Entries that it could not keep, as it last said. */
  readonly dropped: number;
}

/** Where each source stands. The last number is written together with what it stands for. */
export class SourceStore {
  readonly #sql: LedgerSql;

  constructor(sql: LedgerSql) {
    this.#sql = sql;
  }

  find(source: string): KnownSource | undefined {
    const row = this.#sql.first("SELECT last, dropped FROM sources WHERE source = ?", source);
    return row === undefined ? undefined : { last: numberOf(row, "last"), dropped: numberOf(row, "dropped") };
  }

  write(source: string, { last, dropped }: KnownSource, nowMs: number): void {
    this.#sql.run(
      "INSERT OR REPLACE INTO sources (source, last, dropped, heard_at_ms) VALUES (?, ?, ?, ?)",
      source,
      last,
      dropped,
      nowMs,
    );
  }

  /** Forgets what was silent since then. */
  forgetBefore(sinceMs: number): void {
    this.#sql.run("DELETE FROM sources WHERE heard_at_ms < ?", sinceMs);
  }

  /** How many there are, and when the newest delivery came. */
  summary(): { readonly sources: number; readonly heardAtMs: number | null } {
    const row = this.#sql.first("SELECT count(*) AS sources, max(heard_at_ms) AS heard FROM sources");
    const sources = numberOf(row, "sources");
    return { sources, heardAtMs: sources === 0 ? null : numberOf(row, "heard") };
  }
}

/** Counts beside the accounts, by a name of ours. */
export class CounterStore {
  readonly #sql: LedgerSql;

  constructor(sql: LedgerSql) {
    this.#sql = sql;
  }

  /** Stands still where a double could not hold the next one. */
  add(name: string, more: number): void {
    if (more <= 0) return;
    this.#sql.run(
      `INSERT INTO counters (name, value) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET value = min(value + excluded.value, ${Number.MAX_SAFE_INTEGER})`,
      name,
      more,
    );
  }

  /** Replaces what stands there. */
  set(name: string, value: number): void {
    this.#sql.run("INSERT OR REPLACE INTO counters (name, value) VALUES (?, ?)", name, value);
  }

  all(): ReadonlyMap<string, number> {
    const rows = this.#sql.run("SELECT name, value FROM counters ORDER BY name");
    return new Map(rows.map((row) => [textOf(row, "name"), numberOf(row, "value")]));
  }
}
