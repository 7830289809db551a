import type { Catalog, Sees } from "../../catalog/catalog.ts";
import { isAskableUri } from "../../native-uri/askable-uri.ts";
import { isOurs, nativeUri } from "../../native-uri/native-uri.ts";
import type { LinkNames } from "../../native-uri/rewrite-links.ts";
import { type UriOwners, uriOwners } from "../../native-uri/uri-owners.ts";
import type { ConfiguredServer } from "../ports.ts";
import { oncePerScopes } from "../primitives/once-per-scopes.ts";
import { isOnlyServer } from "../primitives/seen-servers.ts";
import { isAskedUnlisted } from "../primitives/unlisted-resource.ts";
import { serverNames } from "../server-names.ts";

/** By which URIs a client of `/mcp/proxy` knows what it sees. */
export interface UriNames {
  /** Of a resource, or of anything that a server calls by this URI. */
  uri(server: string, uri: string): string;
  template(server: string, text: string): string;
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
  return {
    uri: (server, own) => nativeUri(namespaceOf(server), own, owners.isContested(server, own)),
    template: (server, text) =>
      nativeUri(namespaceOf(server), text, owners.isContestedTemplate(server, text)),
  };
}

/**
 * The names for links in a server's results, so that none leads to another server that was not meant. What the server has not,
 * and may not be asked for, stays only where another lists just that, or nobody could take it for its own.
 */
export function linkNames(
  server: string,
  whole: Catalog | undefined,
  sees: Sees,
  servers: readonly ConfiguredServer[],
): LinkNames {
  const resources = whole?.of("resource");
  const owners = resources === undefined ? uriOwners([]) : ownersIn(resources, sees);
  const names = uriNames(resources, sees, servers);
  const configured = servers.find(({ name }) => name === server);
  const named = (own: string): string => nativeUri(serverNames(servers).namespaceOf(server), own, true);
  const isAsked = (own: string): boolean =>
    owners.hasAny(server) && isAskableUri(own) && isAskedUnlisted(configured, own, sees);
  const isOnly = (): boolean => whole !== undefined && isOnlyServer(server, whole, sees, servers);
  return {
    link: (own) => {
      if (owners.has(server, own)) return names.uri(server, own);
      // A server knows no other's names: one that writes like us would send its reader to whom it likes.
      if (isOurs(own)) return named(own);
      if (WEB.test(own)) return own;
      if (isAsked(own)) return isOnly() ? own : named(own);
      return owners.isListed(own) || !owners.isContested(server, own) ? own : named(own);
    },
    // Any text may stand there: only what the server itself lists is taken for a URI.
    meta: (text) => (owners.lists(server, text) ? names.uri(server, text) : text),
  };
}

const ownersIn = oncePerScopes(ownersOf);

function ownersOf(resources: Catalog, sees: Sees): UriOwners {
  const { tools } = resources.page(undefined, Infinity, sees);
  return uriOwners(
    tools.map((tool) => ({ server: tool.server, text: tool.upstreamName, isTemplate: tool.card.has_schema })),
  );
}
