import type { Catalog, Sees } from "../../catalog/catalog.ts";
import { oncePerContent } from "./once-per-content.ts";
import { URI_OWNERS_CACHED_MAX_COUNT } from "../../limits.ts";

/** Found out once for each content and each set of scopes; of the latter those used last are remembered. */
export function oncePerScopes<Found extends object>(
  find: (catalog: Catalog, sees: Sees) => Found,
): (catalog: Catalog, sees: Sees) => Found {
  const knownOf = oncePerContent(() => new Map<string, Found>());
  return (catalog, sees) => {
    const { key } = sees;
    if (key === undefined) return find(catalog, sees);
    const byScopes = knownOf(catalog);
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
