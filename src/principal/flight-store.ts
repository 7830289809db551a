import { FLIGHTS_MAX_COUNT } from "../limits.ts";
import { readReplayContract, type ReplayContract } from "../spine/replay/contract.ts";
import { numberOf, textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** A call that is under way. */
export interface Flight {
  readonly attempt: string;
  /** Whose request key it is. */
  readonly scope: string;
  readonly requestKey: string;
  readonly upstream: string;
  readonly server: string;
  readonly target: string;
  readonly requestId: string;
  readonly session: FlightSession | null;
  readonly cancelled: boolean;
  /** The end of its lease. */
  readonly expiresAtMs: number;
}

/** What is known of a call that nobody has reported on. */
export interface LostFlight extends Pick<Flight, "attempt" | "server" | "cancelled"> {
  readonly toolId: string;
  readonly contract: ReplayContract;
}

export interface FlightSession {
  /** Empty where the upstream keeps none. */
  readonly sessionId: string;
  readonly protocolVersion: string;
}

const COLUMNS =
  "attempt, scope, request_key, upstream, server, target, request_id, session_id, protocol_version, cancelled, expires_at_ms";

/**
 * Calls under way as rows, one written before a call is sent and deleted when it is settled. They are kept by attempt, since
 * every call is settled and few are cancelled: a look for a request key reads them all, a bounded number.
 */
export class FlightStore {
  readonly #sql: MeteredSql;
  /** Rows, or more, counted when first needed after a wake-up. */
  #count: number | null = null;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  find(attempt: string, nowMs: number): Flight | null {
    const [row] = this.#sql.run(
      `SELECT ${COLUMNS} FROM flights WHERE attempt = ? AND expires_at_ms > ?`,
      attempt,
      nowMs,
    );
    return row === undefined ? null : flightOf(row);
  }

  ofRequest(scope: string, requestKey: string, nowMs: number): Flight[] {
    return this.#sql
      .run(
        `SELECT ${COLUMNS} FROM flights WHERE request_key = ? AND scope = ? AND expires_at_ms > ?`,
        requestKey,
        scope,
        nowMs,
      )
      .map(flightOf);
  }

  /** Writes a call that is new, for which there is room; one that is known stays as it is. */
  open(flight: Flight, toolId: string | null, contract: ReplayContract | null): void {
    const written = this.#sql.run(
      `INSERT INTO flights (${COLUMNS}, tool_id, contract) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (attempt) DO NOTHING RETURNING attempt`,
      flight.attempt,
      flight.scope,
      flight.requestKey,
      flight.upstream,
      flight.server,
      flight.target,
      flight.requestId,
      flight.session?.sessionId ?? null,
      flight.session?.protocolVersion ?? null,
      flight.cancelled ? 1 : 0,
      flight.expiresAtMs,
      toolId,
      contract,
    );
    if (this.#count !== null) this.#count += written.length;
  }

  note(attempt: string, requestId: string, session: FlightSession | null): void {
    this.#sql.run(
      "UPDATE flights SET request_id = ?, session_id = ?, protocol_version = ? WHERE attempt = ?",
      requestId,
      session?.sessionId ?? null,
      session?.protocolVersion ?? null,
      attempt,
    );
  }

  markCancelled(attempt: string): void {
    this.#sql.run("UPDATE flights SET cancelled = 1 WHERE attempt = ? AND cancelled = 0", attempt);
  }

  /** Gives whether it was marked as cancelled. */
  remove(attempt: string): boolean {
    const removed = this.#sql.run("DELETE FROM flights WHERE attempt = ? RETURNING cancelled", attempt);
    if (this.#count !== null) this.#count -= removed.length;
    return removed[0]?.["cancelled"] === 1;
  }

  /** Those whose lease has run out, in no order that means anything but always the same. */
  lost(nowMs: number): LostFlight[] {
    return this.#sql
      .run(
        `SELECT attempt, server, cancelled, tool_id, contract FROM flights
         WHERE expires_at_ms <= ? AND tool_id IS NOT NULL ORDER BY attempt`,
        nowMs,
      )
      .map((row) => {
        const contract = readReplayContract(row["contract"]);
        return {
          attempt: textOf(row["attempt"]),
          server: textOf(row["server"]),
          cancelled: row["cancelled"] === 1,
          toolId: textOf(row["tool_id"]),
          contract: contract.ok ? contract.value : "never_replay",
        };
      });
  }

  removeLost(nowMs: number): void {
    this.#sql.run("DELETE FROM flights WHERE expires_at_ms <= ?", nowMs);
    this.#count = null;
  }

  /** To be called when rows went some other way. */
  forgetCount(): void {
    this.#count = null;
  }

  /** Whether one more row fits. */
  fits(): boolean {
    return this.#counted() < FLIGHTS_MAX_COUNT;
  }

  #counted(): number {
    if (this.#count === null) {
      const [row] = this.#sql.run("SELECT count(*) AS rows FROM flights");
      this.#count = numberOf(row?.["rows"]);
    }
    return this.#count;
  }
}

function flightOf(row: Readonly<Record<string, SqlStorageValue>>): Flight {
  const sessionId = row["session_id"];
  return {
    attempt: textOf(row["attempt"]),
    scope: textOf(row["scope"]),
    requestKey: textOf(row["request_key"]),
    upstream: textOf(row["upstream"]),
    server: textOf(row["server"]),
    target: textOf(row["target"]),
    requestId: textOf(row["request_id"]),
    session:
      typeof sessionId === "string" ? { sessionId, protocolVersion: textOf(row["protocol_version"]) } : null,
    cancelled: row["cancelled"] === 1,
    expiresAtMs: numberOf(row["expires_at_ms"]),
  };
}
