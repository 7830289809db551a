import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MeteredSql } from "../../src/principal/metered-sql-store.ts";
import { ArtifactRowStore } from "../../src/principal/artifact-row-store.ts";
import { PrincipalSchema } from "../../src/principal/schema-store.ts";
import { row } from "./artifact-client.ts";
import { farAheadClock } from "./far-ahead.ts";
import { stubOf } from "./principal-client.ts";

farAheadClock();

interface Kept {
  readonly sizeBytes: number;
  readonly expiresAtMs: number;
  readonly keptAtMs: number;
  readonly storedAs: string | undefined;
}

/** The contract, naively. */
class Model {
  readonly rows = new Map<string, Kept>();

  write(handle: string, kept: Kept): void {
    const known = this.rows.get(handle);
    if (known === undefined) {
      this.rows.set(handle, kept);
      return;
    }
    const longer = kept.expiresAtMs >= known.expiresAtMs ? kept : known;
    const { expiresAtMs, storedAs } = longer;
    this.rows.set(handle, { ...known, expiresAtMs, storedAs, keptAtMs: kept.keptAtMs });
  }

  sweep(nowMs: number): void {
    for (const [handle, { expiresAtMs }] of this.rows) if (expiresAtMs <= nowMs) this.rows.delete(handle);
  }

  live(nowMs: number): [string, Kept][] {
    return [...this.rows].filter(([, { expiresAtMs }]) => expiresAtMs > nowMs);
  }

  oldest(nowMs: number): string[] {
    const byAge = this.live(nowMs).toSorted(
      ([left, { keptAtMs: leftMs }], [right, { keptAtMs: rightMs }]) =>
        leftMs - rightMs || (left < right ? -1 : 1),
    );
    return byAge.map(([handle]) => handle);
  }
}

const handles = fc.constantFrom("a", "b", "c", "d", "__proto__");
const step = fc.oneof(
  fc.record({
    step: fc.constant("write" as const),
    handle: handles,
    sizeBytes: fc.nat(1000),
    lifeMs: fc.integer({ min: 1, max: 50 }),
    storedAs: fc.option(fc.constantFrom("d1/x", "d30/y"), { nil: undefined }),
  }),
  fc.record({ step: fc.constant("evict" as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ step: fc.constantFrom("sweep" as const, "wake" as const, "count" as const) }),
  // A clock may be stepped back.
  fc.record({ step: fc.constant("clock" as const), ms: fc.integer({ min: -20, max: 40 }) }),
);

describe("what is booked for a principal", () => {
  it("is the sum of what has not expired, through writes, renewals, evictions, sweeps and new lives", async () => {
    await runInDurableObject(stubOf("ada"), (_, state) => {
      const sql = new MeteredSql(state.storage.sql);
      new PrincipalSchema(sql).ensure();
      fc.assert(
        fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
          sql.run("DELETE FROM artifacts");
          let store = new ArtifactRowStore(sql);
          const model = new Model();
          let nowMs = 1000;
          for (const taken of steps) {
            if (taken.step === "write") {
              const { handle, sizeBytes, lifeMs, storedAs } = taken;
              const expiresAtMs = nowMs + lifeMs;
              store.write(row(0, { handle, sizeBytes, expiresAtMs, storedAs }), nowMs);
              model.write(handle, { sizeBytes, expiresAtMs, keptAtMs: nowMs, storedAs });
            }
            if (taken.step === "evict") {
              store.remove(store.oldest(nowMs).slice(0, taken.count), nowMs);
              for (const handle of model.oldest(nowMs).slice(0, taken.count)) model.rows.delete(handle);
            }
            if (taken.step === "sweep") {
              sql.run("DELETE FROM artifacts WHERE expires_at_ms <= ?", nowMs);
              store.forgetBooked();
              model.sweep(nowMs);
            }
            if (taken.step === "wake") store = new ArtifactRowStore(sql);
            if (taken.step === "clock") nowMs += taken.ms;
            // Not after each step, so that what was reckoned long ago is come upon, too.
            const seen = taken.step === "count" ? [store.booked(nowMs)] : [];
            const live = model.live(nowMs).map(([, kept]) => kept);
            expect(seen.map(({ bytes, count }) => ({ bytes, count }))).toEqual(
              seen.map(() => ({
                bytes: live.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
                count: live.length,
              })),
            );
            // It may say too early, and never too late.
            const nextMs = Math.min(...live.map(({ expiresAtMs }) => expiresAtMs));
            expect(seen.every(({ nextExpiryMs }) => (nextExpiryMs ?? Infinity) <= nextMs)).toBe(true);
            expect(store.oldest(nowMs).map(({ handle }) => handle)).toEqual(model.oldest(nowMs));
            const a = model.live(nowMs).find(([handle]) => handle === "a");
            expect(store.find("a", nowMs)?.storedAs).toBe(a?.[1].storedAs);
          }
        }),
        { numRuns: 400 },
      );
    });
  });
});
