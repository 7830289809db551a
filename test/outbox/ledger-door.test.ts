import { describe, expect, it } from "vitest";
import { OUTBOX_DELIVERY_WAIT_MS } from "../../src/limits.ts";
import type { Delivery, LedgerDoor, Receipt } from "../../src/outbox/delivery.ts";
import { ledgerDoor } from "../../src/outbox/ledger-door.ts";

const DELIVERY: Delivery = {
  version: 1,
  source: "s",
  from: 1,
  entries: [""],
  acknowledged: 0,
  dropped: 0,
};
const TAKEN: Receipt = { version: 1, taken: true, last: 1 };

function withResolvers() {
  const made: { reject: (error: Error) => void } = { reject: () => {} };
  const promise = new Promise<Receipt>((_, reject) => {
    made.reject = reject;
  });
  return {
    promise,
    reject: (error: Error) => {
      made.reject(error);
    },
  };
}

/** A door whose clock is in the test's hand. */
function doorTo(deliver: LedgerDoor["deliver"]) {
  const timers: { ms: number; expire: () => void; stopped: boolean }[] = [];
  const names: string[] = [];
  const door = ledgerDoor(
    () => ({
      getByName: (name) => {
        names.push(name);
        return { deliver };
      },
    }),
    (ms, expire) => {
      const timer = { ms, expire, stopped: false };
      timers.push(timer);
      return () => {
        timer.stopped = true;
      };
    },
  );
  return { door, timers, names };
}

describe("the way to the ledger", () => {
  it("gives its answer, and leaves no timer behind", async () => {
    const { door, timers, names } = doorTo(async () => TAKEN);
    expect(await door.deliver(DELIVERY)).toEqual(TAKEN);
    expect(await door.deliver(DELIVERY)).toEqual(TAKEN);
    expect(names).toEqual(["ledger-1", "ledger-1"]);
    expect(timers.map(({ stopped }) => stopped)).toEqual([true, true]);
  });

  it("gives up on a delivery that hangs, and does not care how that ends", async () => {
    const { promise: hanging, reject } = withResolvers();
    const { door, timers } = doorTo(async () => hanging);
    const answer = door.deliver(DELIVERY);
    expect(timers.map(({ ms }) => ms)).toEqual([OUTBOX_DELIVERY_WAIT_MS]);
    timers[0]?.expire();
    await expect(answer).rejects.toThrow(`nothing within ${OUTBOX_DELIVERY_WAIT_MS} ms`);
    reject(new Error("much later"));
    await Promise.resolve();
  });

  it("fails as the platform fails, at once or later, without a binding too", async () => {
    const { door, timers } = doorTo(async () => Promise.reject(new Error("overloaded")));
    await expect(door.deliver(DELIVERY)).rejects.toThrow("overloaded");
    expect(timers.every(({ stopped }) => stopped)).toBe(true);
    const unbound = ledgerDoor(
      () => {
        throw new TypeError("no such binding");
      },
      () => () => {},
    );
    await expect(unbound.deliver(DELIVERY)).rejects.toThrow("no such binding");
  });
});
