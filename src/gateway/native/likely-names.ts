import type { Catalog, CatalogTool } from "../../catalog/catalog.ts";
import { type GatewayFailure, toWire } from "../../errors.ts";
import type { ListedForm } from "../../identity/listed-form.ts";
import { DID_YOU_MEAN_MAX_COUNT } from "../../limits.ts";
import { nativeUri } from "../../native-uri/native-uri.ts";
import type { RpcProblem } from "../../surface.ts";
import type { CallContext } from "../call-context.ts";
import type { GatewayPorts } from "../ports.ts";
import { nativeProblem, problemOf } from "./native-problem.ts";
import { promptName } from "./prompt-names.ts";
import { serverNames } from "../server-names.ts";
import { type UriNames, uriNames } from "./uri-names.ts";

/**
 * A failure as the protocol's own error, with names for what may have been meant that work on this surface, where nothing goes by
 * its id. Where several servers have a URI or a template, each one's name for it is what would work.
 */
export function likelyProblem(
  failure: GatewayFailure,
  asked: string,
  catalog: Catalog | undefined,
  form: ListedForm,
  { sees }: Pick<CallContext, "sees">,
  ports: GatewayPorts,
): RpcProblem {
  const { servers } = ports;
  if (failure.reason === "contested") {
    const { namespaceOf } = serverNames(servers);
    const owners = failure.owners.flatMap((id) => catalog?.find(id)?.server ?? []);
    const names = [...new Set(owners)].map((server) => nativeUri(namespaceOf(server), asked, true));
    const message = "several servers have this URI: ask for it by the name of one of them";
    const details = { did_you_mean: names.slice(0, DID_YOU_MEAN_MAX_COUNT) };
    return problemOf({ ...toWire(failure), message, details }, ports);
  }
  if (!("didYouMean" in failure) || failure.didYouMean.length === 0 || catalog === undefined)
    return nativeProblem(failure, ports);
  const meant = failure.didYouMean.flatMap((id) => catalog.find(id) ?? []);
  const uris = uriNames(failure.kind === "resource" ? catalog : undefined, sees, servers);
  const didYouMean = meant.map((tool) =>
    failure.kind === "resource" ? uriName(uris, tool) : promptName(form, tool),
  );
  return nativeProblem({ ...failure, didYouMean }, ports);
}

function uriName(uris: UriNames, { server, upstreamName, card }: CatalogTool): string {
  return card.has_schema ? uris.template(server, upstreamName) : uris.uri(server, upstreamName);
}
