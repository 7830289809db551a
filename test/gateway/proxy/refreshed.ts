import { ok } from "../../../src/result.ts";
import { type Listings, RefreshRig, settingsOf } from "../../support/catalog/rig.ts";
import { readCatalog } from "../../support/catalog/served.ts";
import { proxied } from "./proxied.ts";

/** The proxy over the catalog that a refresh makes of what servers list, read as an isolate reads it. */
export async function refreshedProxy(listings: Listings) {
  const rig = new RefreshRig();
  const settings = settingsOf(Object.fromEntries(Object.keys(listings).map((name) => [name, {}])));
  const outcome = await rig.refresh(settings, listings);
  const catalog = await readCatalog(rig.kv, settings);
  const loaded = async () => ok(catalog);
  const proxy = proxied({
    catalogs: {
      current: loaded,
      atLeast: loaded,
      newest: loaded,
      known: () => undefined,
      changedSince: async () => true,
      refreshSoon: () => undefined,
    },
  });
  return { ...proxy, catalog, skipped: outcome.servers.flatMap(({ skipped }) => skipped) };
}
