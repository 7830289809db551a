import type { CatalogTool, Sees } from "../../catalog/catalog.ts";
import type { DispatchCatalog, Found } from "../../dispatch/ports.ts";
import { URI_MATCH_STEPS_MAX_COUNT } from "../../limits.ts";
import { oncePerObject } from "../../once-per-object.ts";
import { expandTemplate } from "../../uri-template/expand-template.ts";
import { matchTemplate, type TemplateMatch } from "../../uri-template/match-template.ts";
import { parseTemplate, type UriTemplate } from "../../uri-template/parse-template.ts";

interface Template {
  readonly tool: CatalogTool;
  readonly template: UriTemplate;
}

interface Claim {
  readonly tool: CatalogTool;
  readonly addressed?: TemplateMatch;
}

interface ResourceTable {
  readonly byUri: ReadonlyMap<string, readonly CatalogTool[]>;
  readonly templates: readonly Template[];
}

/**
 * The resource that has a URI among those that exist for the caller: one that is listed under it, or a template that it
 * fills in, with the variables that it says. What a server lists counts before its own templates; where more than one is
 * left, all that have a claim. `undefined` where nothing has it, and where that cannot be told within the work that one URI
 * is worth.
 */
export function resourceByUri(
  catalog: DispatchCatalog<CatalogTool>,
  uri: string,
  sees: Sees,
): Found<CatalogTool> | undefined {
  const { byUri, templates } = tableOf(catalog);
  const listed = (byUri.get(uri) ?? []).filter(({ id }) => sees(id));
  const servers = new Set(listed.map(({ server }) => server));
  const claims: Claim[] = listed.map((tool) => ({ tool }));
  const steps = { left: URI_MATCH_STEPS_MAX_COUNT };
  for (const { tool, template } of templates) {
    if (servers.has(tool.server) || !sees(tool.id)) continue;
    const addressed = matchTemplate(template, uri, steps);
    if (addressed !== undefined && saysSame(template, addressed, uri)) claims.push({ tool, addressed });
    if (steps.left < 0) return undefined;
  }
  const [only, ...others] = claims;
  if (only === undefined || others.length === 0) return only;
  return { owners: claims.map(({ tool }) => tool.id) };
}

/** Whether the variables give the URI again, but for how it is escaped: what is sent is what they give. */
function saysSame(template: UriTemplate, addressed: TemplateMatch, uri: string): boolean {
  const given = expandTemplate(template, addressed);
  return given.ok && (given.value === uri || unescaped(given.value) === unescaped(uri));
}

function unescaped(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

const EVERYTHING: Sees = Object.assign(() => true, { key: null });

const tableOf = oncePerObject((catalog: DispatchCatalog<CatalogTool>): ResourceTable => {
  const byUri = new Map<string, CatalogTool[]>();
  const templates: Template[] = [];
  for (const tool of catalog.page(undefined, Infinity, EVERYTHING).tools) {
    const { upstreamName } = tool;
    if (tool.card.has_schema) {
      const template = parseTemplate(upstreamName);
      if (template.ok) templates.push({ tool, template: template.value });
    } else {
      const same = byUri.get(upstreamName);
      if (same === undefined) byUri.set(upstreamName, [tool]);
      else same.push(tool);
    }
  }
  return { byUri, templates };
});
