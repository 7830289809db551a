import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import { CatalogCache } from "../../../src/catalog/reader/catalog-cache.ts";
import { CatalogReader } from "../../../src/catalog/reader/reader.ts";
import type { SnapshotCatalog } from "../../../src/catalog/reader/snapshot-catalog.ts";
import type { CatalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { type CatalogKv, SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { fail } from "../../../src/result.ts";

const away = async () => fail({ reason: "catalog_unreachable", detail: "away" } as const);

/** The catalog as an isolate sees it which has nothing but KV; an error where it is not whole. */
export async function readCatalog(kv: CatalogKv, settings: CatalogSettings): Promise<SnapshotCatalog> {
  const reader = new CatalogReader({
    cache: new CatalogCache(),
    kv: new SnapshotStore(kv),
    object: { refresh: away, newest: away, content: away, move: away },
    config: { hash: settings.hash, text: "" },
    nowMs: () => 0,
    sleep: () => new Promise(() => undefined),
    background: () => undefined,
    log: () => undefined,
  });
  const catalog = await reader.current();
  if (!catalog.ok) throw new Error(catalog.reason.detail);
  return catalog.value;
}

/**
 * All tools that an isolate sees which has nothing but KV: where each one is called, and its definition. Null where no catalog
 * was ever published; one that is not whole is an error.
 */
export async function servedTools(kv: CatalogKv, settings: CatalogSettings) {
  if ((await new SnapshotStore(kv).pointer(settings.hash)) === undefined) return null;
  const catalog = await readCatalog(kv, settings);
  const tools = [];
  for (const { id, server, target, targetGeneration, ...tool } of catalog.page(
    undefined,
    1_000,
    SEES_EVERYTHING,
  ).tools) {
    const definition = await catalog.definition({ id, server, target, targetGeneration, ...tool });
    if (!definition.ok) throw new Error(definition.reason.detail);
    tools.push({ id, server, target, generation: targetGeneration, ...definition.value });
  }
  return { generation: catalog.version.generation, tools };
}
