import { callSchema } from "../../catalog/primitives/call-schema.ts";
import type { CatalogTool, OtherKind } from "../../catalog/catalog.ts";
import type { Found } from "../../dispatch/ports.ts";
import { readNativeUri } from "../../native-uri/native-uri.ts";
import { serverNames } from "../native/server-names.ts";
import type { CallForm } from "../pipeline.ts";
import type { GatewayPorts } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";
import { promptEvent } from "../telling/prompt-event.ts";
import { readEvent } from "../telling/read-event.ts";
import { catalogsOf } from "./kind-catalogs.ts";
import { resourceByUri } from "./resource-by-uri.ts";
import type { ResourceCatalog } from "./resource-table.ts";
import { meaningOf } from "./template-meaning.ts";
import { looksLikeId, unlistedResource } from "./unlisted-resource.ts";
import { promptRequest, readRequest, uriOf } from "./upstream-requests.ts";

/** All of a verb's form but how its result is shown. */
export type VerbForm = Required<Pick<CallForm, "lookup" | "request" | "method" | "event">>;

type Asker = Pick<RequestContext, "sees" | "principal">;
type Catalogs = Pick<GatewayPorts, "catalogs">;
type Servers = Pick<GatewayPorts, "catalogs" | "servers" | "controls">;

/** Of reads: resources are known by their URIs too, and a template's variables have to make one. */
export function resourceForm(asker: Asker, ports: Servers): VerbForm {
  return {
    lookup: {
      ...lookupOf("resource", ports),
      find: (catalog, asked) => byAnyUri(catalog, asked, asker, ports),
      unlisted: (catalog, asked) =>
        looksLikeId(asked, ports) ? undefined : unlistedResource(catalog, asked, asker, ports),
      judge: (tool, _definition, args) => {
        const uri = uriOf(tool, args);
        return uri.ok ? [] : uri.reason;
      },
      meant: (catalog, tool, definition, args) =>
        meaningOf(catalog, tool, definition, args, asker.sees, ports.servers),
    },
    request: (tool, _definition, args) => readRequest(tool, args),
    method: "resources/read",
    event: readEvent,
  };
}

/** By a URI as it is, or by one that says its server, as links on the proxy do: then of that server or of none. */
function byAnyUri(
  catalog: ResourceCatalog,
  asked: string,
  { sees }: Asker,
  { servers }: Servers,
): Found<CatalogTool> | undefined {
  const read = readNativeUri(asked);
  if (read === undefined) return undefined;
  const { namespace, uri } = read;
  if (namespace === undefined) return resourceByUri(catalog, uri, sees);
  const server = serverNames(servers).serverOf(namespace);
  return server === undefined ? undefined : resourceByUri(catalog, uri, sees, server);
}

export function promptForm(ports: Catalogs): VerbForm {
  return {
    lookup: lookupOf("prompt", ports),
    request: (tool, _definition, args) => promptRequest(tool, args),
    method: "prompts/get",
    event: promptEvent,
  };
}

function lookupOf(kind: OtherKind, { catalogs }: Catalogs): VerbForm["lookup"] {
  return {
    catalogs: catalogsOf(kind, catalogs),
    schemaOf: ({ definition }) => callSchema(kind, definition),
  };
}
