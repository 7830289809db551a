import { ARTIFACT_ROWS_EVICTION_COUNT, ARTIFACT_ROWS_MAX_COUNT } from "../limits.ts";
import type { ArtifactRow } from "./admit-contract.ts";
import { numberOf, textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** The ledger of what was kept back for this principal: enough of each artifact to read any part of it at once. */
export class ArtifactRowStore {
  readonly #sql: MeteredSql;
  /** Counted when first needed after a wake-up: a count reads every row. */
  #count: number | null = null;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  find(handle: string, nowMs: number): ArtifactRow | null {
    const [row] = this.#sql.run(
      `SELECT tool_id, media_type, size_bytes, lines, line_index, expires_at_ms FROM artifacts
       WHERE handle = ? AND expires_at_ms > ?`,
      handle,
      nowMs,
    );
    if (row === undefined) return null;
    return {
      handle,
      toolId: textOf(row["tool_id"]),
      mediaType: textOf(row["media_type"]),
      sizeBytes: numberOf(row["size_bytes"]),
      lines: row["lines"] === null ? null : numberOf(row["lines"]),
      lineIndex: textOf(row["line_index"]),
      expiresAtMs: numberOf(row["expires_at_ms"]),
    };
  }

  /** A handle names its content, so a row that is there differs in its expiry alone. */
  write(row: ArtifactRow): void {
    this.#makeRoom();
    this.#sql.run(
      `INSERT INTO artifacts (handle, tool_id, media_type, size_bytes, lines, line_index, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (handle) DO UPDATE SET expires_at_ms = max(expires_at_ms, excluded.expires_at_ms)`,
      row.handle,
      row.toolId,
      row.mediaType,
      row.sizeBytes,
      row.lines,
      row.lineIndex,
      row.expiresAtMs,
    );
    // An upper bound: a renewed row counts twice until the next count.
    if (this.#count !== null) this.#count += 1;
  }

  /** To be called when rows went some other way. */
  forgetCount(): void {
    this.#count = null;
  }

  /** The first to expire give way. Their bytes stay, and are found without a row at the price of one more read. */
  #makeRoom(): void {
    if (this.#count === null || this.#count >= ARTIFACT_ROWS_MAX_COUNT) this.#count = this.#counted();
    if (this.#count < ARTIFACT_ROWS_MAX_COUNT) return;
    this.#sql.run(
      "DELETE FROM artifacts WHERE handle IN (SELECT handle FROM artifacts ORDER BY expires_at_ms, handle LIMIT ?)",
      ARTIFACT_ROWS_EVICTION_COUNT,
    );
    this.#count = this.#counted();
  }

  #counted(): number {
    const [row] = this.#sql.run("SELECT count(*) AS rows FROM artifacts");
    return numberOf(row?.["rows"]);
  }
}
