const REFRESH_DUE = "refresh_due_ms";

/**
 * The object's one alarm, for two purposes: the interval's refresh, and deliveries to the ledger, which may be wanted sooner.
 * While it is set for a delivery, the time of the refresh is kept beside it, so that the alarm of any later life knows that
 * no server is to be listed yet, and the refresh is never forgotten. Times are epoch milliseconds.
 */
export class CatalogAlarm {
  readonly #storage: DurableObjectStorage;
  /** `null`: no refresh is to come. */
  #refreshMs: number | null = null;
  #deliveryMs: number | null = null;
  /** What the storage has; `undefined` before it was read. */
  #stored: { alarmMs: number | null; dueMs: number | null } | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** The alarm has gone off. Whether it is (also) the refresh's: an alarm of which nothing else is known is. */
  async fired(nowMs: number): Promise<boolean> {
    const stored = await this.#read();
    stored.alarmMs = null;
    this.#deliveryMs = null;
    return stored.dueMs === null || stored.dueMs <= nowMs;
  }

  /** Lets the next refresh come at this time. */
  async refreshAt(ms: number): Promise<void> {
    await this.#read();
    this.#refreshMs = ms;
    return this.#set();
  }

  /** Lets the next refresh come at this time at the latest. */
  async refreshBy(ms: number): Promise<void> {
    await this.#read();
    this.#refreshMs = Math.min(this.#refreshMs ?? ms, ms);
    return this.#set();
  }

  /** Lets the next delivery come at this time, or none by itself. */
  async deliverAt(ms: number | null): Promise<void> {
    await this.#read();
    this.#deliveryMs = ms;
    return this.#set();
  }

  async #read() {
    if (this.#stored !== undefined) return this.#stored;
    const [alarmMs, due] = await Promise.all([this.#storage.getAlarm(), this.#storage.get(REFRESH_DUE)]);
    // Another call may have read it meanwhile, and gone on.
    if (this.#stored !== undefined) return this.#stored;
    const dueMs = typeof due === "number" ? due : null;
    this.#refreshMs = dueMs ?? alarmMs;
    this.#deliveryMs = dueMs === null ? null : alarmMs;
    this.#stored = { alarmMs, dueMs };
    return this.#stored;
  }

  /** Without an `await` between its writes, so that they are committed together. */
  async #set(): Promise<void> {
    const stored = await this.#read();
    const sooner = this.#deliveryMs !== null && this.#deliveryMs < (this.#refreshMs ?? 0);
    const dueMs = sooner ? this.#refreshMs : null;
    const alarmMs = sooner ? this.#deliveryMs : (this.#refreshMs ?? this.#deliveryMs);
    const writes: Promise<unknown>[] = [];
    if (dueMs !== stored.dueMs) {
      writes.push(dueMs === null ? this.#storage.delete(REFRESH_DUE) : this.#storage.put(REFRESH_DUE, dueMs));
    }
    if (alarmMs !== null && alarmMs !== stored.alarmMs) writes.push(this.#storage.setAlarm(alarmMs));
    this.#stored = { alarmMs, dueMs };
    await Promise.all(writes);
  }
}
