import {
  ARTIFACT_FIRST_LIFETIME_MS,
  ARTIFACTS_EVICTED_MAX_COUNT,
  ARTIFACTS_LISTED_MAX_COUNT,
} from "../limits.ts";
import type { ArtifactAmount, ArtifactRow, EvictedArtifact, ListedArtifact } from "./artifact-contract.ts";
import { evictedOf } from "./gone-artifact-store.ts";
import { numberOf, textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** What is booked, and when the first of it expires (or a time before that); `null` where nothing is. */
export interface BookedArtifacts extends ArtifactAmount {
  readonly nextExpiryMs: number | null;
  /** When the last of it expires, or a time after that. */
  readonly lastExpiryMs: number;
  /** Of the largest, or of one that was and is gone. */
  readonly largestBytes: number;
}

/** When a row of before that column was kept: all lived equally long then. */
const KEPT_AT = `coalesce(kept_at_ms, expires_at_ms - ${ARTIFACT_FIRST_LIFETIME_MS})`;

/**
 * The ledger of what was kept back for this principal: enough of each artifact to read any part of it at once. Rows that
 * have expired do not count, whether they were swept or not.
 */
export class ArtifactRowStore {
  readonly #sql: MeteredSql;
  /** Reckoned when first needed after a wake-up, which reads every row, and kept up from then on. */
  #booked: (BookedArtifacts & { readonly asOfMs: number }) | null = null;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  find(handle: string, nowMs: number): ArtifactRow | null {
    const [row] = this.#sql.run(
      `SELECT tool_id, media_type, size_bytes, lines, line_index, expires_at_ms, stored_as FROM artifacts
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
      ...(row["stored_as"] === null ? {} : { storedAs: textOf(row["stored_as"]) }),
    };
  }

  /** A handle names its content: a row that is there differs in where its bytes are, and in its times. The longer life stands. */
  write(row: ArtifactRow, nowMs: number): void {
    const [known] = this.#sql.run(
      "SELECT size_bytes, expires_at_ms FROM artifacts WHERE handle = ?",
      row.handle,
    );
    this.#sql.run(
      `INSERT INTO artifacts
         (handle, tool_id, media_type, size_bytes, lines, line_index, expires_at_ms, stored_as, kept_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (handle) DO UPDATE SET expires_at_ms = max(expires_at_ms, excluded.expires_at_ms),
         stored_as = iif(excluded.expires_at_ms >= expires_at_ms, excluded.stored_as, stored_as),
         kept_at_ms = excluded.kept_at_ms`,
      row.handle,
      row.toolId,
      row.mediaType,
      row.sizeBytes,
      row.lines,
      row.lineIndex,
      row.expiresAtMs,
      row.storedAs ?? null,
      nowMs,
    );
    const booked = this.#upToDate(nowMs);
    if (booked === null) return;
    const counts = known === undefined || numberOf(known["expires_at_ms"]) <= nowMs;
    this.#booked = {
      bytes: booked.bytes + (counts ? numberOf(known?.["size_bytes"] ?? row.sizeBytes) : 0),
      count: booked.count + (counts ? 1 : 0),
      nextExpiryMs: Math.min(booked.nextExpiryMs ?? row.expiresAtMs, row.expiresAtMs),
      lastExpiryMs: Math.max(booked.lastExpiryMs, row.expiresAtMs),
      largestBytes: Math.max(booked.largestBytes, row.sizeBytes),
      asOfMs: booked.asOfMs,
    };
  }

  /** All that has not expired. */
  booked(nowMs: number): BookedArtifacts {
    const known = this.#upToDate(nowMs);
    if (known !== null) return known;
    const [row] = this.#sql.run(
      `SELECT count(*) AS count, total(size_bytes) AS bytes, min(expires_at_ms) AS next,
         max(expires_at_ms) AS last, max(size_bytes) AS largest FROM artifacts
       WHERE expires_at_ms > ?`,
      nowMs,
    );
    const next = row?.["next"];
    this.#booked = {
      bytes: numberOf(row?.["bytes"]),
      count: numberOf(row?.["count"]),
      nextExpiryMs: typeof next === "number" ? next : null,
      lastExpiryMs: numberOf(row?.["last"]),
      largestBytes: numberOf(row?.["largest"]),
      asOfMs: nowMs,
    };
    return this.#booked;
  }

  /** The newest first, as an operator is shown them. */
  list(nowMs: number): readonly ListedArtifact[] {
    return this.#sql.run(
      `SELECT handle, tool_id, media_type, size_bytes, ${KEPT_AT} AS kept_ms, expires_at_ms FROM artifacts
       WHERE expires_at_ms > ? ORDER BY kept_ms DESC, handle LIMIT ?`,
      nowMs,
      ARTIFACTS_LISTED_MAX_COUNT,
    );
  }

  /** By when they were kept last, as many as may give way at once; `handles`: of these alone. Reading one does not count: it would cost a written row. */
  oldest(nowMs: number, handles: readonly string[] | null = null): EvictedArtifact[] {
    const rows = this.#sql.run(
      `SELECT handle, tool_id, size_bytes, stored_as, expires_at_ms FROM artifacts WHERE expires_at_ms > ?1
       AND (?2 IS NULL OR handle IN (SELECT value FROM json_each(?2))) ORDER BY ${KEPT_AT}, handle LIMIT ?3`,
      nowMs,
      handles === null ? null : JSON.stringify(handles),
      ARTIFACTS_EVICTED_MAX_COUNT,
    );
    return rows.map(evictedOf);
  }

  /** Removes artifacts that have not expired. */
  remove(artifacts: readonly EvictedArtifact[], nowMs: number): void {
    const handles = JSON.stringify(artifacts.map(({ handle }) => handle));
    this.#sql.run("DELETE FROM artifacts WHERE handle IN (SELECT value FROM json_each(?))", handles);
    const booked = this.#upToDate(nowMs);
    if (booked === null) return;
    const bytes = artifacts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.#booked = { ...booked, bytes: booked.bytes - bytes, count: booked.count - artifacts.length };
  }

  /** To be called when rows went some other way. */
  forgetBooked(): void {
    this.#booked = null;
  }

  /** What is booked, where that is known without reading every row. */
  known(nowMs: number): BookedArtifacts | null {
    return this.#upToDate(nowMs);
  }

  /** As long as nothing of it has expired, and, the clock having gone back, nothing may have come back. */
  #upToDate(nowMs: number): (BookedArtifacts & { readonly asOfMs: number }) | null {
    const known = this.#booked;
    const holds =
      known !== null && nowMs >= known.asOfMs && (known.nextExpiryMs === null || nowMs < known.nextExpiryMs);
    if (!holds) this.#booked = null;
    return this.#booked;
  }
}
