import { describe, expect, it } from "vitest";
import { OUTBOX_DELIVERIES_PER_RUN_COUNT } from "../../src/limits.ts";
import type { Delivery, LedgerDoor } from "../../src/outbox/delivery.ts";
import { retryDelayMs, ship } from "../../src/outbox/ship.ts";
import { browsed, textOf } from "./entry-kit.ts";
import { LedgerModel, type Weather } from "./ledger-model.ts";

/** An outbox of entries without any storage, `perBatch` in a delivery. */
function outboxOf(count: number, perBatch = 2) {
  const entries = Array.from({ length: count }, (_, at) => textOf(browsed(`k${at + 1}`)));
  let acknowledged = 0;
  return {
    get acknowledged() {
      return acknowledged;
    },
    batch: (): Delivery | null =>
      acknowledged >= entries.length
        ? null
        : {
            version: 1,
            source: "s",
            from: acknowledged + 1,
            entries: entries.slice(acknowledged, acknowledged + perBatch),
            acknowledged,
            dropped: 0,
          },
    acknowledge: (last: number) => {
      acknowledged = Math.max(acknowledged, Math.min(last, entries.length));
    },
    rewind: (expected: number) => {
      acknowledged = Math.min(acknowledged, expected - 1);
    },
  };
}

const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at + 1}`);

/** One run in this weather: what came of it, what was counted and what was logged. */
async function run(weather: Weather[], count = 5) {
  const outbox = outboxOf(count);
  const ledger = new LedgerModel();
  ledger.weather = [...weather];
  const log: string[] = [];
  const shipped = await ship(outbox, ledger, (text) => log.push(text));
  return { shipped, outbox, ledger, log };
}

describe("the wait after a run that failed", () => {
  it("is as long again as the oldest entry has waited, from seconds to minutes, whatever the clock does", () => {
    const waits = [0, 4_999, 7_000, 599_999, 600_001, Number.MAX_SAFE_INTEGER, -1_000_000].map((waitedMs) =>
      retryDelayMs({ waitingSinceMs: 0 }, waitedMs),
    );
    expect(waits).toEqual([5_000, 5_000, 7_000, 599_999, 600_000, 600_000, 5_000]);
    expect(retryDelayMs({ waitingSinceMs: null }, 9_000_000)).toBe(5_000);
  });
});

describe("a run of deliveries", () => {
  it("delivers all there is, in order, and asks nothing where nothing is left", async () => {
    const { shipped, ledger, outbox, log } = await run([]);
    expect({ shipped, log, acknowledged: outbox.acknowledged }).toEqual({
      shipped: "empty",
      log: [],
      acknowledged: 5,
    });
    expect(ledger.counted).toEqual(keys(5));
    const before = ledger.deliveries.length;
    expect(await ship(outbox, ledger, () => {})).toBe("empty");
    expect(ledger.deliveries.length).toBe(before);
  });

  it.each<[Weather, string]>([
    ["answer_lost", "the ledger gave no answer: Error: Network connection lost."],
    ["retryable", "the ledger gave no answer: Error: the object is away"],
    ["overloaded", "the ledger gave no answer: Error: the object is away"],
    ["malformed", "the ledger cannot take what it is told"],
    ["nonsense", "the ledger cannot take what it is told"],
    ["gap", "the ledger does not go on from entry 3"],
  ])("ends where the ledger's answer is %s, says why, and the next run finishes it", async (bad, why) => {
    const { shipped, outbox, ledger, log } = await run(["clear", bad]);
    expect({ shipped, log, acknowledged: outbox.acknowledged }).toEqual({
      shipped: "failed",
      log: [why],
      acknowledged: 2,
    });
    expect(await ship(outbox, ledger, () => {})).toBe("empty");
    expect(ledger.counted).toEqual(keys(5));
  });

  it("sends again from where the ledger stands, also what was acknowledged", async () => {
    const outbox = outboxOf(6);
    const ledger = new LedgerModel();
    outbox.acknowledge(4);
    let told = false;
    // An older ledger, which believes nobody about what it has lost.
    const older: LedgerDoor = {
      deliver: async (delivery) => {
        if (told) return ledger.deliver({ ...delivery, acknowledged: 0 });
        told = true;
        return { version: 1, taken: false, reason: "gap", expected: 1 };
      },
    };
    expect(await ship(outbox, older, () => {})).toBe("empty");
    expect(ledger.counted).toEqual(keys(6));
  });

  it("believes an answer only as far as it goes on", async () => {
    for (const answer of [
      { version: 1, taken: true, last: 0 },
      { version: 1, taken: true, last: 1.5 },
      { version: 1, taken: true },
      { version: 1, taken: false, reason: "gap", expected: "3" },
      null,
      undefined,
      "taken",
    ]) {
      const outbox = outboxOf(3);
      const door = { deliver: async (): Promise<unknown> => answer };
      expect(await ship(outbox, door, () => {})).toBe("failed");
      expect(outbox.acknowledged).toBe(0);
    }
  });

  it("takes a part, or more than was sent, for what it is", async () => {
    const outbox = outboxOf(4);
    const asked: number[] = [];
    const door: LedgerDoor = {
      deliver: async ({ from }) => {
        asked.push(from);
        return { version: 1, taken: true, last: from === 1 ? 1 : 99 };
      },
    };
    expect(await ship(outbox, door, () => {})).toBe("empty");
    expect(asked).toEqual([1, 2]);
    expect(outbox.acknowledged).toBe(4);
  });

  it("ends after so many deliveries, and says whether more is left", async () => {
    const exactly = OUTBOX_DELIVERIES_PER_RUN_COUNT * 2;
    expect((await run([], exactly)).shipped).toBe("empty");
    const { shipped, outbox, ledger } = await run([], exactly + 1);
    expect({ shipped, left: exactly + 1 - outbox.acknowledged }).toEqual({ shipped: "more", left: 1 });
    expect(ledger.deliveries.length).toBe(OUTBOX_DELIVERIES_PER_RUN_COUNT);
  });
});
