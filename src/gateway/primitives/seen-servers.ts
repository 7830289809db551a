import type { Catalog, Sees } from "../../catalog/catalog.ts";
import { oncePerScopes } from "./once-per-scopes.ts";
import type { ConfiguredServer } from "../ports.ts";

/**
 * Whether somebody sees anything, of whatever kind, of this server and of no other: only then does a URI alone say whose it
 * is. Static servers do not count, since they have nothing but what they list.
 */
export function isOnlyServer(
  server: string,
  whole: Catalog,
  sees: Sees,
  servers: readonly ConfiguredServer[],
): boolean {
  const kinds = [whole, whole.of("resource"), whole.of("prompt")];
  const seen = kinds.flatMap((kind) => (kind === undefined ? [] : seenServers(kind, sees)));
  const isStatic = (name: string): boolean => servers.find((each) => each.name === name)?.isStatic === true;
  return seen.includes(server) && seen.every((name) => name === server || isStatic(name));
}

/** Of one kind: the contents of the kinds change each by itself. */
const seenServers = oncePerScopes((catalog: Catalog, sees: Sees): readonly string[] => [
  ...new Set(catalog.page(undefined, Infinity, sees).tools.map(({ server }) => server)),
]);
