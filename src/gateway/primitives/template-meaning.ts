import type { CatalogTool, Sees } from "../../catalog/catalog.ts";
import { globTest } from "../../dispatch/globs.ts";
import { factsOfRead, type ToolFacts } from "../../dispatch/policy/facts.ts";
import type { DispatchDefinition, Meant } from "../../dispatch/ports.ts";
import { type NamespaceMode, serverNamespace } from "../../identity/namespace.ts";
import { identifyResource } from "../../identity/primitive-identity.ts";
import { memberOf } from "../../json.ts";
import { URI_MATCH_STEPS_MAX_COUNT } from "../../limits.ts";
import { expandTemplate } from "../../uri-template/expand-template.ts";
import { matchTemplate } from "../../uri-template/match-template.ts";
import { type UriTemplate, variableNames } from "../../uri-template/parse-template.ts";
import type { ConfiguredServer } from "../ports.ts";
import {
  leftOutAlike,
  listedAlike,
  type ListedResource,
  type ListedTemplate,
  type ResourceCatalog,
  resourceTable,
} from "./resource-table.ts";
import { uriOf } from "./upstream-requests.ts";
import { formsOf, ledTo, spellingsOf } from "./uri-spellings.ts";

const HIDDEN = { isHidden: true } as const;

/**
 * What a template filled in is a read of. What its server lists is that resource, by whatever name the rules, the limits, the
 * cache and its artifacts know it, or nothing where the caller does not see it. Anything else is the template's, and goes by its
 * own URI and id, too, in every spelling that a server may read there: its block's globs leave it out as they would from a list,
 * rules hold that name it, and those that hold for what it may be taken for.
 */
export function meaningOf(
  catalog: ResourceCatalog,
  template: CatalogTool,
  { definition }: DispatchDefinition,
  args: Readonly<Record<string, unknown>>,
  sees: Sees,
  servers: readonly ConfiguredServer[],
): Meant<CatalogTool> | undefined {
  if (!template.card.has_schema) return undefined;
  const uri = uriOf(template, args);
  if (!uri.ok) return undefined;
  const visible = (id: string): CatalogTool | undefined => (sees(id) ? catalog.find(id) : undefined);
  const { same, alike, under } = listedAlike(catalog, uri.value, template.server);
  if (same.length > 0) {
    const [tool] = same.flatMap(({ id }) => visible(id) ?? []);
    return tool === undefined ? HIDDEN : { tool };
  }
  const others: ToolFacts[] = [];
  for (const { id } of [...alike, ...under]) {
    const tool = visible(id);
    if (tool === undefined) return HIDDEN;
    others.push(factsOfRead(tool));
  }
  const server = servers.find(({ name }) => name === template.server);
  const spellings = spellingsOf(uri.value);
  if (server !== undefined && isLeftOut(uri.value, spellings, template.upstreamName, definition, server))
    return HIDDEN;
  const out = leftOutAlike(catalog, uri.value, template.server);
  if (out.isAlike || givenToo(catalog, template, spellings, out.templates).length > 0) return HIDDEN;
  const { templates } = resourceTable(catalog);
  const own = templates.filter(({ listed }) => listed.server === template.server);
  const otherwise = givenToo(catalog, template, spellings, own).flatMap(({ id }) => catalog.find(id) ?? []);
  return {
    alike: others,
    called: [...calledFacts(template, spellings, server), ...otherwise.map(factsOfRead)],
  };
}

/**
 * Those of a server's other templates that give a URI as well and are not about more: who denies one of those, or leaves it out,
 * does not mean that the same may be had by another. Where telling takes too much work they do.
 */
function givenToo(
  catalog: ResourceCatalog,
  called: CatalogTool,
  spellings: readonly string[],
  templates: readonly ListedTemplate[],
): readonly ListedResource[] {
  if (templates.length === 0) return [];
  const own = resourceTable(catalog).templates.find(({ listed }) => listed.id === called.id);
  if (own === undefined) return [];
  const any = anyOf(own.template);
  const steps = { left: URI_MATCH_STEPS_MAX_COUNT };
  const gives = (template: UriTemplate, text: string): boolean =>
    matchTemplate(template, text, steps) !== undefined;
  return templates
    .filter(
      ({ listed, template }) =>
        listed.id !== called.id && spellings.some((text) => gives(template, text) || steps.left < 0),
    )
    .filter(
      ({ template, literalChars }) =>
        literalChars > own.literalChars || any === undefined || !gives(template, any),
    )
    .map(({ listed }) => listed);
}

/** A URI that stands for all of a template's: what gives this one gives the others too. With a slash where one may be. */
function anyOf(template: UriTemplate): string | undefined {
  const any = expandTemplate(
    template,
    Object.fromEntries(variableNames(template).map((name) => [name, "q/q"])),
  );
  return any.ok ? any.value : undefined;
}

/** What policy knows of something by other texts for its URI, each under the id that it would have in a list. */
export function calledFacts(
  tool: CatalogTool,
  spellings: readonly string[],
  server: ConfiguredServer | undefined,
): readonly ToolFacts[] {
  const mode = server && modeOf(server);
  return spellings.map((upstreamName) => {
    const identity = mode && identifyResource(mode, { uri: upstreamName, name: undefined });
    const id = identity?.ok === true ? identity.value.id : tool.id;
    const { server: name, card } = tool;
    return { ...factsOfRead({ id, upstreamName, server: name, card }), inAnyCase: true } as const;
  });
}

/** How ids of a server's resources are made; `undefined` where its name gives no namespace. */
export function modeOf({ name, namespace: source }: ConfiguredServer): NamespaceMode | undefined {
  if (source === "infer") return { source };
  const namespace = serverNamespace(name);
  return namespace.ok ? { source, server: name, namespace: namespace.value } : undefined;
}

/**
 * Whether a server's block would leave a URI out of its list. Who lets a template in by its own name, or by its very text, lets in
 * what it gives.
 */
function isLeftOut(
  uri: string,
  spellings: readonly string[],
  template: string,
  definition: Readonly<Record<string, unknown>>,
  { include, exclude }: ConfiguredServer,
): boolean {
  // Some servers heed neither case nor the form of Unicode.
  const globs = new Set(exclude.flatMap((glob) => [glob, ...formsOf(glob)]));
  if ([...globs].some((glob) => spellings.some(globTest(glob, true)))) return true;
  const name = memberOf(definition, "name");
  const led = ledTo(uri);
  return !include.some((glob) => {
    const names = globTest(glob, false);
    return (names(uri) && names(led)) || glob === template || (typeof name === "string" && names(name));
  });
}
