import type { Catalog, CatalogTool, Sees } from "../../catalog/catalog.ts";
import type { Found } from "../../dispatch/ports.ts";
import { resourceByAnyUri, resourceByUri } from "../primitives/resource-by-uri.ts";
import { resourceTable } from "../primitives/resource-table.ts";
import type { ServerNames } from "../server-names.ts";

/**
 * What a client's URI means: of the server that it names, else by itself. Several claims of one server are one: what it
 * lists first, and of templates the one that says most of the URI itself. Of several servers none is chosen.
 */
export function findResource(
  resources: Catalog,
  text: string,
  sees: Sees,
  names: ServerNames,
): Found<CatalogTool> | undefined {
  return resourceByAnyUri(resources, text, sees, names, (_resources, uri, seen, server) =>
    oneOfEach(resources, uri, seen, server),
  );
}

function oneOfEach(resources: Catalog, uri: string, sees: Sees, of?: string): Found<CatalogTool> | undefined {
  const found = resourceByUri(resources, uri, sees, of);
  if (found === undefined || !("owners" in found)) return found;
  const byServer = new Map<string, string>();
  const literalChars = new Map(
    resourceTable(resources).templates.map((each) => [each.listed.id, each.literalChars]),
  );
  const narrowest = found.owners.toSorted(
    (one, other) => (literalChars.get(other) ?? 0) - (literalChars.get(one) ?? 0),
  );
  for (const id of narrowest) {
    const server = resources.find(id)?.server;
    if (server !== undefined && !byServer.has(server)) byServer.set(server, id);
  }
  const [first, ...others] = byServer.values();
  if (others.length > 0) return { owners: found.owners.filter((id) => [first, ...others].includes(id)) };
  return resourceByUri(resources, uri, (id) => id === first);
}
