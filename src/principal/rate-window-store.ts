import { RATE_ROWS_EVICTION_COUNT, RATE_ROWS_MAX_COUNT } from "../limits.ts";
import { numberOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";
import { packEntries, unpackEntries } from "./rate-entries.ts";
import { windowEndsAtMs } from "./rate-window.ts";
import type { RateWindow } from "./rate-window.ts";

/** What has been counted, one row an owner and bucket. An owner is a session's key, or empty for the principal itself. */
export class RateWindowStore {
  readonly #sql: MeteredSql;
  /** Counted when first needed after a wake-up: a count reads every row. */
  #count: number | null = null;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  find(owner: string, bucket: string): RateWindow | null {
    const [row] = this.#sql.run(
      "SELECT calls, span_ends_at_ms, entries FROM rate_windows WHERE owner = ? AND bucket = ?",
      owner,
      bucket,
    );
    if (row === undefined) return null;
    const entries = row["entries"];
    return {
      calls: numberOf(row["calls"]),
      spanEndsAtMs: numberOf(row["span_ends_at_ms"]),
      ...unpackEntries(entries instanceof ArrayBuffer ? entries : new ArrayBuffer(0)),
    };
  }

  write(owner: string, bucket: string, window: RateWindow): void {
    this.#sql.run(
      `INSERT INTO rate_windows (owner, bucket, calls, span_ends_at_ms, entries, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (owner, bucket) DO UPDATE SET calls = excluded.calls, span_ends_at_ms = excluded.span_ends_at_ms,
         entries = excluded.entries, expires_at_ms = excluded.expires_at_ms`,
      owner,
      bucket,
      window.calls,
      window.spanEndsAtMs,
      packEntries(window),
      windowEndsAtMs(window),
    );
  }

  /** What a session that has ended had counted. */
  drop(owner: string): void {
    this.#sql.run("DELETE FROM rate_windows WHERE owner = ?", owner);
  }

  /** To be called when rows went some other way. */
  forgetCount(): void {
    this.#count = null;
  }

  /** To be called before `rows` new ones are written, so that none of them gives way to another. */
  makeRoom(rows: number): void {
    if (rows === 0) return;
    if (this.#count === null || this.#count + rows > RATE_ROWS_MAX_COUNT) this.#count = this.#counted();
    if (this.#count + rows > RATE_ROWS_MAX_COUNT) {
      this.#sql.run(
        `DELETE FROM rate_windows WHERE (owner, bucket) IN
           (SELECT owner, bucket FROM rate_windows ORDER BY expires_at_ms, owner, bucket LIMIT ?)`,
        RATE_ROWS_EVICTION_COUNT,
      );
      this.#count = this.#counted();
    }
    this.#count += rows;
  }

  #counted(): number {
    const [row] = this.#sql.run("SELECT count(*) AS rows FROM rate_windows");
    return numberOf(row?.["rows"]);
  }
}
