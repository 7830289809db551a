import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { CatalogSql } from "../../src/catalog/refresh/catalog-schema-store.ts";
import { SqlRolloutStore } from "../../src/catalog/rollout/rollout-store.ts";
import { NO_ROLLOUT, promote } from "../../src/catalog/rollout/rollout.ts";
import { REJECTIONS_KEPT_MAX_COUNT, TARGETS_KEPT_MAX_COUNT } from "../../src/limits.ts";
import { readGeneration } from "../../src/spine/fault/generation.ts";
import { freshStorage } from "./fresh-storage.ts";

const stub = () => env.CATALOGS.getByName("catalog-1");

afterEach(async () => {
  await freshStorage();
});

describe("what the object keeps of rollouts, in SQLite", () => {
  const withStore = (test: (store: SqlRolloutStore) => void) =>
    runInDurableObject(stub(), (_, state) => {
      test(new SqlRolloutStore(new CatalogSql(state.storage.sql)));
    });

  it("is read back as it was written, by the server's name and no other's", async () => {
    await withStore((store) => {
      expect(store.rollout("__proto__")).toEqual(NO_ROLLOUT);
      const moved = promote(NO_ROLLOUT, { configured: "blue", candidate: "green" });
      if (!moved.ok) throw new Error(moved.reason);
      for (const name of ["__proto__", "s'\u0000\ud800", "x".repeat(10_000)]) {
        store.saveRollout(name, moved.value.rollout);
        expect(store.rollout(name)).toEqual(moved.value.rollout);
        expect(store.rollout(`${name} `)).toEqual(NO_ROLLOUT);
      }
      store.reject("a", "s", "down", 1);
      expect([store.rejection("a", "s"), store.rejection("b", "s"), store.rejection("a", "t")]).toEqual([
        "down",
        undefined,
        undefined,
      ]);
      store.acquit("a", "s");
      expect(store.rejection("a", "s")).toBeUndefined();
    });
  });

  it("is bounded, and goes on counting from the newest", async () => {
    await withStore((store) => {
      let newest = 0;
      for (let at = 1; at <= TARGETS_KEPT_MAX_COUNT + 9; at += 1) {
        const generation = readGeneration(at);
        if (!generation.ok) throw new Error("no generation");
        const known = store.rollout("s");
        store.saveRollout("s", {
          ...known,
          generations: new Map(known.generations).set(`t${at}`, generation.value),
        });
        newest = Math.max(...store.rollout("s").generations.values());
        expect(newest).toBe(at);
        store.reject("s", `c${at}`, "down", at);
      }
      const { generations } = store.rollout("s");
      expect(generations.size).toBe(TARGETS_KEPT_MAX_COUNT);
      expect(generations.has("t1")).toBe(false);
      const kept = Array.from({ length: newest }, (_, at) => store.rejection("s", `c${at + 1}`));
      expect(kept.filter((reason) => reason !== undefined)).toHaveLength(REJECTIONS_KEPT_MAX_COUNT);
      expect(kept.at(-1)).toBe("down");
    });
  });
});
