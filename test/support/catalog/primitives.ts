import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import type { Catalog, OtherKind } from "../../../src/catalog/catalog.ts";
import { type Listings, RefreshRig, settingsOf } from "./rig.ts";
import { readCatalog } from "./served.ts";

export const PRIMITIVE_SETTINGS = settingsOf({ alpha: {}, beta: {} });

export const resource = (uri: string, more: object = {}) => ({ uri, name: uri.split("/").at(-1), ...more });
export const template = (uriTemplate: string, more: object = {}) => ({ uriTemplate, name: "by id", ...more });
export const prompt = (name: string, args: readonly unknown[] = [], more: object = {}) => ({
  name,
  arguments: args,
  ...more,
});

export async function catalogOf(
  listings: Listings,
  rig = new RefreshRig(),
  settings = PRIMITIVE_SETTINGS,
): Promise<Catalog> {
  await rig.refresh(settings, listings);
  return readCatalog(rig.kv, settings);
}

export function itemsOf(catalog: Catalog, kind: OtherKind) {
  return catalog.of(kind)?.page(undefined, 100_000, SEES_EVERYTHING).tools ?? [];
}

export async function definitionsOf(catalog: Catalog, kind: OtherKind) {
  const own = catalog.of(kind);
  return Promise.all(
    itemsOf(catalog, kind).map(async (item) => {
      const read = await own?.definition(item);
      if (read?.ok !== true) throw new Error(`no definition of ${item.id}`);
      return read.value;
    }),
  );
}
