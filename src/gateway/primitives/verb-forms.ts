import { callSchema } from "../../catalog/primitives/call-schema.ts";
import type { OtherKind } from "../../catalog/catalog.ts";
import { serverNames } from "../server-names.ts";
import type { CallForm } from "../pipeline.ts";
import type { GatewayPorts } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";
import { promptEvent } from "../telling/prompt-event.ts";
import { readEvent } from "../telling/read-event.ts";
import { catalogsOf } from "./kind-catalogs.ts";
import { resourceByAnyUri } from "./resource-by-uri.ts";
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
      find: (catalog, asked) => resourceByAnyUri(catalog, asked, asker.sees, serverNames(ports.servers)),
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
