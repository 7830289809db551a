import type { Catalog, CatalogTool, Sees } from "../../catalog/catalog.ts";
import type { Found } from "../../dispatch/ports.ts";
import { readNativeUri } from "../../native-uri/native-uri.ts";
import { resourceByUri } from "../primitives/resource-by-uri.ts";
import type { ServerNames } from "./server-names.ts";

/**
 * What a client's URI means: of the server that it names, else by itself. Several claims of one server are one, what it
 * lists first; of several servers none is chosen.
 */
export function findResource(
  resources: Catalog,
  text: string,
  sees: Sees,
  { serverOf }: ServerNames,
): Found<CatalogTool> | undefined {
  const { namespace, uri } = readNativeUri(text);
  const server = namespace === undefined ? undefined : serverOf(namespace);
  if (server !== undefined) {
    const isIts = (id: string): boolean => sees(id) && resources.find(id)?.server === server;
    const found = oneOfEach(resources, uri, isIts);
    if (found !== undefined) return found;
  }
  // Another gateway's URIs begin as ours do, and may be meant as they are.
  return oneOfEach(resources, text, sees);
}

function oneOfEach(resources: Catalog, uri: string, sees: Sees): Found<CatalogTool> | undefined {
  const found = resourceByUri(resources, uri, sees);
  if (found === undefined || !("owners" in found)) return found;
  const byServer = new Map<string, string>();
  for (const id of found.owners) {
    const server = resources.find(id)?.server;
    if (server !== undefined && !byServer.has(server)) byServer.set(server, id);
  }
  const [first, ...others] = byServer.values();
  if (others.length > 0) return { owners: [...byServer.values()] };
  return resourceByUri(resources, uri, (id) => id === first);
}
