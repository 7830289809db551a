import type { Row, Sql, Statement } from "../server/ports.ts";

/** What one round trip read, as D1 counts and bills it. */
export type RowsReadListener = (rowsRead: number) => void;

/** Reading over D1: a batch is one round trip and one transaction, so its statements see one state. */
export class D1SqlStore implements Sql {
  readonly #db: D1Database;
  readonly #onRowsRead: RowsReadListener | undefined;

  constructor(db: D1Database, onRowsRead?: RowsReadListener) {
    this.#db = db;
    this.#onRowsRead = onRowsRead;
  }

  async read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    // D1 refuses an empty batch.
    if (statements.length === 0) return [];
    const results = await this.#db.batch<Row>(
      statements.map(({ sql, values }) => this.#db.prepare(sql).bind(...values)),
    );
    this.#onRowsRead?.(results.reduce((sum, { meta }) => sum + meta.rows_read, 0));
    return results.map((result) => result.results);
  }
}
