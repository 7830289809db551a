import { CatalogCache } from "../../../src/catalog/reader/catalog-cache.ts";
import { CatalogReader } from "../../../src/catalog/reader/reader.ts";
import type { CatalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { type CatalogKv, SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { fail } from "../../../src/result.ts";

const away = async () => fail({ reason: "catalog_unreachable", detail: "away" } as const);

/**
 * All tools that an isolate sees which has nothing but KV: where each one is called, and its definition. Null where no catalog
 * was ever published; one that is not whole is an error.
 */
export async function servedTools(kv: CatalogKv, settings: CatalogSettings) {
  const store = new SnapshotStore(kv);
  const reader = new CatalogReader({
    cache: new CatalogCache(),
    kv: store,
    object: { refresh: away, newest: away, content: away, move: away },
    config: { hash: settings.hash, text: "" },
    nowMs: () => 0,
    sleep: () => new Promise(() => undefined),
    background: () => undefined,
    log: () => undefined,
  });
  if ((await store.pointer(settings.hash)) === undefined) return null;
  const catalog = await reader.current();
  if (!catalog.ok) throw new Error(catalog.reason.detail);
  const tools = [];
  for (const { id, server, target, targetGeneration, ...tool } of catalog.value.page(undefined, 1_000)
    .tools) {
    const definition = await catalog.value.definition({ id, server, target, targetGeneration, ...tool });
    if (!definition.ok) throw new Error(definition.reason.detail);
    tools.push({ id, server, target, generation: targetGeneration, ...definition.value });
  }
  return { generation: catalog.value.version.generation, tools };
}
