import { sha256Hex } from "../identity/digest.ts";
import { serverNamespace } from "../identity/namespace.ts";
import { oncePerObject } from "../once-per-object.ts";
import type { GatewayPorts } from "./ports.ts";

/** The names that servers have in native URIs, and back. */
export interface ServerNames {
  readonly namespaceOf: (server: string) => string;
  readonly serverOf: (namespace: string) => string | undefined;
}

/**
 * A server's name in native URIs is its namespace. Where namespaces are inferred, a name may give none, or one that another
 * has: such a server's is made of a hash of its name.
 */
export const serverNames = oncePerObject((servers: GatewayPorts["servers"]): ServerNames => {
  const counts = new Map<string, number>();
  const slugs = new Map<string, string>();
  for (const { name } of servers) {
    const slug = serverNamespace(name);
    if (!slug.ok) continue;
    slugs.set(name, slug.value);
    counts.set(slug.value, (counts.get(slug.value) ?? 0) + 1);
  }
  const namespaceOf = (server: string): string => {
    const slug = slugs.get(server);
    return slug !== undefined && counts.get(slug) === 1 ? slug : `server-${sha256Hex(server).slice(0, 16)}`;
  };
  const byNamespace = new Map(servers.map(({ name }) => [namespaceOf(name), name]));
  return { namespaceOf, serverOf: (namespace) => byNamespace.get(namespace) };
});
