import { APPROVALS_CLOSED_MAX_COUNT, APPROVALS_OPEN_MAX_COUNT } from "../limits.ts";
import type { Approval, ApprovalState } from "./approvals.ts";
import { numberOf, textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

const COLUMNS = "id, state, created_at_ms, created_by, used_by, expires_at_ms";
/** A pending one that gave way is asked again by the call's repetition; for a granted one a person would be asked twice. */
const OPEN_FIRST_TO_GO = "state = 'granted', created_at_ms, id";
/** A refusal still holds calls back; a used one is only remembered. */
const CLOSED_FIRST_TO_GO = "state = 'refused', expires_at_ms, id";

/** Approvals by what they bind, a hash: nothing of a call's arguments is here. */
export class ApprovalStore {
  readonly #sql: MeteredSql;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  /** Those of one binding, expired ones included. */
  ofBinding(binding: string): Approval[] {
    return this.#sql
      .run(`SELECT ${COLUMNS} FROM approvals WHERE binding = ? ORDER BY id`, binding)
      .map(approvalOf);
  }

  /** By id, which an operator knows: that reads them all, a bounded number. */
  find(id: string): { readonly binding: string; readonly approval: Approval } | null {
    const [row] = this.#sql.run(`SELECT binding, ${COLUMNS} FROM approvals WHERE id = ?`, id);
    return row === undefined ? null : { binding: textOf(row["binding"]), approval: approvalOf(row) };
  }

  /**
   * Writes a new one. Expired ones go, and those that wait for the same call as it was: at another target, or by another schema.
   * Of the open ones the oldest pending gives way, of the closed the first to expire. Gives the ids that wait no more.
   */
  insert(binding: string, call: string, approval: Approval, nowMs: number): string[] {
    this.#sql.run("DELETE FROM approvals WHERE expires_at_ms <= ?", nowMs);
    const superseded = this.#sql.run(
      "DELETE FROM approvals WHERE call = ? AND state = 'pending' AND binding <> ? RETURNING id",
      call,
      binding,
    );
    this.#makeRoom("'pending', 'granted'", OPEN_FIRST_TO_GO, APPROVALS_OPEN_MAX_COUNT - 1);
    this.#makeRoom("'refused', 'used'", CLOSED_FIRST_TO_GO, APPROVALS_CLOSED_MAX_COUNT);
    this.#sql.run(
      `INSERT INTO approvals (binding, call, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      binding,
      call,
      approval.id,
      approval.state,
      approval.createdAtMs,
      approval.createdBy,
      approval.usedBy,
      approval.expiresAtMs,
    );
    return superseded.map(({ id }) => textOf(id));
  }

  update(binding: string, { id, state, usedBy, expiresAtMs }: Approval): void {
    this.#sql.run(
      "UPDATE approvals SET state = ?, used_by = ?, expires_at_ms = ? WHERE binding = ? AND id = ?",
      state,
      usedBy,
      expiresAtMs,
      binding,
      id,
    );
  }

  /** Only a new row can be one too many: what is decided or used was a row before. */
  #makeRoom(states: string, firstToGo: string, kept: number): void {
    const [row] = this.#sql.run(`SELECT count(*) AS rows FROM approvals WHERE state IN (${states})`);
    const surplus = numberOf(row?.["rows"]) - kept;
    if (surplus <= 0) return;
    this.#sql.run(
      `DELETE FROM approvals WHERE (binding, id) IN
         (SELECT binding, id FROM approvals WHERE state IN (${states}) ORDER BY ${firstToGo} LIMIT ?)`,
      surplus,
    );
  }
}

function approvalOf(row: Readonly<Record<string, SqlStorageValue>>): Approval {
  return {
    id: textOf(row["id"]),
    state: stateOf(row["state"]),
    createdAtMs: numberOf(row["created_at_ms"]),
    expiresAtMs: numberOf(row["expires_at_ms"]),
    createdBy: textOrNull(row["created_by"]),
    usedBy: textOrNull(row["used_by"]),
  };
}

/** A state that this version does not know lets nothing run. */
function stateOf(value: SqlStorageValue | undefined): ApprovalState {
  return value === "pending" || value === "granted" || value === "used" ? value : "refused";
}

function textOrNull(value: SqlStorageValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}
