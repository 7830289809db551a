import {
  OUTBOX_REMEMBERED_MS,
  OUTBOX_SHIP_DELAY_MAX_MS,
  OUTBOX_SHIP_DELAY_MS,
  SWEEP_INTERVAL_SECONDS,
} from "../limits.ts";
import type { LedgerDoor } from "../outbox/delivery.ts";
import type { Outbox } from "../outbox/outbox-store.ts";
import { ship } from "../outbox/ship.ts";
import type { MeteredSql } from "./metered-sql-store.ts";
import { PrincipalSchema } from "./schema-store.ts";

const SWEEP_INTERVAL_MS = SWEEP_INTERVAL_SECONDS * 1000;
const NEVER = Infinity;

/**
 * An object's tables, and its one alarm. That alarm ships what the ledger is to be told, and deletes what has expired, and
 * with the last row the object's storage: never while something is left to ship.
 */
export class Housekeeping {
  readonly tables: PrincipalSchema;
  readonly #storage: DurableObjectStorage;
  readonly #sql: MeteredSql;
  readonly #outbox: Outbox;
  /** The earliest expiry written by the call at hand, for the alarm. */
  #expiryWritten: number | null = null;
  /** Whether the call at hand has left the first entry to ship. */
  #shippingAsked = false;
  /** When the alarm is set for, once known; `null`: it is not set. */
  #alarmAtMs: number | null | undefined;
  /** When the next sweep is due. Where that is not known, the next alarm sweeps. */
  #sweepAtMs: number | undefined;

  constructor(storage: DurableObjectStorage, sql: MeteredSql, outbox: Outbox) {
    this.tables = new PrincipalSchema(sql);
    this.#storage = storage;
    this.#sql = sql;
    this.#outbox = outbox;
  }

  /**
   * To be awaited by a call before anything else: it learns when the alarm is set for, so that from there on the call needs no
   * `await` before its alarm is set, and rows and alarm are committed together.
   */
  async wake(nowMs: number): Promise<void> {
    if (this.#alarmAtMs !== undefined) return;
    const alarmAtMs = await this.#storage.getAlarm();
    if (this.#alarmAtMs !== undefined) return;
    this.#alarmAtMs = alarmAtMs;
    if (!this.#pending) {
      this.#sweepAtMs = alarmAtMs ?? (this.tables.exists ? undefined : NEVER);
    } else if (alarmAtMs === null || alarmAtMs > nowMs + OUTBOX_SHIP_DELAY_MAX_MS) {
      // The platform gave up on an alarm that died again and again.
      this.#shippingAsked = true;
    }
  }

  /** To be called before a row with this expiry is written: makes the tables, and the alarm that will delete it. */
  writeUntil(expiresAtMs: number): void {
    this.tables.ensure();
    this.#expiryWritten = Math.min(this.#expiryWritten ?? expiresAtMs, expiresAtMs);
  }

  /** Puts an entry that can be read into the outbox, with the alarm that ships it. One that is known changes nothing. */
  tell(entryText: string, nowMs: number): void {
    this.writeUntil(nowMs + OUTBOX_REMEMBERED_MS);
    // Where something waits already, its alarm is set: while the ledger is away a new entry must not hurry it.
    const waited = this.#outbox.pending;
    if (this.#outbox.write(entryText, nowMs) === "written" && !waited) this.#shippingAsked = true;
  }

  /** Sets the alarm if what was written needs it well before it is set for, and says what the call cost. */
  async finish(nowMs: number): Promise<number> {
    const sweepMs = this.#takeSweep(nowMs);
    const shipMs = this.#shippingAsked ? nowMs + OUTBOX_SHIP_DELAY_MS : NEVER;
    this.#shippingAsked = false;
    const setMs = this.#alarmAtMs ?? NEVER;
    if (shipMs < setMs) await this.#setAlarm(shipMs);
    else if (sweepMs < setMs - SWEEP_INTERVAL_MS) await this.#setAlarm(sweepMs);
    return this.#sql.takeRowsWritten();
  }

  /** The alarm has gone off. Whether it is (also) a sweep's: without anything to ship it can be nothing else. */
  alarmFired(nowMs: number): boolean {
    this.#alarmAtMs = null;
    return !this.#pending || (this.#sweepAtMs ?? 0) <= nowMs;
  }

  /** Deletes what has expired. */
  sweep(nowMs: number): void {
    const next = Math.min(this.tables.sweep(nowMs) ?? NEVER, this.#forgetUntil(nowMs));
    this.#sweepAtMs = next === NEVER ? NEVER : Math.max(next, nowMs + SWEEP_INTERVAL_MS);
  }

  /** The end of an alarm: ships what there is to ship, and sets the next alarm, or deletes the storage. */
  async ship(door: LedgerDoor, log: (text: string) => void): Promise<void> {
    const metered: LedgerDoor = {
      deliver: async (delivery) => {
        // What an alarm writes is no part of what the next call, which may come while this is under way, has cost.
        this.#sql.takeRowsWritten();
        return door.deliver(delivery);
      },
    };
    const shipped = this.#pending ? await ship(this.#outbox, metered, log) : "empty";
    const nowMs = Date.now();
    this.#takeSweep(nowMs);
    this.#shippingAsked = false;
    this.#forgetUntil(nowMs);
    const shipMs = this.#pending ? nowMs + (shipped === "failed" ? this.#backOffMs(nowMs) : 0) : NEVER;
    const wantedMs = Math.min(shipMs, this.#sweepAtMs ?? nowMs + SWEEP_INTERVAL_MS);
    if (wantedMs === NEVER) await this.#deleteAll();
    else if (wantedMs < (this.#alarmAtMs ?? NEVER)) await this.#setAlarm(wantedMs);
    this.#sql.takeRowsWritten();
  }

  get #pending(): boolean {
    return this.tables.has("outbox") && this.#outbox.pending;
  }

  /** Each try waits as long again as the oldest entry has waited: that doubles, and needs no row to outlive an eviction. */
  #backOffMs(nowMs: number): number {
    const waitedMs = nowMs - (this.#outbox.waitingSinceMs ?? nowMs);
    return Math.min(Math.max(waitedMs, OUTBOX_SHIP_DELAY_MS), OUTBOX_SHIP_DELAY_MAX_MS);
  }

  /** Forgets what the outbox need not remember, and says until when it remembers the rest. */
  #forgetUntil(nowMs: number): number {
    if (!this.tables.has("outbox")) return NEVER;
    this.#outbox.forget(nowMs);
    return this.#outbox.forgottenAtMs ?? NEVER;
  }

  /** When what was written since the last time is to be swept, which brings the sweep forward if it was later by far. */
  #takeSweep(nowMs: number): number {
    if (this.#expiryWritten === null) return NEVER;
    const dueMs = Math.max(this.#expiryWritten, nowMs + SWEEP_INTERVAL_MS);
    this.#expiryWritten = null;
    if (dueMs < (this.#sweepAtMs ?? 0) - SWEEP_INTERVAL_MS) this.#sweepAtMs = dueMs;
    return dueMs;
  }

  async #setAlarm(atMs: number): Promise<void> {
    this.#alarmAtMs = atMs;
    this.#sql.count(1);
    return this.#storage.setAlarm(atMs);
  }

  async #deleteAll(): Promise<void> {
    const deleted = this.#storage.deleteAll();
    this.tables.forget();
    this.#outbox.reset();
    this.#alarmAtMs = null;
    this.#sweepAtMs = NEVER;
    return deleted;
  }
}
