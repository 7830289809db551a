import { EVENTS_KEPT_MAX_COUNT } from "../limits.ts";
import type { KeptEvent } from "./accounts.ts";
import type { EventFilter, EventPage, EventWindow } from "./ledger-contract.ts";
import { type LedgerSql, numberOf, textOf } from "./ledger-schema-store.ts";

/** The newest events, numbered as they came. */
export class EventStore {
  readonly #sql: LedgerSql;

  constructor(sql: LedgerSql) {
    this.#sql = sql;
  }

  append(events: readonly KeptEvent[]): void {
    if (events.length === 0) return;
    let number = this.#newest();
    for (const { atMs, name, line } of events) {
      number += 1;
      this.#sql.run(
        "INSERT INTO events (number, at_ms, name, line) VALUES (?, ?, ?, ?)",
        number,
        atMs,
        name,
        line,
      );
    }
    this.#sql.run("DELETE FROM events WHERE number <= ?", number - EVENTS_KEPT_MAX_COUNT);
  }

  page({ after, sinceMs, names }: EventFilter, limit: number): EventPage {
    const oldest = numberOf(this.#sql.first("SELECT min(number) AS oldest FROM events"), "oldest");
    const newest = this.#newest();
    // Numbers begin at 1 in each ledger: a cursor beyond them was given by one that is gone.
    const from = after > newest ? 0 : after;
    const named = names === null ? "" : `AND name IN (${names.map(() => "?").join(", ")})`;
    const rows = this.#sql.run(
      `SELECT number, line FROM events WHERE number > ? AND at_ms >= ? ${named} ORDER BY number LIMIT ?`,
      from,
      sinceMs ?? 0,
      ...(names ?? []),
      limit + 1,
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      lines: shown.map((row) => textOf(row, "line")),
      cursor: last === undefined ? newest : numberOf(last, "number"),
      more: rows.length > shown.length,
      missed: Math.max(0, oldest - 1 - from),
    };
  }

  window(): EventWindow {
    const oldest = this.#sql.first("SELECT number, at_ms FROM events ORDER BY number LIMIT 1");
    const newest = this.#sql.first("SELECT number, at_ms FROM events ORDER BY number DESC LIMIT 1");
    if (oldest === undefined || newest === undefined) return { kept: 0, oldestMs: null, newestMs: null };
    return {
      kept: numberOf(newest, "number") - numberOf(oldest, "number") + 1,
      oldestMs: numberOf(oldest, "at_ms"),
      newestMs: numberOf(newest, "at_ms"),
    };
  }

  #newest(): number {
    return numberOf(this.#sql.first("SELECT max(number) AS newest FROM events"), "newest");
  }
}
