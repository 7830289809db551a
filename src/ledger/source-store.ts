import type { KeptLevel } from "../outbox/delivery.ts";
import type { KeptFigures } from "./ledger-contract.ts";
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

  /** Without a word of what it keeps that is as it was. */
  write(source: string, { last, dropped }: KnownSource, kept: KeptLevel | undefined, nowMs: number): void {
    this.#sql.run(
      `INSERT INTO sources (source, last, dropped, heard_at_ms, kept_count, kept_bytes, kept_until_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (source) DO UPDATE SET last = excluded.last, dropped = excluded.dropped,
           heard_at_ms = excluded.heard_at_ms
           ${kept === undefined ? "" : ", kept_count = excluded.kept_count, kept_bytes = excluded.kept_bytes, kept_until_ms = excluded.kept_until_ms"}`,
      source,
      last,
      dropped,
      nowMs,
      kept?.count ?? 0,
      kept?.bytes ?? 0,
      kept?.untilMs ?? 0,
    );
  }

  /** What all of them together keep, as each said last, and the fullest. */
  kept(nowMs: number): KeptFigures {
    const row = this.#sql.first(
      `SELECT count(*) AS principals, total(kept_count) AS artifacts, total(kept_bytes) AS bytes,
         max(kept_count) AS most, max(kept_bytes) AS fullest FROM sources WHERE kept_count > 0 AND kept_until_ms > ?`,
      nowMs,
    );
    return {
      principals: numberOf(row, "principals"),
      artifacts: numberOf(row, "artifacts"),
      bytes: numberOf(row, "bytes"),
      most_artifacts: numberOf(row, "most"),
      most_bytes: numberOf(row, "fullest"),
    };
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
