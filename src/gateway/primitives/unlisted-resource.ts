import { primitiveCard } from "../../catalog/primitives/primitive-card.ts";
import { callSchema } from "../../catalog/primitives/call-schema.ts";
import type { CatalogTool, Sees } from "../../catalog/catalog.ts";
import { compareCodePoints } from "../../code-points.ts";
import { canonicalJson } from "../../dispatch/cache/canonical-json.ts";
import { withoutRank } from "../../dispatch/globs.ts";
import { permit, permitAlso } from "../../dispatch/permit.ts";
import { factsOfRead, type ToolFacts } from "../../dispatch/policy/facts.ts";
import type { Unlisted } from "../../dispatch/ports.ts";
import { RESOURCE_READ } from "../../dispatch/verb.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { listedName } from "../../identity/listed-name.ts";
import { kindOfId, parsePrimitiveId } from "../../identity/primitive-id.ts";
import { identifyResource, type PrimitiveIdentity } from "../../identity/primitive-identity.ts";
import { URI_MATCH_STEPS_MAX_COUNT } from "../../limits.ts";
import { isAskableUri } from "../../native-uri/askable-uri.ts";
import { nativeUri, readNativeUri } from "../../native-uri/native-uri.ts";
import { serverNames } from "../server-names.ts";
import type { ConfiguredServer, GatewayPorts } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";
import { wholeOf } from "./kind-catalogs.ts";
import { isListedAnyhow } from "./resource-by-uri.ts";
import { listedAlike, type ResourceCatalog, resourceTable } from "./resource-table.ts";
import { isOnlyServer } from "./seen-servers.ts";
import { calledFacts, modeOf } from "./template-meaning.ts";
import { spellingsOf } from "./uri-spellings.ts";

type Asker = Pick<RequestContext, "sees" | "principal">;
type Ports = Pick<GatewayPorts, "servers" | "controls">;
type Readable = Exclude<Unlisted<CatalogTool>, { readonly names: readonly string[] }>;

/**
 * A resource that no list has (MCP 2025-11-25, "Resource Links": a link need not be listed), as if one had it: of the server
 * that a native URI names, else of the only one that the caller sees anything of. Where it sees several, the native URIs
 * that would do. Its id is the one that its URI would have in a list, so that rules, limits and artifacts hold as for any
 * other. `undefined` for what must not be asked for, which the caller is told as not found.
 */
export function unlistedResource(
  catalog: ResourceCatalog,
  asked: string,
  asker: Asker,
  ports: Ports,
): Unlisted<CatalogTool> | undefined {
  const { namespaceOf, serverOf } = serverNames(ports.servers);
  const read = readNativeUri(asked);
  if (read === undefined || !isAskableUri(read.uri)) return undefined;
  const { namespace, uri } = read;
  const readable = (server: string, among = 1): Readable | undefined => {
    // What one URI is worth, however many servers there are, each its part.
    const steps = { left: Math.floor(URI_MATCH_STEPS_MAX_COUNT / among) };
    return readableOf(server, uri, steps, catalog, asker, ports);
  };
  if (namespace !== undefined) {
    const server = serverOf(namespace);
    return server === undefined ? undefined : readable(server);
  }
  const servers = [...resourceTable(catalog).byServer.keys()].filter(
    (server) => sampleOf(server, catalog, asker.sees) !== undefined,
  );
  const [only] = servers;
  const whole = wholeOf(catalog);
  if (only !== undefined && whole !== undefined && isOnlyServer(only, whole, asker.sees, ports.servers))
    return readable(only);
  const names = servers
    .filter((server) => readable(server, servers.length) !== undefined)
    .map((server) => nativeUri(namespaceOf(server), uri, true));
  return names.length === 0 ? undefined : { names: names.sort(compareCodePoints) };
}

/**
 * Whether a text reads like an id of something, and so is none of the URIs that nobody lists: also one whose hash was left
 * away, where it begins as a server's ids do.
 */
export function looksLikeId(text: string, { servers }: Pick<Ports, "servers">): boolean {
  if (kindOfId(text) !== "tool") return true;
  const parsed = parsePrimitiveId(withoutRank(text));
  if (parsed.ok) return true;
  const namespace = text.slice(0, text.indexOf(":"));
  return parsed.reason === "no_version_or_hash8" && serverNames(servers).serverOf(namespace) !== undefined;
}

function readableOf(
  name: string,
  uri: string,
  steps: { left: number },
  catalog: ResourceCatalog,
  { sees, principal }: Asker,
  { servers, controls }: Ports,
): Readable | undefined {
  const server = servers.find((each) => each.name === name);
  const sample = sampleOf(name, catalog, sees);
  const identity = unlistedIdentity(server, uri, sees);
  if (sample === undefined || identity === undefined) return undefined;
  const { id, namespace } = identity;
  // What is listed is read as that or not at all: whoever is kept from it does not get it by another name.
  if (catalog.find(id) !== undefined || isListedAnyhow(catalog, uri, name, steps)) return undefined;
  const under = listedAlike(catalog, uri, name).under.map(
    (listed) => sees(listed.id) && catalog.find(listed.id),
  );
  const alike: ToolFacts[] = [];
  for (const listed of under) {
    if (listed === false || listed === undefined) return undefined;
    alike.push(factsOfRead(listed));
  }
  const card = primitiveCard({
    kind: "resource",
    id,
    namespace,
    upstreamName: uri,
    definition: {},
    schema: {},
  });
  const tool = { ...sample, id, upstreamName: uri, listedName: listedName(id), card, ...UNLISTED };
  // A rule holds, too, that names it in another spelling of the same, or that holds for what it may be taken for.
  const { policy } = controls.gateway;
  const facts = factsOfRead(tool);
  const own = permit(policy, RESOURCE_READ.metaTool, facts, principal);
  const other = { alike, called: calledFacts(tool, spellingsOf(uri), server) };
  if (permitAlso(policy, RESOURCE_READ.metaTool, facts, own, other, principal) !== own) return undefined;
  return { tool, addressed: { uri }, definition: DEFINITION };
}

/** Whether a server may be asked for a URI that it does not list, by this caller. */
export function isAskedUnlisted(server: ConfiguredServer | undefined, uri: string, sees: Sees): boolean {
  return unlistedIdentity(server, uri, sees) !== undefined;
}

function unlistedIdentity(
  server: ConfiguredServer | undefined,
  uri: string,
  sees: Sees,
): PrimitiveIdentity | undefined {
  // What a block leaves out of its lists is left out on purpose, and a static server has nothing besides.
  if (server === undefined || !listsAll(server) || server.isStatic === true) return undefined;
  const mode = modeOf(server);
  const identity = mode && identifyResource(mode, { uri, name: undefined });
  if (identity?.ok !== true) return undefined;
  const { id, namespace } = identity.value;
  return seesAllOf(namespace, sees) && sees(id) ? identity.value : undefined;
}

/** Whether a block leaves nothing out of what its server lists. */
function listsAll({ include, exclude }: ConfiguredServer): boolean {
  return exclude.length === 0 && include.length === 1 && include[0] === "*";
}

/** Something of a server that the caller sees: where the server is called stands in it. */
function sampleOf(server: string, catalog: ResourceCatalog, sees: Sees): CatalogTool | undefined {
  const seen = resourceTable(catalog)
    .byServer.get(server)
    ?.find(({ id }) => sees(id));
  return seen && catalog.find(seen.id);
}

/**
 * Whether scopes show all resources of a namespace, whatever they are called. A glob that names some of them may name what
 * nobody has, but not two names that have nothing in common.
 */
function seesAllOf(namespace: string, sees: Sees): boolean {
  return sees(`resource::${namespace}:unlisted#00000000`) && sees(`resource::${namespace}:_#ffffffff`);
}

/** Of no line in any list. */
const UNLISTED = { line: "", tokens: 0, listedDescription: "", definitionHash: "", stale: false } as const;

/** As if each server had a template for whatever it does not list, so that what is asked stands among the arguments. */
const TEMPLATE = { name: "unlisted", uriTemplate: "{+uri}" } as const;
const SCHEMA_JSON = canonicalJson(callSchema("resource", TEMPLATE), Infinity) ?? "";
const DEFINITION = {
  definition: TEMPLATE,
  schemaHash: sha256Hex(SCHEMA_JSON),
  schemaBytes: SCHEMA_JSON.length,
} as const;
