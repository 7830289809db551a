import { OUTBOX_DELIVERY_WAIT_MS } from "../../limits.ts";
import type { LedgerDoor } from "../../outbox/delivery.ts";
import { Outbox, type OutboxSql } from "../../outbox/outbox-store.ts";
import { retryDelayMs, ship } from "../../outbox/ship.ts";
import { type RefreshRun, refreshEntry } from "./refresh-entry.ts";

interface LedgerMailPorts {
  readonly sql: OutboxSql;
  /** The object's own name among all sources. */
  readonly source: string;
  readonly ledger: LedgerDoor;
  readonly newId: () => string;
  /** The work's value, or a rejection after so many milliseconds. */
  readonly within: <Value>(ms: number, work: Promise<Value>) => Promise<Value>;
  readonly nowMs: () => number;
  readonly log: (text: string) => void;
}

/**
 * What the catalog's object tells the ledger. Written with the run that it is about, delivered after it, and again when its
 * owner finds it due: whoever asked for a refresh waits for none of it, and nothing here throws.
 */
export class LedgerMail {
  readonly #ports: LedgerMailPorts;
  readonly #outbox: Outbox;
  #delivering: Promise<void> | undefined;
  #again = false;

  constructor(ports: LedgerMailPorts) {
    this.#ports = ports;
    this.#outbox = new Outbox(ports.sql, ports.source, ports.newId);
  }

  /** Keeps one run until the ledger has it. */
  tell(run: Omit<RefreshRun, "key">): void {
    const { newId, nowMs, log } = this.#ports;
    const entry = refreshEntry({ ...run, key: newId() });
    if (!entry.ok) {
      log(`a refresh could not be told: ${entry.reason}`);
      return;
    }
    try {
      const written = this.#outbox.write(entry.value, nowMs());
      if (written !== "written") log(`a refresh could not be told: ${written}`);
    } catch (error) {
      log(`a refresh could not be told: ${String(error)}`);
    }
  }

  /**
   * Delivers what there is, one delivery at a time; what is told meanwhile is delivered next. A delivery without an answer is
   * given up after `OUTBOX_DELIVERY_WAIT_MS`: its numbers make it harmless that it will be repeated.
   */
  deliver(): Promise<void> {
    if (this.#delivering === undefined) {
      this.#delivering = this.#deliver().finally(() => {
        this.#delivering = undefined;
      });
    } else {
      this.#again = true;
    }
    return this.#delivering;
  }

  /** When what is left is to be delivered, after a delivery that has failed; `null` where nothing is left. */
  get retryAtMs(): number | null {
    const nowMs = this.#ports.nowMs();
    return this.#outbox.pending ? nowMs + retryDelayMs(this.#outbox, nowMs) : null;
  }

  async #deliver(): Promise<void> {
    const { ledger, within, nowMs, log } = this.#ports;
    const door: LedgerDoor = {
      deliver: async (delivery) => within(OUTBOX_DELIVERY_WAIT_MS, ledger.deliver(delivery)),
    };
    try {
      do {
        this.#again = false;
        if ((await ship(this.#outbox, door, log)) === "failed") break;
      } while (this.#again);
      this.#outbox.forget(nowMs());
    } catch (error) {
      log(`the ledger was not told: ${String(error)}`);
    }
  }
}
