import { SWEEP_INTERVAL_SECONDS } from "../limits.ts";
import type { MeteredSql } from "./metered-sql-store.ts";
import { PrincipalSchema } from "./schema-store.ts";

const SWEEP_INTERVAL_MS = SWEEP_INTERVAL_SECONDS * 1000;

/** An object's tables and the alarm that deletes what has expired in them, and with the last row the object's storage. */
export class Housekeeping {
  readonly tables: PrincipalSchema;
  readonly #storage: DurableObjectStorage;
  readonly #sql: MeteredSql;
  /** The earliest expiry written by the call at hand, for the alarm. */
  #expiryWritten: number | null = null;
  /** When the alarm is set for, once known. */
  #alarmAtMs: number | null = null;

  constructor(storage: DurableObjectStorage, sql: MeteredSql) {
    this.tables = new PrincipalSchema(sql);
    this.#storage = storage;
    this.#sql = sql;
  }

  /** To be called before a row with this expiry is written: makes the tables, and the alarm that will delete it. */
  writeUntil(expiresAtMs: number): void {
    this.tables.ensure();
    this.#expiryWritten = Math.min(this.#expiryWritten ?? expiresAtMs, expiresAtMs);
  }

  /** Sets the alarm if what was written ends well before it, and says what the call cost. */
  async finish(nowMs: number): Promise<number> {
    const expiresAtMs = this.#expiryWritten;
    this.#expiryWritten = null;
    if (expiresAtMs !== null) {
      const wantedMs = Math.max(expiresAtMs, nowMs + SWEEP_INTERVAL_MS);
      this.#alarmAtMs ??= await this.#storage.getAlarm();
      if (this.#alarmAtMs === null || wantedMs < this.#alarmAtMs - SWEEP_INTERVAL_MS) {
        this.#alarmAtMs = wantedMs;
        this.#sql.count(1);
        await this.#storage.setAlarm(wantedMs);
      }
    }
    return this.#sql.takeRowsWritten();
  }

  async sweep(nowMs: number): Promise<void> {
    const next = this.tables.sweep(nowMs);
    this.#alarmAtMs = next === null ? null : Math.max(next, nowMs + SWEEP_INTERVAL_MS);
    if (this.#alarmAtMs !== null) return this.#storage.setAlarm(this.#alarmAtMs);
    const deleted = this.#storage.deleteAll();
    this.tables.forget();
    return deleted;
  }
}
