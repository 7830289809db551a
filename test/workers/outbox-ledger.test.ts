import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LEDGER_OBJECT_NAME, type LedgerDoor } from "../../src/outbox/delivery.ts";
import { browsed, executed, textOf } from "../outbox/entry-kit.ts";
import { completed, LEASE_MS, write } from "./journal-client.ts";
import { alarmOf, withDoor } from "./ledger-seam.ts";
import { evictedPrincipal, stubOf } from "./principal-client.ts";
import { recordLog } from "./recorded-log.ts";
import { freshStorage } from "./fresh-storage.ts";

const DAY_MS = 86_400_000;
/** Far ahead, so that the platform's own clock sets off no alarm. */
const START_MS = Date.now() + 365 * DAY_MS;
const logged = recordLog();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
});

afterEach(async () => {
  vi.useRealTimers();
  await freshStorage();
});

const ledger = () => env.LEDGER.getByName(LEDGER_OBJECT_NAME);

/** An event whose duration is its name. */
const named = (number: number) => {
  const entry = browsed(`key-${number}`);
  return textOf({ ...entry, event: { ...entry.event, duration_ms: number } });
};

/** The events that the ledger has, by name, and what it counts in all. */
async function counted() {
  const page = await ledger().events({
    version: 1,
    after: 0,
    sinceMs: null,
    names: null,
    limit: 1000,
  });
  const view = await ledger().read({ version: 1, config: null });
  if ("refused" in page || "refused" in view) throw new Error("refused");
  const numbers = page.lines.map((line) => {
    const event: unknown = JSON.parse(line);
    return typeof event === "object" && event !== null && "duration_ms" in event ? event.duration_ms : null;
  });
  return { numbers, total: Object.values(view.events.counts).reduce((sum, count) => sum + count, 0), view };
}

/** When everything dies during a delivery: on its way, when it was counted, or never. */
type Death = "before" | "after" | "never";

/** The real ledger; every object is gone at that point of the first delivery. */
function mortal(death: Death): LedgerDoor {
  let dies = death !== "never";
  return {
    deliver: async (delivery) => {
      if (dies && death === "before") await die();
      const receipt = await ledger().deliver(delivery);
      if (dies) await die();
      return receipt;
    },
  };
  async function die(): Promise<void> {
    dies = false;
    await abortAllDurableObjects();
  }
}

async function alarm(principal: string, death: Death = "never"): Promise<void> {
  await abortAllDurableObjects();
  await withDoor(principal, mortal(death));
  // Where its object dies with it, the platform calls the alarm again: here the test does.
  await runDurableObjectAlarm(stubOf(principal)).catch(() => false);
}

async function drain(principal: string): Promise<void> {
  for (let count = 0; count < 5; count += 1) await alarm(principal);
}

describe("from a principal's object to the ledger's", () => {
  it("goes what was told, through the platform's own binding, and counts once", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ told: [named(1), named(2)] });
    expect((await alarmOf("ada")) !== null).toBe(true);
    await runDurableObjectAlarm(stubOf("ada"));
    await ada.settle({ told: [named(2), named(3)] });
    await runDurableObjectAlarm(stubOf("ada"));
    const { numbers, total, view } = await counted();
    expect(numbers).toEqual([1, 2, 3]);
    expect({ total, ledger: view.ledger }).toMatchObject({
      total: 3,
      ledger: { sources: 1, dropped: 0, unreadable: 0, refused: 0 },
    });
    expect(logged.lines).toEqual([]);
  });

  it.each<Death>(["before", "after"])(
    "loses and doubles nothing where all objects die %s it is counted",
    async (death) => {
      const ada = evictedPrincipal("ada");
      await ada.settle({ told: [named(1), named(2)] });
      await alarm("ada", death);
      expect((await counted()).numbers).toEqual(death === "before" ? [] : [1, 2]);
      await ada.settle({ told: [named(2), named(3)] });
      await alarm("ada", death);
      await drain("ada");
      expect((await counted()).numbers).toEqual([1, 2, 3]);
    },
  );

  it("keeps the tellings of principals apart, and each in its order", async () => {
    const keys = [named(1), named(2)];
    for (const principal of ["ann", "eve"]) await evictedPrincipal(principal).settle({ told: keys });
    for (const principal of ["ann", "eve"]) await alarm(principal, "after");
    for (const principal of ["ann", "eve"]) await drain(principal);
    const { numbers, view } = await counted();
    expect(numbers).toEqual([1, 2, 1, 2]);
    expect(view.ledger.sources).toBe(2);
  });

  it("counts on where the ledger has lost what it knew", async () => {
    const ada = evictedPrincipal("ada");
    await ada.settle({ told: [named(1)] });
    await alarm("ada");
    await runInDurableObject(ledger(), async (_, state) => state.storage.deleteAll());
    await ada.settle({ told: [named(2)] });
    await drain("ada");
    expect((await counted()).numbers).toEqual([2]);
  });

  it("brings an execute that nobody reported on, with its upstream's account, and nothing of it again", async () => {
    const ada = evictedPrincipal("ada");
    const first = write({ toolId: "files:write#0123abcd", server: "files" });
    await ada.admit(first);
    vi.setSystemTime(START_MS + LEASE_MS);
    await alarm("ada", "after");
    await ada.settle({ ...completed(first), told: [textOf(executed(first.attempt ?? ""))] });
    await drain("ada");
    const { view } = await counted();
    expect(view.events.counts).toEqual({ "execute.failed": 1 });
    expect(view.servers.map(({ name }) => name)).toEqual(["files"]);
    expect(view.ledger.refused).toBe(0);
  });

  it("whatever dies when, each telling counts exactly once and in order", async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("tell" as const), again: fc.boolean() }),
      fc.record({
        do: fc.constant("alarm" as const),
        death: fc.constantFrom<Death>("before", "after", "never"),
      }),
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (history) => {
        run += 1;
        const principal = `ada-${run}`;
        const before = await counted();
        const ada = evictedPrincipal(principal);
        let last = 0;
        for (const { do: what, ...how } of history) {
          if (what === "alarm") await alarm(principal, "death" in how ? how.death : "never");
          else {
            if (!("again" in how && how.again) || last === 0) last += 1;
            await ada.settle({ told: [named(last)] });
          }
        }
        await drain(principal);
        const { numbers, total } = await counted();
        expect(total - before.total).toBe(last);
        expect(numbers.slice(before.numbers.length)).toEqual(Array.from({ length: last }, (_, at) => at + 1));
      }),
      { numRuns: 25 },
    );
  });
});
