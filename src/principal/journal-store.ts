import { JOURNAL_ROWS_EVICTION_COUNT, JOURNAL_ROWS_MAX_COUNT } from "../limits.ts";
import { memberOf } from "../json.ts";
import { readReplayContract } from "../spine/replay/contract.ts";
import { type Execution, readExecution } from "../spine/replay/execution.ts";
import { attemptKey, type JournalAnswer, type JournalEntry } from "./journal.ts";
import { numberOf, textOf } from "./metered-sql-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** The answer stands last, so that a look for another column reads none of it. */
const COLUMNS =
  "key, attempt, fingerprint, contract, knowledge, replays, lease_ends_at_ms, expires_at_ms, tool_id, server, told, answer";

const FINISHED = "knowledge = 'completed'";
/** In flight is what was not reported on and whose lease has not run out: that is never forgotten. */
const UNKNOWN = "(knowledge = 'outcome_unknown' OR (knowledge = 'in_flight' AND lease_ends_at_ms <= ?))";
const UNTOLD = "knowledge = 'in_flight' AND told = 0";
const LAPSED = `${UNTOLD} AND lease_ends_at_ms <= ?`;

/** The journal as rows: a call writes its row once before it is sent, and once when it has ended. */
export class JournalStore {
  readonly #sql: MeteredSql;
  /** Rows, counted when first needed after a wake-up: a count reads them all. */
  #count: number | null = null;

  constructor(sql: MeteredSql) {
    this.#sql = sql;
  }

  /** By key, an expired one included. */
  find(key: string): JournalEntry | null {
    const [row] = this.#sql.run(`SELECT ${COLUMNS} FROM journal WHERE key = ?`, key);
    return row === undefined ? null : entryOf(row);
  }

  /** By the attempt that wrote it. A second index would cost a written row a call, so that reads them all, a bounded number. */
  findAttempt(attempt: string): JournalEntry | null {
    const unnamed = this.find(attemptKey(attempt));
    if (unnamed !== null) return unnamed;
    const [row] = this.#sql.run("SELECT key FROM journal WHERE attempt = ? LIMIT 1", attempt);
    return row === undefined ? null : this.find(textOf(row["key"]));
  }

  /**
   * Makes sure that one more row fits, and says whether it does. The oldest finished ones go first, many at once. Without
   * any of those an unknown outcome is forgotten, those last whose callers gave them a name: that call could run again.
   */
  makeRoom(nowMs: number): boolean {
    if (this.fits()) return true;
    this.#sql.run("DELETE FROM journal WHERE expires_at_ms <= ?", nowMs);
    this.#count = null;
    if (this.fits()) return true;
    this.#sql.run(
      `DELETE FROM journal WHERE key IN
         (SELECT key FROM journal WHERE ${FINISHED} ORDER BY key LIKE 'key:%', expires_at_ms, key LIMIT ?)`,
      JOURNAL_ROWS_EVICTION_COUNT,
    );
    this.#count = null;
    if (this.fits()) return true;
    this.#sql.run(
      `DELETE FROM journal WHERE key IN
         (SELECT key FROM journal WHERE ${UNKNOWN} ORDER BY key LIKE 'key:%', expires_at_ms, key LIMIT 1)`,
      nowMs,
    );
    this.#count = null;
    return this.fits();
  }

  /** When the first of the calls in flight is done for; what there is to wait for where no room can be made. */
  firstLeaseEndsAtMs(nowMs: number): number {
    const [row] = this.#sql.run(
      "SELECT min(lease_ends_at_ms) AS first FROM journal WHERE knowledge = 'in_flight' AND lease_ends_at_ms > ?",
      nowMs,
    );
    return numberOf(row?.["first"]);
  }

  /** Writes an entry for which there is room. */
  open(entry: JournalEntry): void {
    this.update(entry);
    // An upper bound: a row that was there counts twice until the next count.
    if (this.#count !== null) this.#count += 1;
  }

  update(entry: JournalEntry): void {
    const { execution, answer } = entry;
    this.#sql.run(
      `INSERT INTO journal (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET attempt = excluded.attempt, fingerprint = excluded.fingerprint,
         contract = excluded.contract, knowledge = excluded.knowledge, replays = excluded.replays,
         lease_ends_at_ms = excluded.lease_ends_at_ms, expires_at_ms = excluded.expires_at_ms,
         tool_id = excluded.tool_id, server = excluded.server, told = excluded.told, answer = excluded.answer`,
      entry.key,
      entry.attempt,
      entry.fingerprint,
      entry.contract,
      execution.knowledge,
      execution.attempts_used,
      entry.leaseEndsAtMs,
      entry.expiresAtMs,
      entry.toolId,
      entry.server,
      entry.told ? 1 : 0,
      answer === null ? null : JSON.stringify(answer),
    );
  }

  /** Calls that nobody has reported on within their lease, and that the ledger was not told of. */
  lapsed(nowMs: number): JournalEntry[] {
    return this.#sql.run(`SELECT ${COLUMNS} FROM journal WHERE ${LAPSED} ORDER BY key`, nowMs).map(entryOf);
  }

  /** When the first lease ends, or has ended, of a call that nobody has reported on and the ledger was not told of. */
  nextLapseMs(): number | null {
    const [row] = this.#sql.run(`SELECT min(lease_ends_at_ms) AS first FROM journal WHERE ${UNTOLD}`);
    return typeof row?.["first"] === "number" ? row["first"] : null;
  }

  /** A report of this attempt is waited for no longer than this. */
  shortenLease(key: string, endsAtMs: number): void {
    this.#sql.run(
      "UPDATE journal SET lease_ends_at_ms = ? WHERE key = ? AND knowledge = 'in_flight' AND lease_ends_at_ms > ?",
      endsAtMs,
      key,
      endsAtMs,
    );
  }

  markLapsedTold(nowMs: number): void {
    this.#sql.run(`UPDATE journal SET told = 1 WHERE ${LAPSED}`, nowMs);
  }

  markTold(key: string): void {
    this.#sql.run("UPDATE journal SET told = 1 WHERE key = ? AND told = 0", key);
  }

  remove(key: string): void {
    this.#sql.run("DELETE FROM journal WHERE key = ?", key);
    if (this.#count !== null) this.#count -= 1;
  }

  /** To be called when rows went some other way. */
  forgetCount(): void {
    this.#count = null;
  }

  /** Whether one more row fits. */
  fits(): boolean {
    if (this.#count === null) {
      const [row] = this.#sql.run("SELECT count(*) AS rows FROM journal");
      this.#count = numberOf(row?.["rows"]);
    }
    return this.#count < JOURNAL_ROWS_MAX_COUNT;
  }
}

type Row = Readonly<Record<string, SqlStorageValue>>;

function entryOf(row: Row): JournalEntry {
  const contract = readReplayContract(row["contract"]);
  return {
    key: textOf(row["key"]),
    attempt: textOf(row["attempt"]),
    fingerprint: textOf(row["fingerprint"]),
    // What this version cannot read was written by a newer one, and runs on no account.
    contract: contract.ok ? contract.value : "never_replay",
    execution: executionOf(row),
    leaseEndsAtMs: numberOf(row["lease_ends_at_ms"]),
    expiresAtMs: numberOf(row["expires_at_ms"]),
    answer: answerOf(row["answer"]),
    toolId: textOrNull(row["tool_id"]),
    server: textOrNull(row["server"]),
    told: row["told"] === 1,
  };
}

function textOrNull(value: SqlStorageValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

const UNREADABLE: Execution = { knowledge: "outcome_unknown", attempts_used: 0 };

function executionOf(row: Row): Execution {
  const read = readExecution({ knowledge: row["knowledge"], attempts_used: row["replays"] });
  return read.ok ? read.value : UNREADABLE;
}

function answerOf(value: SqlStorageValue | undefined): JournalAnswer | null {
  if (typeof value !== "string") return null;
  const answer: unknown = JSON.parse(value);
  const text = memberOf(answer, "text");
  if (typeof text === "string") return { text };
  const handle = memberOf(answer, "handle");
  return typeof handle === "string" ? { handle } : null;
}
