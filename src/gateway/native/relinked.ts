import type { Catalog } from "../../catalog/catalog.ts";
import { rewriteLinks } from "../../native-uri/rewrite-links.ts";
import type { CallContext } from "../call-context.ts";
import type { GatewayPorts } from "../ports.ts";
import { linkNames } from "./uri-names.ts";

type Members = Readonly<Record<string, unknown>>;
type Ports = Pick<GatewayPorts, "catalogs" | "servers">;

/**
 * A server's result with the links that the proxy's clients know, and `resource_read` takes; itself where none of them goes by
 * another name.
 */
export function relinked(
  result: Members,
  server: string,
  context: Pick<CallContext, "sees">,
  ports: Ports,
): Promise<Members> {
  return linkedBy(result, server, context, ports, () => true);
}

/** The same where there is something that links may lead to; without any resource a result stays as it is. */
export function relinkedIfAny(
  result: Members,
  server: string,
  context: Pick<CallContext, "sees">,
  ports: Ports,
): Promise<Members> {
  return linkedBy(result, server, context, ports, (catalog) => catalog?.of("resource") !== undefined);
}

async function linkedBy(
  result: Members,
  server: string,
  { sees }: Pick<CallContext, "sees">,
  { catalogs, servers }: Ports,
  leads: (catalog: Catalog | undefined) => boolean,
): Promise<Members> {
  if (!mayLink(result)) return result;
  const current = await catalogs.current();
  const catalog = current.ok ? current.value : undefined;
  return leads(catalog) ? rewriteLinks(result, linkNames(server, catalog, sees, servers)) : result;
}

/** Most results have no link, and for one the catalog is asked for the names of all resources. */
function mayLink(result: Members): boolean {
  let may = false;
  const noticed = (text: string): string => {
    may = true;
    return text;
  };
  rewriteLinks(result, { link: noticed, meta: noticed });
  return may;
}
