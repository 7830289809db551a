import type { Delivery, LedgerDoor, Receipt } from "../../src/outbox/delivery.ts";
import { readEntry } from "../../src/outbox/entry.ts";
import { judgeBatch } from "../../src/spine/telemetry/batch.ts";

/** What can become of one delivery. */
export type Weather =
  | "clear"
  /** Counted, and the answer is lost. */
  | "answer_lost"
  /** The platform's refusals: nothing arrives. */
  | "retryable"
  | "overloaded"
  /** Nothing is counted, and the source is sent back to where the ledger stands. */
  | "gap"
  | "malformed"
  /** No number to go on from. */
  | "nonsense";

export const FOUL: readonly Weather[] = [
  "answer_lost",
  "retryable",
  "overloaded",
  "gap",
  "malformed",
  "nonsense",
];

/** The spine's rule for numbered batches with nothing around it: what is counted, by key and in order. */
export class LedgerModel implements LedgerDoor {
  /** Of every source together. */
  readonly counted: string[] = [];
  readonly deliveries: Delivery[] = [];
  /** The next deliveries'; it is clear behind them. */
  weather: Weather[] = [];
  #last = new Map<string, number>();

  async deliver(delivery: Delivery): Promise<Receipt> {
    this.deliveries.push(structuredClone(delivery));
    const weather = this.weather.shift() ?? "clear";
    switch (weather) {
      case "retryable":
      case "overloaded":
        throw Object.assign(new Error("the object is away"), {
          retryable: true,
          overloaded: weather === "overloaded",
        });
      case "malformed":
        return { version: 1, taken: false, reason: "malformed" };
      case "nonsense":
        return { version: 1, taken: true, last: Number.NaN };
      case "gap":
        return { version: 1, taken: false, reason: "gap", expected: this.#standing(delivery) + 1 };
      case "answer_lost":
        this.#take(delivery);
        throw new Error("Network connection lost.");
      case "clear":
        return this.#take(delivery);
    }
  }

  /** The ledger's storage is gone. */
  lose(): void {
    this.#last = new Map();
  }

  #standing({ source, acknowledged }: Delivery): number {
    return Math.max(this.#last.get(source) ?? 0, acknowledged);
  }

  #take(delivery: Delivery): Receipt {
    const { source, from, entries } = delivery;
    const range = { from, to: from + entries.length - 1 };
    const judged = judgeBatch(this.#standing(delivery), range, entries.length);
    if (judged.decision === "refuse") {
      return judged.reason === "gap"
        ? { version: 1, taken: false, reason: "gap", expected: judged.expected }
        : { version: 1, taken: false, reason: "malformed" };
    }
    if (judged.decision === "apply") this.counted.push(...entries.slice(judged.skip).map(keyOf));
    this.#last.set(source, judged.last);
    return { version: 1, taken: true, last: judged.last };
  }
}

function keyOf(text: string): string {
  const entry = readEntry(text);
  return entry.ok ? entry.value.key : "unreadable";
}
