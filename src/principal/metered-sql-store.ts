/** SQL whose written rows are counted: they are what an object's storage costs. */
export class MeteredSql {
  readonly #sql: SqlStorage;
  #rowsWritten = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Runs one statement to its end and gives its rows. */
  run(query: string, ...bindings: SqlStorageValue[]): readonly Record<string, SqlStorageValue>[] {
    const cursor = this.#sql.exec<Record<string, SqlStorageValue>>(query, ...bindings);
    const rows = cursor.toArray();
    this.#rowsWritten += cursor.rowsWritten;
    return rows;
  }

  /** Counts a row that the platform writes outside SQL: an alarm. */
  count(rows: number): void {
    this.#rowsWritten += rows;
  }

  /** The rows written since the last time this was asked. */
  takeRowsWritten(): number {
    const rows = this.#rowsWritten;
    this.#rowsWritten = 0;
    return rows;
  }
}

export function textOf(value: SqlStorageValue | undefined): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: SqlStorageValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
