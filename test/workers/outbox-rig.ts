import { runInDurableObject } from "cloudflare:test";
import { Outbox, OUTBOX_TABLES, type OutboxSql } from "../../src/outbox/outbox-store.ts";
import { browsed, NOW_MS, textOf } from "../outbox/entry-kit.ts";
import { stubOf } from "./principal-client.ts";

/** An outbox over an object's real SQLite, which `evict` makes forget all that is not in its rows. */
export class OutboxRig {
  readonly sql: OutboxSql;
  rowsWritten = 0;
  #epochs = 0;
  #outbox: Outbox;

  constructor(sql: SqlStorage) {
    this.sql = {
      run: (query, ...bindings) => {
        const cursor = sql.exec(query, ...bindings);
        const rows = cursor.toArray();
        this.rowsWritten += cursor.rowsWritten;
        return rows;
      },
    };
    this.#outbox = this.#made();
    this.create();
  }

  get outbox(): Outbox {
    return this.#outbox;
  }

  create(): void {
    for (const name of ["outbox", "outbox_source"]) this.sql.run(`DROP TABLE IF EXISTS ${name}`);
    for (const table of OUTBOX_TABLES) this.sql.run(table);
    this.#outbox.reset();
  }

  evict(): void {
    this.#outbox = this.#made();
  }

  write(key: string, nowMs = NOW_MS) {
    return this.#outbox.write(textOf(browsed(key)), nowMs);
  }

  /** Rows behind the outbox's back, `count` of them from this number on. */
  fill(from: number, count: number, entry: string): void {
    this.sql.run(
      `WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO outbox (seq, key, entry, written_at_ms) SELECT i, 'filled' || i, ?, ? FROM n`,
      from,
      from + count - 1,
      entry,
      NOW_MS,
    );
    this.evict();
  }

  #made(): Outbox {
    return new Outbox(this.sql, "object", () => {
      this.#epochs += 1;
      return `epoch-${this.#epochs}`;
    });
  }
}

export const withRig = (test: (rig: OutboxRig) => Promise<void> | void) =>
  runInDurableObject(stubOf("outbox"), async (_, state) => test(new OutboxRig(state.storage.sql)));
