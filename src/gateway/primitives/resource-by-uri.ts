import type { CatalogTool, Sees } from "../../catalog/catalog.ts";
import type { Found } from "../../dispatch/ports.ts";
import { URI_MATCH_STEPS_MAX_COUNT } from "../../limits.ts";
import { readNativeUri } from "../../native-uri/native-uri.ts";
import type { ServerNames } from "../server-names.ts";
import { expandTemplate } from "../../uri-template/expand-template.ts";
import { matchTemplate, type TemplateMatch } from "../../uri-template/match-template.ts";
import type { UriTemplate } from "../../uri-template/parse-template.ts";
import {
  type ListedResource,
  type ListedTemplate,
  listedAlike,
  listedUnder,
  type ResourceCatalog,
  resourceTable,
} from "./resource-table.ts";
import { spellingsOf, unescaped } from "./uri-spellings.ts";

interface Claim {
  readonly listed: ListedResource;
  readonly addressed?: TemplateMatch;
}

/**
 * The resource that has a URI among those that exist for the caller, or among those of one server: one that is listed under
 * it; where none is, a template that it fills in, with the variables that it says. What is listed counts before any template, of
 * whatever server; where more than one is left, all that have a claim. `undefined` where nothing has it. What one URI is worth is
 * shared by the servers in equal parts: one whose templates take more than its part has no claim, and no other loses by it.
 */
export function resourceByUri(
  catalog: ResourceCatalog,
  uri: string,
  sees: Sees,
  server?: string,
): Found<CatalogTool> | undefined {
  const isIts = (listed: ListedResource): boolean => server === undefined || listed.server === server;
  const listed = listedUnder(catalog, uri, sees).filter((each) => !each.isTemplate && isIts(each));
  const claims: readonly Claim[] =
    listed.length > 0
      ? listed.map((each) => ({ listed: each }))
      : claimsOfTemplates(
          resourceTable(catalog).templates.filter((each) => isIts(each.listed) && sees(each.listed.id)),
          uri,
        );
  const [only, ...others] = claims;
  if (only === undefined) return undefined;
  if (others.length > 0) return { owners: claims.map((claim) => claim.listed.id) };
  // A tool is the catalog's at hand: where it is called differs between catalogs of one content.
  const tool = catalog.find(only.listed.id);
  return tool && { tool, ...(only.addressed === undefined ? {} : { addressed: only.addressed }) };
}

/** How what has a URI is found among the resources, or among those of one server. */
type Look = (
  catalog: ResourceCatalog,
  uri: string,
  sees: Sees,
  server?: string,
) => Found<CatalogTool> | undefined;

/** By a URI as it is, or by one that says its server: then of that server or of none. */
export function resourceByAnyUri(
  catalog: ResourceCatalog,
  asked: string,
  sees: Sees,
  { serverOf }: Pick<ServerNames, "serverOf">,
  look: Look = resourceByUri,
): Found<CatalogTool> | undefined {
  const read = readNativeUri(asked);
  if (read === undefined) return undefined;
  const { namespace, uri } = read;
  if (namespace === undefined) return look(catalog, uri, sees);
  const server = serverOf(namespace);
  return server === undefined ? undefined : look(catalog, uri, sees, server);
}

/** The templates that a URI fills in, of the servers that can be told of within their part of the work. */
function claimsOfTemplates(templates: readonly ListedTemplate[], uri: string): readonly Claim[] {
  const servers = new Set(templates.map(({ listed }) => listed.server));
  const part = Math.floor(URI_MATCH_STEPS_MAX_COUNT / Math.max(1, servers.size));
  const steps = new Map([...servers].map((server) => [server, { left: part }]));
  const claims: Claim[] = [];
  for (const { listed, template } of templates) {
    const own = steps.get(listed.server);
    if (own === undefined || own.left < 0) continue;
    const addressed = matchTemplate(template, uri, own);
    if (addressed !== undefined && saysSame(template, addressed, uri)) claims.push({ listed, addressed });
  }
  return claims.filter(({ listed }) => (steps.get(listed.server)?.left ?? -1) >= 0);
}

/**
 * Whether a server lists a URI, or a template that may give it, seen or not, also in another spelling of the same. Where that
 * takes more work than `steps` has left, it does.
 */
export function isListedAnyhow(
  catalog: ResourceCatalog,
  uri: string,
  server: string,
  steps: { left: number },
): boolean {
  const { same, alike } = listedAlike(catalog, uri, server);
  if (same.length + alike.length > 0) return true;
  const spellings = spellingsOf(uri);
  return resourceTable(catalog).templates.some(
    ({ listed, template }) =>
      listed.server === server &&
      spellings.some((text) => matchTemplate(template, text, steps) !== undefined || steps.left < 0),
  );
}

/** Whether the variables give the URI again, but for how it is escaped: what is sent is what they give. */
function saysSame(template: UriTemplate, addressed: TemplateMatch, uri: string): boolean {
  const given = expandTemplate(template, addressed);
  return given.ok && (given.value === uri || unescaped(given.value) === unescaped(uri));
}
