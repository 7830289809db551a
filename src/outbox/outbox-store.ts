import {
  DELIVERY_ENTRIES_MAX_COUNT,
  DELIVERY_MAX_CHARS,
  ENTRY_MAX_CHARS,
  OUTBOX_DROPPED_KEYS_MAX_COUNT,
  OUTBOX_REMEMBERED_MS,
  OUTBOX_ROWS_MAX_COUNT,
} from "../limits.ts";
import type { Delivery } from "./delivery.ts";
import { readEntry } from "./entry.ts";

/** What a column may hold. */
type SqlValue = ArrayBuffer | string | number | null;

/** The owner's SQL, as far as it is used here: one statement, run to its end. */
export interface OutboxSql {
  run(query: string, ...bindings: SqlValue[]): readonly Record<string, SqlValue>[];
}

/**
 * The tables, for the owner's migrations. Numbers need no counter: a row is deleted only after it was acknowledged, so the
 * greater of the last row's number and the last acknowledged one was given out last.
 */
export const OUTBOX_TABLES: readonly string[] = [
  `CREATE TABLE outbox (seq INTEGER PRIMARY KEY, key TEXT NOT NULL, entry TEXT NOT NULL,
     written_at_ms INTEGER NOT NULL)`,
  `CREATE TABLE outbox_source (one INTEGER PRIMARY KEY, epoch TEXT NOT NULL, acknowledged INTEGER NOT NULL,
     dropped INTEGER NOT NULL)`,
];

/** `known`: told before, and still remembered. `dropped`: there was no room, which the ledger is told. */
export type Written = "written" | "known" | "unreadable" | "dropped";

interface Source {
  readonly epoch: string;
  acknowledged: number;
  dropped: number;
}

/**
 * What an object has to tell the ledger, in rows, so that it is committed with whatever else the object's call writes.
 * Numbers begin at 1 with a new epoch and are never given out twice in it. A row stays until it is acknowledged, and
 * `OUTBOX_REMEMBERED_MS` beyond its writing, so that a telling that is repeated counts once.
 *
 * Synchronous throughout. The owner has made the tables before anything here is called, and calls `reset` after it has
 * deleted them; what is kept in memory is what the rows say.
 */
export class Outbox {
  readonly #sql: OutboxSql;
  readonly #sourceName: string;
  readonly #newEpoch: () => string;
  /** Read when first needed after a wake-up; `null` also where nothing was ever written. */
  #source: Source | null = null;
  /** The last number given out. */
  #highest: number | null = null;
  /** Keys of the rows: an index over them would cost a written row for each. */
  #keys: Set<string> | null = null;
  /** The last keys that found no room, in their order: a repetition of one is not lost again. */
  readonly #droppedKeys = new Set<string>();

  /** `sourceName`: no other object has it. `newEpoch`: a name that was never drawn before. */
  constructor(sql: OutboxSql, sourceName: string, newEpoch: () => string) {
    this.#sql = sql;
    this.#sourceName = sourceName;
    this.#newEpoch = newEpoch;
  }

  /** Keeps an entry, which `writeEntry` made, until the ledger has answered for it. */
  write(entryText: string, nowMs: number): Written {
    const entry = readEntry(entryText);
    if (!entry.ok) return "unreadable";
    const { key } = entry.value;
    const keys = this.#knownKeys();
    if (keys.has(key)) return "known";
    const source = this.#begin();
    if (this.#last() - source.acknowledged >= OUTBOX_ROWS_MAX_COUNT) {
      this.#drop(source, key);
      return "dropped";
    }
    const seq = this.#last() + 1;
    this.#sql.run(
      "INSERT INTO outbox (seq, key, entry, written_at_ms) VALUES (?, ?, ?, ?)",
      seq,
      key,
      entryText,
      nowMs,
    );
    this.#highest = seq;
    keys.add(key);
    return "written";
  }

  /** Whether something is left to deliver. */
  get pending(): boolean {
    const source = this.#read();
    return source !== null && this.#last() > source.acknowledged;
  }

  /** Since when the oldest entry that is left to deliver has waited; `null` where there is none. */
  get waitingSinceMs(): number | null {
    if (!this.pending) return null;
    const [row] = this.#sql.run(
      "SELECT written_at_ms FROM outbox WHERE seq > ? ORDER BY seq LIMIT 1",
      this.#read()?.acknowledged ?? 0,
    );
    return row === undefined ? null : numberOf(row["written_at_ms"]);
  }

  /** When the last of the rows may be forgotten, if all are acknowledged by then; `null` where there is none. */
  get forgottenAtMs(): number | null {
    const [row] = this.#sql.run("SELECT max(written_at_ms) AS last FROM outbox");
    return typeof row?.["last"] === "number" ? row["last"] + OUTBOX_REMEMBERED_MS : null;
  }

  /** The oldest entries that are left, in their order and within `DELIVERY_ENTRIES_MAX_COUNT` and `DELIVERY_MAX_CHARS`. */
  batch(): Delivery | null {
    const source = this.#read();
    if (source === null || !this.pending) return null;
    const rows = this.#sql.run(
      "SELECT seq, entry FROM outbox WHERE seq > ? ORDER BY seq LIMIT ?",
      source.acknowledged,
      DELIVERY_ENTRIES_MAX_COUNT,
    );
    const from = numberOf(rows[0]?.["seq"]);
    const entries: string[] = [];
    let chars = 0;
    for (const row of rows) {
      const entry = withinBounds(row["entry"]);
      chars += entry.length;
      if (row["seq"] !== from + entries.length) break;
      if (entries.length > 0 && chars > DELIVERY_MAX_CHARS) break;
      entries.push(entry);
    }
    if (entries.length === 0) return null;
    return {
      version: 1,
      source: `${this.#sourceName}/${source.epoch}`,
      from,
      entries,
      // All before the first that is left: what is gone can be waited for no more.
      acknowledged: from - 1,
      dropped: source.dropped,
    };
  }

  /** The ledger has answered for everything up to this number. */
  acknowledge(last: number): void {
    const source = this.#read();
    if (source === null) return;
    const known = Math.min(last, this.#last());
    if (known > source.acknowledged) this.#move(source, known);
  }

  /** The ledger has nothing from this number on: delivers again from there, as far as the rows are still here. */
  rewind(expected: number): void {
    const source = this.#read();
    if (source === null || expected > source.acknowledged) return;
    const [row] = this.#sql.run("SELECT seq FROM outbox WHERE seq >= ? ORDER BY seq LIMIT 1", expected);
    const back = row === undefined ? source.acknowledged : numberOf(row["seq"]) - 1;
    if (back < source.acknowledged) this.#move(source, back);
  }

  /** Deletes rows that are acknowledged and that no repetition can come for. */
  forget(nowMs: number): void {
    const source = this.#read();
    if (source === null) return;
    const gone = this.#sql.run(
      "DELETE FROM outbox WHERE seq <= ? AND written_at_ms <= ? RETURNING key",
      source.acknowledged,
      nowMs - OUTBOX_REMEMBERED_MS,
    );
    for (const { key } of gone) if (typeof key === "string") this.#keys?.delete(key);
  }

  /** To be called after the tables were deleted: what is written next is another source's. */
  reset(): void {
    this.#source = null;
    this.#highest = null;
    this.#keys = null;
    this.#droppedKeys.clear();
  }

  #drop(source: Source, key: string): void {
    if (this.#droppedKeys.has(key)) return;
    this.#sql.run("UPDATE outbox_source SET dropped = ?", source.dropped + 1);
    source.dropped += 1;
    this.#droppedKeys.add(key);
    for (const oldest of this.#droppedKeys)
      if (this.#droppedKeys.size > OUTBOX_DROPPED_KEYS_MAX_COUNT) this.#droppedKeys.delete(oldest);
  }

  #read(): Source | null {
    if (this.#source !== null) return this.#source;
    const [row] = this.#sql.run("SELECT epoch, acknowledged, dropped FROM outbox_source");
    if (row === undefined || typeof row["epoch"] !== "string") return null;
    this.#source = {
      epoch: row["epoch"],
      acknowledged: numberOf(row["acknowledged"]),
      dropped: numberOf(row["dropped"]),
    };
    return this.#source;
  }

  #begin(): Source {
    const known = this.#read();
    if (known !== null) return known;
    const source = { epoch: this.#newEpoch(), acknowledged: 0, dropped: 0 };
    this.#sql.run(
      "INSERT INTO outbox_source (one, epoch, acknowledged, dropped) VALUES (1, ?, 0, 0)",
      source.epoch,
    );
    this.#source = source;
    return source;
  }

  #move(source: Source, acknowledged: number): void {
    this.#sql.run("UPDATE outbox_source SET acknowledged = ?", acknowledged);
    source.acknowledged = acknowledged;
  }

  #last(): number {
    if (this.#highest !== null) return this.#highest;
    const [row] = this.#sql.run("SELECT max(seq) AS last FROM outbox");
    this.#highest = Math.max(numberOf(row?.["last"]), this.#read()?.acknowledged ?? 0);
    return this.#highest;
  }

  #knownKeys(): Set<string> {
    this.#keys ??= new Set(
      this.#sql.run("SELECT key FROM outbox").map(({ key }) => (typeof key === "string" ? key : "")),
    );
    return this.#keys;
  }
}

/** What a later version wrote may be longer than any delivery may carry; in its place the ledger counts an unreadable one. */
function withinBounds(entry: SqlValue | undefined): string {
  return typeof entry === "string" && entry.length <= ENTRY_MAX_CHARS ? entry : "";
}

function numberOf(value: SqlValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
