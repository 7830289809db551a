import {
  JOURNAL_LAPSE_DELAY_MS,
  OUTBOX_REMEMBERED_MS,
  OUTBOX_SHIP_DELAY_MAX_MS,
  OUTBOX_SHIP_DELAY_MS,
  SWEEP_INTERVAL_SECONDS,
} from "../limits.ts";
import type { LedgerDoor } from "../outbox/delivery.ts";
import type { Outbox } from "../outbox/outbox-store.ts";
import { retryDelayMs, ship } from "../outbox/ship.ts";
import type { MeteredSql } from "./metered-sql-store.ts";
import { PrincipalSchema } from "./schema-store.ts";

const SWEEP_INTERVAL_MS = SWEEP_INTERVAL_SECONDS * 1000;
const NEVER = Infinity;

/**
 * An object's tables, and its one alarm. That alarm finds calls that were never reported on, ships what the ledger is to be
 * told, and deletes what has expired, and with the last row the object's storage: never while something is left to ship.
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
  /** The end of the lease that the call at hand has taken. */
  #leaseEndsAtMs: number | null = null;
  /** Whether an alarm is under way: until its end the platform repeats it if the object dies, unless another one is set. */
  #alarmRuns = false;
  /** After a delivery that failed, when the next one may be tried, whatever else the alarm goes off for. */
  #retryAtMs = 0;
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

  /** Has the alarm go off soon after the end of a lease: if its call is never reported on, nobody else may come and find it. */
  wakeForLapse(leaseEndsAtMs: number): void {
    this.#leaseEndsAtMs = Math.min(this.#leaseEndsAtMs ?? NEVER, leaseEndsAtMs);
  }

  /** Sets the alarm if what was written needs it (well) before it is set for, and says what the call cost. */
  async finish(nowMs: number): Promise<number> {
    const wantedMs = this.#takeWanted(nowMs);
    // Over the one that is under way, which may not live to see its deliveries answered.
    const ships = wantedMs !== null && this.#alarmRuns && this.#pending;
    if (wantedMs !== null)
      await this.#setAlarm(ships ? Math.min(wantedMs, nowMs + OUTBOX_SHIP_DELAY_MS) : wantedMs);
    return this.#sql.takeRowsWritten();
  }

  /** The alarm has gone off. Whether it is (also) a sweep's: with nothing to ship and no lease it can be nothing else. */
  alarmFired(nextLapseMs: number | null, nowMs: number): boolean {
    this.#alarmAtMs = null;
    this.#alarmRuns = true;
    return (!this.#pending && nextLapseMs === null) || (this.#sweepAtMs ?? 0) <= nowMs;
  }

  /** Deletes what has expired. */
  sweep(nowMs: number): void {
    const next = Math.min(this.tables.sweep(nowMs) ?? NEVER, this.#forgetUntil(nowMs));
    this.#sweepAtMs = next === NEVER ? NEVER : Math.max(next, nowMs + SWEEP_INTERVAL_MS);
  }

  /**
   * The end of an alarm: ships what there is to ship, and sets the next alarm, or deletes the storage. `nextLapseMs` says when
   * the next lease ends, to which nothing may be told yet.
   */
  async ship(door: LedgerDoor, nextLapseMs: () => number | null, log: (text: string) => void): Promise<void> {
    const metered: LedgerDoor = {
      deliver: async (delivery) => {
        // What an alarm writes is no part of what the next call, which may come while this is under way, has cost.
        this.#sql.takeRowsWritten();
        return door.deliver(delivery);
      },
    };
    if (this.#pending && Date.now() >= this.#retryAtMs) {
      const shipped = await ship(this.#outbox, metered, log);
      const endedMs = Date.now();
      this.#retryAtMs = shipped === "failed" ? endedMs + retryDelayMs(this.#outbox, endedMs) : 0;
    }
    const nowMs = Date.now();
    this.#takeWanted(nowMs);
    this.#forgetUntil(nowMs);
    const wantedMs = Math.min(
      this.#pending ? Math.max(nowMs, this.#retryAtMs) : NEVER,
      this.#sweepAtMs ?? nowMs + SWEEP_INTERVAL_MS,
      afterLease(nextLapseMs()),
    );
    this.#alarmRuns = false;
    if (wantedMs === NEVER) await this.#deleteAll();
    // Also a later one: what calls have set meanwhile was in case this alarm would not come so far.
    else if (wantedMs !== this.#alarmAtMs) await this.#setAlarm(wantedMs);
    this.#sql.takeRowsWritten();
  }

  get #pending(): boolean {
    return this.tables.has("outbox") && this.#outbox.pending;
  }

  /** Forgets what the outbox need not remember, and says until when it remembers the rest. */
  #forgetUntil(nowMs: number): number {
    if (!this.tables.has("outbox")) return NEVER;
    this.#outbox.forget(nowMs);
    return this.#outbox.forgottenAtMs ?? NEVER;
  }

  /** When the alarm is wanted for what was written since the last time; `null` where the one that is set will do. */
  #takeWanted(nowMs: number): number | null {
    const sweepMs = this.#takeSweep(nowMs);
    const shipMs = this.#shippingAsked ? nowMs + OUTBOX_SHIP_DELAY_MS : NEVER;
    const soonMs = Math.min(shipMs, afterLease(this.#leaseEndsAtMs));
    this.#shippingAsked = false;
    this.#leaseEndsAtMs = null;
    const setMs = this.#alarmAtMs ?? NEVER;
    if (soonMs < setMs) return soonMs;
    return sweepMs < setMs - SWEEP_INTERVAL_MS ? sweepMs : null;
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
    this.#retryAtMs = 0;
    return deleted;
  }
}

function afterLease(endsAtMs: number | null): number {
  return endsAtMs === null ? NEVER : endsAtMs + JOURNAL_LAPSE_DELAY_MS;
}
