import { NEWEST_GENERATIONS_MAX_COUNT } from "../limits.ts";
import { decodeSeen, encodeSeen } from "./browse-state.ts";
import type { BrowseState, CatalogVersion } from "./browse-state.ts";
import { numberOf, textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** What sessions have seen, one row each, and the newest generation that the principal was answered from. */
export class BrowseStore {
  readonly #sql: MeteredSql;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  /** `key` is a session's, or empty for the principal's own state where the protocol has no sessions. */
  read(key: string, nowMs: number): BrowseState | null {
    const [row] = this.#sql.run(
      "SELECT catalog, generation, seen FROM browse_states WHERE key = ? AND expires_at_ms > ?",
      key,
      nowMs,
    );
    if (row === undefined) return null;
    const version = { catalog: textOf(row["catalog"]), generation: numberOf(row["generation"]) };
    return decodeSeen(version, textOf(row["seen"]));
  }

  write(key: string, state: BrowseState, expiresAtMs: number): void {
    this.#sql.run(
      `INSERT INTO browse_states (key, catalog, generation, seen, expires_at_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET catalog = excluded.catalog, generation = excluded.generation,
         seen = excluded.seen, expires_at_ms = excluded.expires_at_ms`,
      key,
      state.version.catalog,
      state.version.generation,
      encodeSeen(state),
      expiresAtMs,
    );
  }

  newestGeneration(catalog: string, nowMs: number): number | null {
    const [row] = this.#sql.run(
      "SELECT generation FROM newest_generations WHERE catalog = ? AND expires_at_ms > ?",
      catalog,
      nowMs,
    );
    return row === undefined ? null : numberOf(row["generation"]);
  }

  raiseGeneration(version: CatalogVersion, expiresAtMs: number): void {
    this.#sql.run(
      `INSERT INTO newest_generations (catalog, generation, expires_at_ms) VALUES (?, ?, ?)
       ON CONFLICT (catalog) DO UPDATE SET generation = excluded.generation, expires_at_ms = excluded.expires_at_ms`,
      version.catalog,
      version.generation,
      expiresAtMs,
    );
    this.#sql.run(
      `DELETE FROM newest_generations WHERE catalog NOT IN
         (SELECT catalog FROM newest_generations ORDER BY expires_at_ms DESC, catalog = ? DESC, catalog LIMIT ?)`,
      version.catalog,
      NEWEST_GENERATIONS_MAX_COUNT,
    );
  }
}
