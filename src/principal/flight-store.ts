import { FLIGHT_ROWS_MAX_COUNT, FLIGHTS_MAX_COUNT } from "../limits.ts";
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

/** What is known of a call that is over. */
export interface Landing {
  /** Its caller had taken it back. */
  readonly cancelled: boolean;
  /** The ledger was told of it in its Worker's place. */
  readonly told: boolean;
}

export interface FlightSession {
  /** Empty where the upstream keeps none. */
  readonly sessionId: string;
  readonly protocolVersion: string;
}

/** Rows, and those of them that were told of. */
interface Counted {
  readonly rows: number;
  readonly told: number;
}

const COLUMNS =
  "attempt, scope, request_key, upstream, server, target, request_id, session_id, protocol_version, cancelled, expires_at_ms";

/** Until when a report is waited for: of a call that was taken back, not as long as it may run. */
const ENDS_AT_MS = "coalesce(ends_at_ms, expires_at_ms)";
/** Of whom nobody has told what became of them, and somebody is to. */
const UNTOLD = "told = 0 AND tool_id IS NOT NULL";

/**
 * Calls under way as rows, one written before a call is sent and deleted when it is settled. They are kept by attempt, since
 * every call is settled and few are cancelled: a look for a request key reads them all, a bounded number. One that was taken
 * back stays until its deadline, so that its Worker, if it lives, hears of that whenever it asks.
 */
export class FlightStore {
  readonly #sql: MeteredSql;
  /** As many, or more, counted when first needed after a wake-up. */
  #count: Counted | null = null;

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
        `SELECT ${COLUMNS} FROM flights WHERE request_key = ? AND scope = ? AND ${ENDS_AT_MS} > ?`,
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
    if (this.#count !== null) this.#count = { ...this.#count, rows: this.#count.rows + written.length };
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

  markCancelled(attempt: string, endsAtMs: number): void {
    this.#sql.run(
      "UPDATE flights SET cancelled = 1, ends_at_ms = min(expires_at_ms, ?) WHERE attempt = ? AND cancelled = 0",
      endsAtMs,
      attempt,
    );
  }

  /** Gives what was known of it; `null` where it is not known. */
  remove(attempt: string): Landing | null {
    const removed = this.#sql.run("DELETE FROM flights WHERE attempt = ? RETURNING cancelled, told", attempt);
    const [row] = removed;
    if (row === undefined) return null;
    const told = row["told"] === 1;
    if (this.#count !== null) {
      this.#count = { rows: this.#count.rows - 1, told: this.#count.told - (told ? 1 : 0) };
    }
    return { cancelled: row["cancelled"] === 1, told };
  }

  /** When the first of those is done for that are to be told of; `null` where there is none. */
  nextLapseMs(): number | null {
    const [row] = this.#sql.run(`SELECT min(${ENDS_AT_MS}) AS first FROM flights WHERE ${UNTOLD}`);
    return typeof row?.["first"] === "number" ? row["first"] : null;
  }

  /** When the first of all is over at the latest. */
  firstEndMs(): number {
    const [row] = this.#sql.run("SELECT min(expires_at_ms) AS first FROM flights");
    return numberOf(row?.["first"]);
  }

  /** Those whose lease has run out, in no order that means anything but always the same. */
  lost(nowMs: number): LostFlight[] {
    return this.#sql
      .run(
        `SELECT attempt, server, cancelled, tool_id, contract FROM flights
         WHERE ${ENDS_AT_MS} <= ? AND ${UNTOLD} ORDER BY attempt`,
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

  /** Those are told of, and forgotten where nobody can ask about them any more. */
  endLost(nowMs: number): void {
    this.#sql.run("DELETE FROM flights WHERE expires_at_ms <= ?", nowMs);
    this.#sql.run(`UPDATE flights SET told = 1 WHERE ${ENDS_AT_MS} <= ? AND ${UNTOLD}`, nowMs);
    this.#count = null;
  }

  has(attempt: string): boolean {
    return this.#sql.run("SELECT 1 FROM flights WHERE attempt = ?", attempt).length > 0;
  }

  /** To be called when rows went some other way. */
  forgetCount(): void {
    this.#count = null;
  }

  /** Whether one more row fits. One that was told of waits for its Worker alone, and takes the room of a row, not of a call. */
  fits(): boolean {
    const { rows, told } = this.#counted();
    return rows - told < FLIGHTS_MAX_COUNT && rows < FLIGHT_ROWS_MAX_COUNT;
  }

  #counted(): Counted {
    if (this.#count === null) {
      const [row] = this.#sql.run("SELECT count(*) AS rows, coalesce(sum(told), 0) AS told FROM flights");
      this.#count = { rows: numberOf(row?.["rows"]), told: numberOf(row?.["told"]) };
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
