import { OUTBOX_DELIVERY_WAIT_MS } from "../limits.ts";
import { LEDGER_OBJECT_NAME, type LedgerDoor, type OutboxBindings } from "./delivery.ts";

/** Calls `expired` once after so many milliseconds, unless what it returned is called before. */
export type StartTimer = (ms: number, expired: () => void) => () => void;

/**
 * The way to the ledger's object. A delivery that is not answered within `OUTBOX_DELIVERY_WAIT_MS` is given up: it may have
 * arrived, and is delivered again. Each has a stub of its own, since one that threw is dead.
 */
export function ledgerDoor(ledgers: () => OutboxBindings["LEDGER"], startTimer: StartTimer): LedgerDoor {
  return {
    deliver: async (delivery) => {
      const answer = ledgers().getByName(LEDGER_OBJECT_NAME).deliver(delivery);
      let stopTimer = () => {};
      const givenUp = new Promise<never>((_, reject) => {
        stopTimer = startTimer(OUTBOX_DELIVERY_WAIT_MS, () => {
          reject(new Error(`nothing within ${OUTBOX_DELIVERY_WAIT_MS} ms`));
        });
      });
      try {
        return await Promise.race([answer, givenUp]);
      } finally {
        stopTimer();
      }
    },
  };
}
