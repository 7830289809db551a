import { LEDGER_REFRESHES_MAX_COUNT } from "../limits.ts";
import { type RefreshRecord, refreshRecordSchema } from "../outbox/refresh-record.ts";
import { type LedgerSql, textOf } from "./ledger-schema-store.ts";

/** The last refresh of each configuration, of those that were told of last. */
export class RefreshRecordStore {
  readonly #sql: LedgerSql;

  constructor(sql: LedgerSql) {
    this.#sql = sql;
  }

  write(record: RefreshRecord): void {
    // The column orders what is kept: never before what was written earlier, whatever a clock that was set back says.
    this.#sql.run(
      `INSERT OR REPLACE INTO refreshes (config, refreshed_at_ms, record)
         SELECT ?, max(?, 1 + coalesce(max(refreshed_at_ms), 0)), ? FROM refreshes`,
      record.config,
      record.refreshed_at_ms,
      JSON.stringify(record),
    );
    this.#sql.run(
      `DELETE FROM refreshes WHERE config IN
         (SELECT config FROM refreshes ORDER BY refreshed_at_ms DESC, config LIMIT -1 OFFSET ?)`,
      LEDGER_REFRESHES_MAX_COUNT,
    );
  }

  /** What cannot be read is none: the next refresh writes it anew. */
  find(config: string): RefreshRecord | undefined {
    const row = this.#sql.first("SELECT record FROM refreshes WHERE config = ?", config);
    if (row === undefined) return undefined;
    try {
      return refreshRecordSchema.safeParse(JSON.parse(textOf(row, "record"))).data;
    } catch {
      return undefined;
    }
  }
}
