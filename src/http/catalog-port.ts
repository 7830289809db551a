import { CatalogCache } from "../catalog/reader/catalog-cache.ts";
import { catalogObjectPort } from "../catalog/reader/catalogs-store.ts";
import { CatalogReader } from "../catalog/reader/reader.ts";
import { catalogSettings } from "../catalog/refresh/settings.ts";
import { SnapshotStore } from "../catalog/snapshot/snapshot-store.ts";
import type { Config } from "../config.ts";
import type { HttpContext } from "./bindings.ts";
import { logFor } from "./log.ts";

/** One an isolate: values that are the same for everyone. */
const cache = new CatalogCache();
const hashes = new WeakMap<Config, string>();

/** The hash of a configuration's catalog settings, computed once. One without usable settings was refused before any route. */
export function settingsHash(config: Config): string {
  const known = hashes.get(config);
  if (known !== undefined) return known;
  const settings = catalogSettings(config);
  const hash = settings.ok ? settings.value.hash : "";
  hashes.set(config, hash);
  return hash;
}

/** The catalog as one request reads it. */
export function catalogReader(c: HttpContext): CatalogReader {
  return new CatalogReader({
    cache,
    kv: new SnapshotStore(c.env.CATALOG),
    object: catalogObjectPort(c.env.CATALOGS),
    config: { hash: settingsHash(c.get("config")), text: c.get("configText") },
    nowMs: () => Date.now(),
    sleep: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
    background: (work) => {
      c.executionCtx.waitUntil(work);
    },
    log: logFor(c),
  });
}
