import type { Catalog } from "../../catalog/catalog.ts";
import { type LinkNames, rewriteLinks } from "../../native-uri/rewrite-links.ts";
import type { CallContext } from "../call-context.ts";
import type { GatewayPorts } from "../ports.ts";
import { linkNames } from "./uri-names.ts";

type Members = Readonly<Record<string, unknown>>;
type Ports = Pick<GatewayPorts, "catalogs" | "servers">;

/**
 * A server's result with the links that the proxy's clients know, and `resource_read` takes; itself where none of them goes by
 * another name.
 */
export async function relinked(
  result: Members,
  server: string,
  { sees }: Pick<CallContext, "sees">,
  { catalogs, servers }: Ports,
): Promise<Members> {
  const catalog = await catalogs.current();
  return withNames(result, server, catalog.ok ? catalog.value : undefined, sees, servers);
}

/** The same where there is something that links may lead to; without any resource a result stays as it is. */
export async function relinkedIfAny(
  result: Members,
  server: string,
  { sees }: Pick<CallContext, "sees">,
  { catalogs, servers }: Ports,
): Promise<Members> {
  const catalog = await catalogs.current();
  if (!catalog.ok || catalog.value.of("resource") === undefined) return result;
  return withNames(result, server, catalog.value, sees, servers);
}

/** Most results have no link, and the names of all resources are looked up for one. */
function withNames(
  result: Members,
  server: string,
  catalog: Catalog | undefined,
  sees: CallContext["sees"],
  servers: GatewayPorts["servers"],
): Members {
  let made: LinkNames | undefined;
  const names = (): LinkNames => (made ??= linkNames(server, catalog, sees, servers));
  return rewriteLinks(result, { link: (uri) => names().link(uri), meta: (text) => names().meta(text) });
}
