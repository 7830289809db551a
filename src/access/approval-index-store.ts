import { APPROVALS_PAGE_MAX_COUNT, APPROVALS_PER_PRINCIPAL_MAX_COUNT } from "../limits.ts";

const APPROVAL_STATES = ["pending", "granted", "refused", "used"] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A call that waits for a person, as it is written down. Times are milliseconds since 1970. */
export interface ApprovalRequest {
  readonly id: string;
  readonly principal: string;
  readonly metaTool: string;
  readonly toolId: string;
  readonly server: string;
  /** The rule's own words, if it has any. */
  readonly reason: string | null;
  /** JSON, redacted. */
  readonly arguments: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
}

/** As it is listed. The state is this index's word: the principal's object may be one decision or the call's run ahead. */
export interface ApprovalRow extends ApprovalRequest {
  readonly state: ApprovalState;
  readonly decidedAtMs: number | null;
}

/** Where a page of the list ends, and the next one begins. */
export interface ApprovalPosition {
  readonly requestedAtMs: number;
  readonly id: string;
}

const WRITTEN =
  "id, principal, meta_tool, tool_id, server, reason, arguments, requested_at_ms, expires_at_ms";
const COLUMNS = `${WRITTEN}, state, decided_at_ms`;

/**
 * The approvals of all principals in D1, for an operator to list and to find by id. It grants nothing: a row is written
 * after the principal's object has the approval, and changes after the object has decided. A row that a failure lost comes
 * back when the call is repeated.
 */
export class ApprovalIndexStore {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Writes a request down, or, one that is known, that it was made again: what has been decided stays. Expired rows go, and
   * of the principal's rows those beyond `APPROVALS_PER_PRINCIPAL_MAX_COUNT`, what is done for and then the longest unasked
   * first, so that nobody's requests bury another's. A grant stays: it can be taken back until the call has run. `supersedes`
   * wait no more in its place.
   */
  async record(request: ApprovalRequest, nowMs: number, supersedes: readonly string[] = []): Promise<void> {
    const { id, principal, metaTool, toolId, server, reason, requestedAtMs, expiresAtMs } = request;
    await this.#db.batch([
      this.#sweep(nowMs),
      this.#db
        .prepare(
          `DELETE FROM approvals WHERE principal = ? AND state = 'pending' AND id IN (SELECT value FROM json_each(?))`,
        )
        .bind(principal, JSON.stringify(supersedes)),
      this.#db
        .prepare(
          // An id belongs to the principal whose object made it.
          `INSERT INTO approvals (${WRITTEN}, asked_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET asked_at_ms = excluded.asked_at_ms, expires_at_ms = excluded.expires_at_ms
          WHERE principal = excluded.principal`,
        )
        .bind(
          id,
          principal,
          metaTool,
          toolId,
          server,
          reason,
          request.arguments,
          requestedAtMs,
          expiresAtMs,
          nowMs,
        ),
      this.#db
        .prepare(
          `DELETE FROM approvals WHERE id IN (SELECT id FROM approvals WHERE principal = ?
          ORDER BY state = 'granted' DESC, state = 'pending' DESC, asked_at_ms DESC, requested_at_ms DESC, id DESC LIMIT -1 OFFSET ?)`,
        )
        .bind(principal, APPROVALS_PER_PRINCIPAL_MAX_COUNT),
    ]);
  }

  /**
   * What has not expired, the newest first, at most `APPROVALS_PAGE_MAX_COUNT` of it. `next` is where to go on, `null` at
   * the end; it holds although the row that it names be gone.
   */
  async list(
    nowMs: number,
    limit: number,
    after?: ApprovalPosition,
  ): Promise<{ readonly approvals: readonly ApprovalRow[]; readonly next: ApprovalPosition | null }> {
    const size = Math.max(1, Math.min(limit, APPROVALS_PAGE_MAX_COUNT));
    const from = after ?? { requestedAtMs: Number.MAX_SAFE_INTEGER, id: "" };
    const [, page] = await this.#db.batch<Record<string, unknown>>([
      this.#sweep(nowMs),
      this.#db
        .prepare(
          `SELECT ${COLUMNS} FROM approvals WHERE (requested_at_ms, id) < (?, ?) AND expires_at_ms > ?
          ORDER BY requested_at_ms DESC, id DESC LIMIT ?`,
        )
        .bind(from.requestedAtMs, from.id, nowMs, size + 1),
    ]);
    const rows = (page?.results ?? []).map(readRow).filter((row) => row !== null);
    const approvals = rows.slice(0, size);
    const last = rows.length > size ? approvals.at(-1) : undefined;
    return {
      approvals,
      next: last === undefined ? null : { requestedAtMs: last.requestedAtMs, id: last.id },
    };
  }

  /** One that has not expired. */
  async find(id: string, nowMs: number): Promise<ApprovalRow | null> {
    const row = await this.#db
      .prepare(`SELECT ${COLUMNS} FROM approvals WHERE id = ? AND expires_at_ms > ?`)
      .bind(id, nowMs)
      .first();
    return row === null ? null : readRow(row);
  }

  /**
   * Writes down what the principal's object said of an approval that was found as `seen`; when the same was said before,
   * its time stands. That the call has run is the last word. `false`: another answer of the object's was written down in
   * between, and nobody can tell here which came first. The row then says neither, until somebody asks again.
   */
  async mark(
    seen: ApprovalRow,
    state: Exclude<ApprovalState, "pending">,
    expiresAtMs: number,
    nowMs: number,
  ): Promise<boolean> {
    const [marked] = await this.#db.batch([
      this.#db
        .prepare(
          `UPDATE approvals SET state = ?1, expires_at_ms = ?2,
          decided_at_ms = CASE WHEN ?1 IN (state, 'used') THEN coalesce(decided_at_ms, ?3) ELSE ?3 END
          WHERE id = ?4 AND (state IN (?1, ?5) OR ?1 = 'used')`,
        )
        .bind(state, expiresAtMs, nowMs, seen.id, seen.state),
      this.#db
        .prepare(
          `UPDATE approvals SET state = 'pending', decided_at_ms = NULL WHERE id = ? AND state NOT IN (?, 'used')`,
        )
        .bind(seen.id, state),
    ]);
    return marked !== undefined && marked.meta.changes > 0;
  }

  /** Takes one out that the principal's object does not have, or no more. */
  async remove(id: string): Promise<void> {
    await this.#db.prepare("DELETE FROM approvals WHERE id = ?").bind(id).run();
  }

  #sweep(nowMs: number): D1PreparedStatement {
    return this.#db.prepare("DELETE FROM approvals WHERE expires_at_ms <= ?").bind(nowMs);
  }
}

function readRow(row: Record<string, unknown>): ApprovalRow | null {
  const { id, principal, meta_tool, tool_id, server, reason, requested_at_ms, expires_at_ms } = row;
  if (typeof id !== "string" || typeof principal !== "string" || typeof row["arguments"] !== "string")
    return null;
  if (typeof meta_tool !== "string" || typeof tool_id !== "string" || typeof server !== "string") return null;
  if (typeof requested_at_ms !== "number" || typeof expires_at_ms !== "number") return null;
  const state = APPROVAL_STATES.find((known) => known === row["state"]);
  if (state === undefined) return null;
  const decided = row["decided_at_ms"];
  return {
    id,
    principal,
    metaTool: meta_tool,
    toolId: tool_id,
    server,
    reason: typeof reason === "string" ? reason : null,
    arguments: row["arguments"],
    requestedAtMs: requested_at_ms,
    expiresAtMs: expires_at_ms,
    state,
    decidedAtMs: typeof decided === "number" ? decided : null,
  };
}
