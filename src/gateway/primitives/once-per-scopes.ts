import type { Catalog, Sees } from "../../catalog/catalog.ts";
import { URI_OWNERS_CACHED_MAX_COUNT } from "../../limits.ts";

/** Found out once for each content and each set of scopes; of the latter those used last are remembered. */
export function oncePerScopes<Found extends object>(
  find: (catalog: Catalog, sees: Sees) => Found,
): (catalog: Catalog, sees: Sees) => Found {
  const known = new WeakMap<object, Map<string, Found>>();
  return (catalog, sees) => {
    const { key } = sees;
    if (key === undefined) return find(catalog, sees);
    const content = catalog.content ?? catalog;
    const byScopes = known.get(content) ?? new Map<string, Found>();
    known.set(content, byScopes);
    const scopes = JSON.stringify(key);
    const found = byScopes.get(scopes) ?? find(catalog, sees);
    byScopes.delete(scopes);
    byScopes.set(scopes, found);
    for (const oldest of byScopes.keys()) {
      if (byScopes.size <= URI_OWNERS_CACHED_MAX_COUNT) break;
      byScopes.delete(oldest);
    }
    return found;
  };
}
