import type { Catalog, Sees } from "../../catalog/catalog.ts";
import { URI_OWNERS_CACHED_MAX_COUNT } from "../../limits.ts";
import { isAskableUri } from "../../native-uri/askable-uri.ts";
import { nativeUri } from "../../native-uri/native-uri.ts";
import type { LinkNames } from "../../native-uri/rewrite-links.ts";
import { type UriOwners, uriOwners } from "../../native-uri/uri-owners.ts";
import type { ConfiguredServer } from "../ports.ts";
import { isAskedUnlisted } from "../primitives/unlisted-resource.ts";
import { serverNames } from "./server-names.ts";

/** By which URIs a client of `/mcp/proxy` knows what it sees. */
export interface UriNames {
  /** Of a resource, or of anything that a server calls by this URI. */
  uri(server: string, uri: string): string;
  template(server: string, text: string): string;
  /** For the links in a server's results. */
  links(server: string): LinkNames;
}

/** What is on the web is for clients to fetch themselves (MCP 2025-11-25, "Common URI Schemes"). */
const WEB = /^https?:/i;

/** The names within one kind's catalog, of what exists for somebody; without a catalog no URI is anybody's. */
export function uriNames(
  resources: Catalog | undefined,
  sees: Sees,
  servers: readonly ConfiguredServer[],
): UriNames {
  const owners = resources === undefined ? uriOwners([]) : ownersIn(resources, sees);
  const { namespaceOf } = serverNames(servers);
  const uri = (server: string, own: string): string =>
    nativeUri(namespaceOf(server), own, owners.isContested(server, own));
  /** Whether a server could be asked for what it does not list, and its URI alone would not say that it is to be. */
  const isAskedByName = (server: string, own: string): boolean =>
    !owners.isAskedAlone(server) &&
    !WEB.test(own) &&
    isAskableUri(own) &&
    isAskedUnlisted(
      servers.find(({ name }) => name === server),
      own,
      sees,
    );
  // A link goes by another name only where its server could be asked for it: any other is somebody else's, or nobody's.
  const link = (server: string, own: string): string => {
    if (owners.has(server, own)) return uri(server, own);
    return isAskedByName(server, own) ? nativeUri(namespaceOf(server), own, true) : own;
  };
  return {
    uri,
    template: (server, text) =>
      nativeUri(namespaceOf(server), text, owners.isContestedTemplate(server, text)),
    links: (server) => ({
      link: (own) => link(server, own),
      // Any text may stand there: only what the server itself lists is taken for a URI.
      meta: (text) => (owners.lists(server, text) ? uri(server, text) : text),
    }),
  };
}

const known = new WeakMap<object, Map<string, UriOwners>>();

/** Found out once for each content and each set of scopes; of the latter those used last are remembered. */
function ownersIn(resources: Catalog, sees: Sees): UriOwners {
  const { key } = sees;
  if (key === undefined) return ownersOf(resources, sees);
  const content = resources.content ?? resources;
  const byScopes = known.get(content) ?? new Map<string, UriOwners>();
  known.set(content, byScopes);
  const scopes = JSON.stringify(key);
  const owners = byScopes.get(scopes) ?? ownersOf(resources, sees);
  byScopes.delete(scopes);
  byScopes.set(scopes, owners);
  for (const oldest of byScopes.keys()) {
    if (byScopes.size <= URI_OWNERS_CACHED_MAX_COUNT) break;
    byScopes.delete(oldest);
  }
  return owners;
}

function ownersOf(resources: Catalog, sees: Sees): UriOwners {
  const { tools } = resources.page(undefined, Infinity, sees);
  return uriOwners(
    tools.map((tool) => ({ server: tool.server, text: tool.upstreamName, isTemplate: tool.card.has_schema })),
  );
}
