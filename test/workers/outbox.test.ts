import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  DELIVERY_ENTRIES_MAX_COUNT,
  DELIVERY_MAX_CHARS,
  ENTRY_MAX_CHARS,
  OUTBOX_DROPPED_KEYS_MAX_COUNT,
  OUTBOX_REMEMBERED_MS,
  OUTBOX_ROWS_MAX_COUNT,
} from "../../src/limits.ts";
import type { LedgerDoor } from "../../src/outbox/delivery.ts";
import type { Outbox } from "../../src/outbox/outbox-store.ts";
import { ship } from "../../src/outbox/ship.ts";
import { browsed, NOW_MS, textOf } from "../outbox/entry-kit.ts";
import { FOUL, LedgerModel, type Weather } from "../outbox/ledger-model.ts";
import { type OutboxRig, withRig } from "./outbox-rig.ts";
import { freshStorage } from "./fresh-storage.ts";

afterEach(async () => {
  await freshStorage();
});

describe("an outbox", () => {
  it("numbers what is written from 1, and delivers it in order under its source's name", () =>
    withRig((rig) => {
      expect([rig.outbox.pending, rig.outbox.batch(), rig.outbox.waitingSinceMs]).toEqual([
        false,
        null,
        null,
      ]);
      for (const [at, key] of ["a", "b", "c"].entries()) {
        expect(rig.write(key, NOW_MS + at)).toBe("written");
        rig.evict();
      }
      expect([rig.outbox.pending, rig.outbox.waitingSinceMs]).toEqual([true, NOW_MS]);
      expect(rig.outbox.batch()).toEqual({
        version: 1,
        source: "object/epoch-1",
        from: 1,
        entries: ["a", "b", "c"].map((key) => textOf(browsed(key))),
        acknowledged: 0,
        dropped: 0,
      });
    }));

  it("goes on behind what was acknowledged, also when no row is left, and never gives a number out twice", () =>
    withRig((rig) => {
      rig.write("a");
      rig.write("b");
      rig.outbox.acknowledge(1);
      rig.evict();
      expect(rig.outbox.batch()).toMatchObject({ from: 2, acknowledged: 1 });
      rig.outbox.acknowledge(2);
      expect([rig.outbox.pending, rig.outbox.batch()]).toEqual([false, null]);
      rig.outbox.forget(NOW_MS + OUTBOX_REMEMBERED_MS);
      expect(rig.sql.run("SELECT seq FROM outbox")).toEqual([]);
      rig.evict();
      rig.write("c");
      expect(rig.outbox.batch()).toMatchObject({ source: "object/epoch-1", from: 3, acknowledged: 2 });
    }));

  it("is another source after its tables are gone", () =>
    withRig((rig) => {
      rig.write("a");
      rig.create();
      expect(rig.write("a")).toBe("written");
      expect(rig.outbox.batch()).toMatchObject({ source: "object/epoch-2", from: 1, acknowledged: 0 });
    }));

  it.each([false, true])("keeps a key once while it is remembered (evicted: %s)", (evicts) =>
    withRig((rig) => {
      const again = (nowMs: number) => {
        if (evicts) rig.evict();
        return rig.write("a", nowMs);
      };
      expect([again(NOW_MS), again(NOW_MS)]).toEqual(["written", "known"]);
      rig.outbox.acknowledge(1);
      rig.outbox.forget(NOW_MS + OUTBOX_REMEMBERED_MS - 1);
      expect(again(NOW_MS + OUTBOX_REMEMBERED_MS - 1)).toBe("known");
      rig.outbox.forget(NOW_MS + OUTBOX_REMEMBERED_MS);
      expect(again(NOW_MS + OUTBOX_REMEMBERED_MS)).toBe("written");
    }),
  );

  it("forgets nothing that was not acknowledged, however old it is", () =>
    withRig((rig) => {
      for (const key of ["a", "b"]) rig.write(key);
      rig.outbox.acknowledge(1);
      rig.outbox.forget(NOW_MS + 365 * 86_400_000);
      expect(rig.sql.run("SELECT seq, key FROM outbox")).toEqual([{ seq: 2, key: "b" }]);
      expect(rig.outbox.forgottenAtMs).toBe(NOW_MS + OUTBOX_REMEMBERED_MS);
    }));

  it("writes one row for an entry, one for an acknowledgement, and none for what it knows or cannot read", () =>
    withRig((rig) => {
      const cost = (work: () => unknown) => {
        rig.rowsWritten = 0;
        work();
        return rig.rowsWritten;
      };
      rig.write("a");
      expect(cost(() => rig.write("b"))).toBe(1);
      expect(cost(() => rig.write("b"))).toBe(0);
      expect(cost(() => rig.outbox.write("{}", NOW_MS))).toBe(0);
      expect(cost(() => rig.outbox.batch())).toBe(0);
      expect(cost(() => rig.outbox.acknowledge(2))).toBe(1);
      expect(cost(() => rig.outbox.acknowledge(2))).toBe(0);
      expect(cost(() => rig.outbox.acknowledge(1))).toBe(0);
      expect(cost(() => rig.outbox.forget(NOW_MS))).toBe(0);
    }));

  it("does not keep what it cannot read", () =>
    withRig((rig) => {
      const whole = textOf(browsed("a"));
      const unreadable = ["", "null", "{", "[]", `${whole}x`, whole.replace('"version":1', '"version":2')];
      const secret = JSON.stringify({
        ...browsed("a"),
        version: 1,
        event: { ...browsed("a").event, token: "s" },
      });
      for (const text of [...unreadable, secret, `${whole}${" ".repeat(ENTRY_MAX_CHARS)}`]) {
        expect(rig.outbox.write(text, NOW_MS)).toBe("unreadable");
      }
      expect(rig.sql.run("SELECT * FROM outbox_source")).toEqual([]);
    }));

  it("takes any key for what it is", () =>
    withRig((rig) => {
      const keys = ["__proto__", "constructor", "\u0000", "a'; DROP TABLE outbox; --", "<|endoftext|>", " "];
      for (const key of keys) {
        expect(rig.write(key)).toBe("written");
        rig.evict();
        expect(rig.write(key)).toBe("known");
      }
      expect(rig.outbox.batch()?.entries).toEqual(keys.map((key) => textOf(browsed(key))));
    }));

  it("fills a delivery up to its number of entries, and up to its size", () =>
    withRig((rig) => {
      rig.write("a");
      rig.fill(2, DELIVERY_ENTRIES_MAX_COUNT, "x");
      expect(rig.outbox.batch()?.entries.length).toBe(DELIVERY_ENTRIES_MAX_COUNT);
      rig.outbox.acknowledge(1);
      rig.sql.run("UPDATE outbox SET entry = ?", "y".repeat(ENTRY_MAX_CHARS));
      const sizes = rig.outbox.batch()?.entries.map(({ length }) => length);
      expect(sizes).toEqual(
        Array.from({ length: DELIVERY_MAX_CHARS / ENTRY_MAX_CHARS }, () => ENTRY_MAX_CHARS),
      );
    }));

  it("sends an unreadable one in the place of what no delivery may carry, so that nothing behind it is kept back", () =>
    withRig((rig) => {
      for (const key of ["a", "b", "c"]) rig.write(key);
      rig.sql.run("UPDATE outbox SET entry = ? WHERE seq = 2", "z".repeat(ENTRY_MAX_CHARS + 1));
      expect(rig.outbox.batch()?.entries).toEqual([textOf(browsed("a")), "", textOf(browsed("c"))]);
    }));

  it("keeps so many that wait and no more, and says how many it could not keep", () =>
    withRig((rig) => {
      rig.write("a");
      rig.fill(2, OUTBOX_ROWS_MAX_COUNT - 2, "x");
      expect(rig.write("b")).toBe("written");
      expect(rig.write("c")).toBe("dropped");
      rig.evict();
      expect(rig.write("d")).toBe("dropped");
      expect(rig.write("b")).toBe("known");
      expect(rig.outbox.batch()).toMatchObject({ from: 1, dropped: 2 });
      rig.outbox.acknowledge(1);
      expect(rig.write("d")).toBe("written");
      expect(rig.outbox.batch()).toMatchObject({ from: 2, dropped: 2 });
      rig.outbox.acknowledge(Number.MAX_SAFE_INTEGER);
      rig.evict();
      expect(rig.outbox.pending).toBe(false);
      rig.write("e");
      expect(rig.outbox.batch()).toMatchObject({ from: OUTBOX_ROWS_MAX_COUNT + 2, dropped: 2 });
    }));

  it("counts one that it could not keep once, however often it is told, as far as it remembers", () =>
    withRig((rig) => {
      rig.write("a");
      rig.fill(2, OUTBOX_ROWS_MAX_COUNT - 1, "x");
      const drop = (key: string) => {
        expect(rig.write(key)).toBe("dropped");
      };
      for (const key of ["b", "b", "c", "b", "c"]) drop(key);
      expect(rig.outbox.batch()).toMatchObject({ dropped: 2 });
      for (let at = 0; at < OUTBOX_DROPPED_KEYS_MAX_COUNT - 1; at += 1) drop(`d${at}`);
      drop("c");
      expect(rig.outbox.batch()).toMatchObject({ dropped: OUTBOX_DROPPED_KEYS_MAX_COUNT + 1 });
      drop("b");
      expect(rig.outbox.batch()).toMatchObject({ dropped: OUTBOX_DROPPED_KEYS_MAX_COUNT + 2 });
      rig.create();
      rig.write("a");
      rig.fill(2, OUTBOX_ROWS_MAX_COUNT - 1, "x");
      drop("b");
      expect(rig.outbox.batch()).toMatchObject({ dropped: 1 });
    }));

  it("goes back after a gap as far as it has rows, and with what there is where it has none", () =>
    withRig((rig) => {
      for (const key of ["a", "b", "c", "d"]) rig.write(key);
      rig.outbox.acknowledge(3);
      rig.outbox.rewind(2);
      rig.evict();
      expect(rig.outbox.batch()).toMatchObject({ from: 2, acknowledged: 1 });
      // Those are gone: whoever reads `acknowledged` does not wait for them.
      rig.outbox.acknowledge(2);
      rig.sql.run("DELETE FROM outbox WHERE seq <= 2");
      rig.outbox.rewind(1);
      expect(rig.outbox.batch()).toMatchObject({ from: 3, acknowledged: 2 });
      rig.outbox.acknowledge(4);
      rig.sql.run("DELETE FROM outbox");
      rig.outbox.rewind(1);
      rig.evict();
      expect(rig.outbox.pending).toBe(false);
      expect(rig.write("e")).toBe("written");
      expect(rig.outbox.batch()).toMatchObject({ from: 5, acknowledged: 4 });
      rig.outbox.rewind(99);
      expect(rig.outbox.batch()).toMatchObject({ from: 5, acknowledged: 4 });
    }));

  it("delivers on where a row in between is gone", () =>
    withRig(async (rig) => {
      for (const key of ["a", "b", "c", "d"]) rig.write(key);
      rig.sql.run("DELETE FROM outbox WHERE seq IN (1, 3)");
      rig.evict();
      const ledger = new LedgerModel();
      expect(await ship(rig.outbox, ledger, () => {})).toBe("empty");
      expect(ledger.counted).toEqual(["b", "d"]);
    }));

  it("reads on where its ledger has lost everything, and counts nothing again", () =>
    withRig(async (rig) => {
      const ledger = new LedgerModel();
      rig.write("a");
      await ship(rig.outbox, ledger, () => {});
      ledger.lose();
      rig.write("b");
      expect(await ship(rig.outbox, ledger, () => {})).toBe("empty");
      expect(ledger.counted).toEqual(["a", "b"]);
    }));
});

type Step =
  | { readonly do: "write"; readonly back: number }
  | {
      readonly do: "ship";
      readonly weather: readonly Weather[];
      readonly evictedAt: number;
      readonly size: number;
    }
  | { readonly do: "evict" }
  | { readonly do: "wait"; readonly ms: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant("write" as const), back: fc.nat(6) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("ship" as const),
        weather: fc.array(fc.constantFrom<Weather>("clear", ...FOUL), { maxLength: 5 }),
        // The delivery before whose answer the source loses its memory.
        evictedAt: fc.nat(5),
        /** Entries in a delivery. */
        size: fc.integer({ min: 1, max: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: "evict" as const }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(2 * OUTBOX_REMEMBERED_MS) }),
    },
  ),
  { maxLength: 40 },
);

/** Runs a history to its end. `told` are the keys in their order, `strange` the writes that were not what they should be. */
async function live(rig: OutboxRig, history: readonly Step[]) {
  rig.create();
  const ledger = new LedgerModel();
  const told: { key: string; atMs: number }[] = [];
  const strange: string[] = [];
  let nowMs = NOW_MS;
  for (const step of history) {
    switch (step.do) {
      case "write": {
        // A new one, or one of the last few again: no repetition comes later than it is remembered.
        const earlier = step.back === 0 ? undefined : told.at(-step.back);
        const repeated = earlier !== undefined && nowMs - earlier.atMs < OUTBOX_REMEMBERED_MS;
        const key = repeated ? earlier.key : `k${told.length}`;
        const written = rig.write(key, nowMs);
        if (written !== (repeated ? "known" : "written")) strange.push(`${key} ${written}`);
        if (!repeated) told.push({ key, atMs: nowMs });
        break;
      }
      case "ship":
        ledger.weather = [...step.weather];
        await ship(inSmall(rig.outbox, step.size), dyingAfter(step.evictedAt, ledger), () => {});
        rig.evict();
        rig.outbox.forget(nowMs);
        break;
      case "evict":
        rig.evict();
        break;
      case "wait":
        nowMs += step.ms;
        break;
    }
  }
  ledger.weather = [];
  while ((await ship(rig.outbox, ledger, () => {})) !== "empty");
  return { ledger, strange, told: told.map(({ key }) => key) };
}

/** Delivers a few entries at a time. */
function inSmall(outbox: Outbox, size: number): Parameters<typeof ship>[0] {
  return {
    batch: () => {
      const delivery = outbox.batch();
      return delivery === null ? null : { ...delivery, entries: delivery.entries.slice(0, size) };
    },
    acknowledge: (last) => {
      outbox.acknowledge(last);
    },
    rewind: (expected) => {
      outbox.rewind(expected);
    },
  };
}

/** The source is gone when this answer comes (0: it lives). */
function dyingAfter(deliveries: number, ledger: LedgerModel): LedgerDoor {
  let count = 0;
  return {
    deliver: async (delivery) => {
      const answer = await ledger.deliver(delivery);
      count += 1;
      if (count === deliveries) throw new Error("the source is gone");
      return answer;
    },
  };
}

describe("whatever happens between an outbox and the ledger", () => {
  it("each telling counts exactly once, in order", () =>
    withRig(async (rig) => {
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          const { ledger, strange, told } = await live(rig, history);
          expect(strange).toEqual([]);
          expect(ledger.counted).toEqual(told);
          expect(ledger.deliveries.every(({ dropped }) => dropped === 0)).toBe(true);
        }),
        { numRuns: 300 },
      );
    }));
});
