import type { Catalog, CatalogPort, CatalogTool, OtherKind } from "../../catalog/catalog.ts";
import { resolvePath } from "../../catalog/tree/resolve.ts";
import { buildTree } from "../../catalog/tree/tree.ts";
import { kindOfId, type PrimitiveKind } from "../../identity/primitive-id.ts";
import { fail, ok } from "../../result.ts";

/** The part of a catalog that holds one kind; an empty one where no server has any of it. */
export function catalogOf(kind: PrimitiveKind, catalog: Catalog): Catalog {
  if (kind === "tool") return catalog;
  const part = catalog.of(kind) ?? emptyCatalog(catalog);
  wholes.set(part, catalog);
  return part;
}

const wholes = new WeakMap<object, Catalog>();

/** The catalog of all kinds that one of one kind was taken of; `undefined` for any other. */
export function wholeOf(part: object): Catalog | undefined {
  return wholes.get(part);
}

/** Catalogs of one kind, of the same generations. */
export function catalogsOf(kind: PrimitiveKind, catalogs: CatalogPort): CatalogPort {
  if (kind === "tool") return catalogs;
  type Loaded = Awaited<ReturnType<CatalogPort["current"]>>;
  const narrowed = (loaded: Loaded): Loaded => (loaded.ok ? ok(catalogOf(kind, loaded.value)) : loaded);
  return {
    current: async () => narrowed(await catalogs.current()),
    atLeast: async (generation) => narrowed(await catalogs.atLeast(generation)),
    newest: async () => narrowed(await catalogs.newest()),
    known: () => catalogs.known(),
    changedSince: (generation, sees) => catalogs.changedSince(generation, sees),
    refreshSoon: (reason) => {
      catalogs.refreshSoon(reason);
    },
  };
}

/** What an id names, of whatever kind it is. */
export function findOfAnyKind(catalog: Catalog, id: string): CatalogTool | undefined {
  return catalogOf(kindOfId(id), catalog).find(id);
}

/** Which kinds besides tools there are any of, whoever asks. */
export function kindsIn(catalog: Catalog): Readonly<Record<OtherKind, boolean>> {
  return {
    resource: catalog.of("resource") !== undefined,
    prompt: catalog.of("prompt") !== undefined,
  };
}

/**
 * Whether a catalog has anything of a kind, whoever asks: what is offered must not change with a bearer's scopes. Before it
 * is denied, the newest catalog is asked for.
 */
export async function hasKind(kind: OtherKind, catalogs: CatalogPort): Promise<boolean> {
  const current = await catalogs.current();
  // Where there is no catalog nobody can tell, and the call itself says so.
  if (!current.ok || current.value.of(kind) !== undefined) return true;
  const newest = await catalogs.newest();
  return newest.ok && newest.value.of(kind) !== undefined;
}

const NO_TREE = buildTree([]);

function emptyCatalog({ version }: Catalog): Catalog {
  return {
    version,
    namespaces: () => [],
    find: () => undefined,
    search: () => ({ hits: [], total: 0, ambiguous: false, weak: false }),
    resolve: (path) => resolvePath(NO_TREE, path),
    similar: () => [],
    page: () => ({ tools: [], more: false }),
    of: () => undefined,
    definition: async () => fail({ reason: "catalog_unavailable", detail: "it has nothing of this kind" }),
  };
}
