import {
  OUTBOX_DELIVERIES_PER_RUN_COUNT,
  OUTBOX_SHIP_DELAY_MAX_MS,
  OUTBOX_SHIP_DELAY_MS,
} from "../limits.ts";
import { memberOf } from "../json.ts";
import type { Delivery } from "./delivery.ts";
import type { Outbox } from "./outbox-store.ts";

/** `empty`: all is delivered. `more`: the run ended first. `failed`: try again later; what is left is still in the outbox. */
export type Shipped = "empty" | "more" | "failed";

/**
 * Delivers what is left in an outbox, batch after batch, at most `OUTBOX_DELIVERIES_PER_RUN_COUNT` of them. Never throws,
 * but for the outbox's own storage. Whatever went wrong, a batch is forgotten only after the ledger has answered for it,
 * and delivering it again is harmless. The ledger may be of another version, so its answer is read with care. `log` gets
 * the operator's text.
 */
export async function ship(
  outbox: Pick<Outbox, "batch" | "acknowledge" | "rewind">,
  door: { deliver(delivery: Delivery): Promise<unknown> },
  log: (text: string) => void,
): Promise<Shipped> {
  let asked = 0;
  for (let count = 0; count < OUTBOX_DELIVERIES_PER_RUN_COUNT; count += 1) {
    const delivery = outbox.batch();
    if (delivery === null) return "empty";
    // Told of a gap and still at the same place: what the ledger wants is not here.
    if (delivery.from === asked) return failed(log, `the ledger does not go on from entry ${asked}`);
    asked = delivery.from;
    let answer: unknown;
    try {
      answer = await door.deliver(delivery);
    } catch (error) {
      return failed(log, `the ledger gave no answer: ${String(error)}`);
    }
    const last = numberIn(answer, "last");
    const expected = numberIn(answer, "expected");
    if (memberOf(answer, "taken") === true && last !== null && last >= delivery.from) {
      outbox.acknowledge(last);
      continue;
    }
    if (memberOf(answer, "taken") !== false || expected === null) {
      return failed(log, "the ledger cannot take what it is told");
    }
    outbox.rewind(expected);
  }
  return outbox.batch() === null ? "empty" : "more";
}

/**
 * How long to wait after a run that failed, in milliseconds: as long again as the oldest entry has waited. That doubles, and
 * needs no row of its own to outlive an eviction.
 */
export function retryDelayMs({ waitingSinceMs }: Pick<Outbox, "waitingSinceMs">, nowMs: number): number {
  const waitedMs = nowMs - (waitingSinceMs ?? nowMs);
  return Math.min(Math.max(waitedMs, OUTBOX_SHIP_DELAY_MS), OUTBOX_SHIP_DELAY_MAX_MS);
}

function failed(log: (text: string) => void, text: string): "failed" {
  log(text);
  return "failed";
}

function numberIn(answer: unknown, key: string): number | null {
  const value = memberOf(answer, key);
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}
