import type { Catalog } from "../../catalog/catalog.ts";

/** Found out once for each content: every request has a catalog object of its own, and what is the same in all lasts. */
export function oncePerContent<Of extends object & Pick<Catalog, "content">, Found>(
  find: (catalog: Of) => Found,
): (catalog: Of) => Found {
  const known = new WeakMap<object, { readonly found: Found }>();
  return (catalog) => {
    const content = catalog.content ?? catalog;
    const kept = known.get(content) ?? { found: find(catalog) };
    known.set(content, kept);
    return kept.found;
  };
}
