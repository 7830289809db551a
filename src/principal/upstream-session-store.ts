import { UPSTREAM_SESSIONS_MAX_COUNT } from "../limits.ts";
import type { UpstreamSession } from "./admit-contract.ts";
import { textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** Sessions that upstreams gave this principal, to be resumed with one request instead of initialised again. */
export class UpstreamSessionStore {
  readonly #sql: MeteredSql;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  find(key: string, nowMs: number): UpstreamSession | null {
    const [row] = this.#sql.run(
      "SELECT session_id, protocol_version FROM upstream_sessions WHERE key = ? AND expires_at_ms > ?",
      key,
      nowMs,
    );
    if (row === undefined) return null;
    return { key, sessionId: textOf(row["session_id"]), protocolVersion: textOf(row["protocol_version"]) };
  }

  /** The last one reported stands: two calls that both had to initialise leave one session unused, which is harmless. */
  write(session: UpstreamSession, expiresAtMs: number): void {
    this.#sql.run(
      `INSERT INTO upstream_sessions (key, session_id, protocol_version, expires_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id,
         protocol_version = excluded.protocol_version, expires_at_ms = excluded.expires_at_ms`,
      session.key,
      session.sessionId,
      session.protocolVersion,
      expiresAtMs,
    );
    this.#sql.run(
      `DELETE FROM upstream_sessions WHERE key NOT IN
         (SELECT key FROM upstream_sessions ORDER BY expires_at_ms DESC, key = ? DESC, key LIMIT ?)`,
      session.key,
      UPSTREAM_SESSIONS_MAX_COUNT,
    );
  }

  /** Forgets this very session: by now another call may have opened a good one under the same key. */
  remove(key: string, sessionId: string): void {
    this.#sql.run("DELETE FROM upstream_sessions WHERE key = ? AND session_id = ?", key, sessionId);
  }
}
