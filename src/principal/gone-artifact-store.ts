import {
  ARTIFACTS_GONE_REMEMBERED_COUNT,
  ARTIFACTS_HANDED_OUT_BEHIND_CALL_COUNT,
  ARTIFACTS_HANDED_OUT_RETRY_MS,
  JOURNAL_LEASE_MAX_MS,
} from "../limits.ts";
import type { ArtifactWriting, EvictedArtifact, GoneArtifact } from "./artifact-contract.ts";
import { numberOf, textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** Of those whose bytes stand still: the latest expiry, and when the next of them are to be deleted. */
interface Standing {
  readonly untilMs: number | null;
  readonly dueAtMs: number | null;
}

const STANDING = "removed = 0 AND expires_at_ms >";

/**
 * What gave way. Its bytes stay for as long as a call may be under way that found them standing and relies on them: when
 * such a call is settled, the artifact comes back. Calls that begin later are told not to rely on it. Then the bytes are
 * handed out to be deleted, again and again until somebody says that they are, and nothing brings that very writing back.
 * The handle is remembered until it would have expired, so that whoever asks for it can be told.
 */
export class GoneArtifactStore {
  readonly #sql: MeteredSql;
  #standing: Standing | undefined;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  /**
   * `handedOut`: whoever asked for it deletes the bytes now. Others stay for the longest lease: no call that found them standing
   * is under way any more.
   */
  add(artifacts: readonly EvictedArtifact[], nowMs: number, handedOut: boolean): void {
    if (artifacts.length === 0) return;
    this.#sql.run(
      `INSERT OR REPLACE INTO gone_artifacts
         (handle, tool_id, size_bytes, stored_as, gone_at_ms, due_at_ms, handed_out, removed, expires_at_ms)
       SELECT value ->> 'handle', value ->> 'toolId', value ->> 'sizeBytes', value ->> 'storedAs', ?, ?, ?, 0,
         value ->> 'expiresAtMs' FROM json_each(?)`,
      nowMs,
      nowMs + (handedOut ? ARTIFACTS_HANDED_OUT_RETRY_MS : JOURNAL_LEASE_MAX_MS),
      handedOut ? 1 : 0,
      JSON.stringify(artifacts),
    );
    this.#sql.run(
      `DELETE FROM gone_artifacts WHERE removed = 1 AND handle NOT IN
         (SELECT handle FROM gone_artifacts ORDER BY gone_at_ms DESC LIMIT ?)`,
      ARTIFACTS_GONE_REMEMBERED_COUNT,
    );
    this.#standing = undefined;
  }

  /** `isUnderWay`: a call is, which may have found the bytes. */
  find(handle: string, isUnderWay: boolean, nowMs: number): GoneArtifact | null {
    const [row] = this.#sql.run(
      "SELECT tool_id, handed_out, expires_at_ms FROM gone_artifacts WHERE handle = ? AND expires_at_ms > ?",
      handle,
      nowMs,
    );
    if (row === undefined) return null;
    const { tool_id, handed_out, expires_at_ms } = row;
    return {
      handle,
      toolId: textOf(tool_id),
      expiresAtMs: numberOf(expires_at_ms),
      mayReturn: isUnderWay && handed_out === 0,
    };
  }

  /** Up to which expiry nothing that is found standing is to be relied on; `null` where all of it is. */
  standsUntilMs(nowMs: number): number | null {
    return this.#look(nowMs).untilMs;
  }

  /** Kept again. False where its bytes are being deleted: this writing of them is not to be booked. */
  comesBack({ handle, expiresAtMs }: ArtifactWriting): boolean {
    const [row] = this.#sql.run(
      "SELECT handed_out, expires_at_ms FROM gone_artifacts WHERE handle = ?",
      handle,
    );
    if (row === undefined) return true;
    if (row["handed_out"] === 1 && numberOf(row["expires_at_ms"]) >= expiresAtMs) return false;
    this.#sql.run("DELETE FROM gone_artifacts WHERE handle = ?", handle);
    this.#standing = undefined;
    return true;
  }

  /** Those whose bytes are to be deleted now. Until they are said to be, they are handed out again some time later. */
  handOut(nowMs: number): EvictedArtifact[] {
    const { dueAtMs } = this.#look(nowMs);
    if (dueAtMs === null || dueAtMs > nowMs) return [];
    const rows = this.#sql.run(
      `UPDATE gone_artifacts SET handed_out = 1, due_at_ms = ? WHERE handle IN
         (SELECT handle FROM gone_artifacts WHERE due_at_ms <= ? AND ${STANDING} ? ORDER BY due_at_ms, handle LIMIT ?)
       RETURNING handle, tool_id, size_bytes, stored_as, expires_at_ms`,
      nowMs + ARTIFACTS_HANDED_OUT_RETRY_MS,
      nowMs,
      nowMs,
      ARTIFACTS_HANDED_OUT_BEHIND_CALL_COUNT,
    );
    this.#standing = undefined;
    return rows.map(evictedOf);
  }

  /** The bytes of these very writings are deleted: one of the same handle that gave way since is another. */
  markRemoved(writings: readonly ArtifactWriting[]): void {
    this.#sql.run(
      `UPDATE gone_artifacts SET removed = 1 WHERE handed_out = 1 AND (handle, expires_at_ms) IN
         (SELECT value ->> 'handle', value ->> 'expiresAtMs' FROM json_each(?))`,
      JSON.stringify(writings),
    );
    this.#standing = undefined;
  }

  /** To be called when rows went some other way. */
  forget(): void {
    this.#standing = undefined;
  }

  #look(nowMs: number): Standing {
    const known = this.#standing;
    if (known !== undefined && (known.untilMs === null || known.untilMs > nowMs)) return known;
    const [row] = this.#sql.run(
      `SELECT max(expires_at_ms) AS until, min(due_at_ms) AS due FROM gone_artifacts WHERE ${STANDING} ?`,
      nowMs,
    );
    const [until, due] = [row?.["until"], row?.["due"]];
    this.#standing = {
      untilMs: typeof until === "number" ? until : null,
      dueAtMs: typeof due === "number" ? due : null,
    };
    return this.#standing;
  }
}

/** Of a row of either table. */
export function evictedOf(row: Readonly<Record<string, SqlStorageValue>>): EvictedArtifact {
  return {
    handle: textOf(row["handle"]),
    toolId: textOf(row["tool_id"]),
    sizeBytes: numberOf(row["size_bytes"]),
    expiresAtMs: numberOf(row["expires_at_ms"]),
    storedAs: row["stored_as"] === null ? undefined : textOf(row["stored_as"]),
  };
}
