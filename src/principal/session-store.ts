import { SESSIONS_ENDED_MAX_COUNT, SESSIONS_EVICTION_COUNT, SESSIONS_LIVE_MAX_COUNT } from "../limits.ts";
import type { CatalogVersion } from "./browse-state.ts";
import type { ToldGeneration } from "./catalog-news.ts";
import { numberOf, textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";
import type { SessionHandle } from "./session-id.ts";
import type { SessionRow } from "./session-standing.ts";

/** A principal's sessions as rows: opening writes one, ending rewrites it, using reads it and writes nothing. */
export class SessionStore {
  readonly #sql: MeteredSql;
  /** Rows by standing, counted when first needed after a wake-up: a count reads every row. */
  #counts: { live: number; ended: number } | null = null;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  find(key: string): SessionRow {
    const [row] = this.#sql.run("SELECT ended FROM sessions WHERE key = ?", key);
    return row === undefined ? null : { ended: row["ended"] === 1 };
  }

  findLive(key: string, nowMs: number): SessionHandle | null {
    const [row] = this.#sql.run("SELECT ended, expires_at_ms FROM sessions WHERE key = ?", key);
    const expiresAtMs = numberOf(row?.["expires_at_ms"]);
    return row?.["ended"] === 0 && expiresAtMs > nowMs ? { key, expiresAtMs } : null;
  }

  /** What the session has been told of; needs the columns. */
  told(key: string): ToldGeneration | null {
    const [row] = this.#sql.run(
      "SELECT told_catalog, told_generation, told_from, told_attempt FROM sessions WHERE key = ?",
      key,
    );
    const [catalog, generation] = [row?.["told_catalog"], row?.["told_generation"]];
    if (typeof catalog !== "string" || typeof generation !== "number") return null;
    const [from, attempt] = [row?.["told_from"], row?.["told_attempt"]];
    return {
      catalog,
      generation,
      from: typeof from === "number" ? from : null,
      attempt: typeof attempt === "string" ? attempt : null,
    };
  }

  markTold(key: string, { catalog, generation, from, attempt }: ToldGeneration): void {
    this.#sql.run(
      "UPDATE sessions SET told_catalog = ?, told_generation = ?, told_from = ?, told_attempt = ? WHERE key = ?",
      catalog,
      generation,
      from,
      attempt,
      key,
    );
  }

  /** With the catalog that it begins with, as if it had been told of that one; needs the columns. */
  insert(session: SessionHandle, beginsWith: CatalogVersion | null): void {
    const counts = this.#counted();
    if (counts.live >= SESSIONS_LIVE_MAX_COUNT) counts.live -= this.#evict(0);
    this.#sql.run(
      "INSERT INTO sessions (key, ended, expires_at_ms, told_catalog, told_generation) VALUES (?, 0, ?, ?, ?)",
      session.key,
      session.expiresAtMs,
      beginsWith?.catalog ?? null,
      beginsWith?.generation ?? null,
    );
    counts.live += 1;
  }

  /** Ends a live session; what it has seen goes at once. */
  markEnded(key: string): void {
    const counts = this.#counted();
    if (counts.ended >= SESSIONS_ENDED_MAX_COUNT) counts.ended -= this.#evict(1);
    this.#sql.run("UPDATE sessions SET ended = 1 WHERE key = ?", key);
    this.#sql.run("DELETE FROM browse_states WHERE key = ?", key);
    counts.live -= 1;
    counts.ended += 1;
  }

  /** To be called when rows went some other way. */
  forgetCounts(): void {
    this.#counts = null;
  }

  /**
   * Removes the oldest sessions of one standing (all live equally long, so the first to expire). A removed id reads as
   * unknown, to which clients answer with a new `initialize`; refusing new sessions instead would lock them out.
   */
  #evict(ended: 0 | 1): number {
    const oldest = this.#sql.run(
      "SELECT key FROM sessions WHERE ended = ? ORDER BY expires_at_ms, key LIMIT ?",
      ended,
      SESSIONS_EVICTION_COUNT,
    );
    for (const row of oldest) {
      this.#sql.run("DELETE FROM sessions WHERE key = ?", textOf(row["key"]));
      this.#sql.run("DELETE FROM browse_states WHERE key = ?", textOf(row["key"]));
      // An ended session's counts went with its end; for a live one's place a row is inserted, so the table is there.
      if (ended === 0) this.#sql.run("DELETE FROM rate_windows WHERE owner = ?", textOf(row["key"]));
    }
    return oldest.length;
  }

  #counted(): { live: number; ended: number } {
    if (this.#counts !== null) return this.#counts;
    const counts = { live: 0, ended: 0 };
    for (const row of this.#sql.run("SELECT ended, count(*) AS rows FROM sessions GROUP BY ended")) {
      counts[row["ended"] === 1 ? "ended" : "live"] = numberOf(row["rows"]);
    }
    this.#counts = counts;
    return counts;
  }
}
