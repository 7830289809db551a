import { CatalogCache } from "../../../src/catalog/reader/catalog-cache.ts";
import type { CatalogObjectPort } from "../../../src/catalog/reader/object-port.ts";
import { CatalogReader } from "../../../src/catalog/reader/reader.ts";
import { type CatalogKv, SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { fail, ok } from "../../../src/result.ts";
import { MemoryRefreshStore } from "../../support/catalog/memory-store.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";

export const SETTINGS = settingsOf({ alpha: {} });

/** An object over a rig, and one isolate that reads: `open` is one request of it. */
export function world() {
  const store = new MemoryRefreshStore();
  const rig = new RefreshRig(store);
  const calls: string[] = [];
  const state = { listings: { alpha: [tool("a1")] } as Listings, reachable: true, gaveUp: false };
  const asked = (call: string) => {
    calls.push(call);
    return state.reachable ? undefined : fail({ reason: "catalog_unreachable" as const, detail: "away" });
  };
  const object: CatalogObjectPort = {
    refresh: async (reason) => {
      const away = asked(`refresh ${reason}`);
      if (away !== undefined) return away;
      if (state.gaveUp) return new Promise(() => undefined);
      const { pointer, changed, servers } = await rig.refresh(SETTINGS, state.listings);
      return ok({ version: 1, pointer, changed, servers });
    },
    move: async ({ move }) => asked(move) ?? ok({ version: 1, moved: false, reason: "no_candidate" }),
    newest: async (config) => asked("newest") ?? ok(store.published(config)?.pointer),
    content: async (kind, hash) =>
      asked(`content ${kind}`) ?? ok(kind === "snapshot" ? (store.snapshots.get(hash) ?? null) : null),
  };
  const isolate = (kv: CatalogKv = rig.kv.at()) => {
    const cache = new CatalogCache();
    const background: Promise<unknown>[] = [];
    const open = () =>
      new CatalogReader({
        cache,
        kv: new SnapshotStore(kv),
        object,
        config: { hash: SETTINGS.hash, text: "{}" },
        nowMs: () => rig.clock.nowMs,
        sleep: () => (state.gaveUp ? Promise.resolve() : new Promise(() => undefined)),
        background: (work) => background.push(work),
        log: () => undefined,
      });
    const settled = async () => {
      await Promise.all(background.splice(0));
    };
    return { open, cache, settled, background };
  };
  return { rig, store, calls, state, isolate, refresh: () => rig.refresh(SETTINGS, state.listings) };
}
