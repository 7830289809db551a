import { SEES_EVERYTHING } from "../../access/visibility.ts";
import type { Catalog, CatalogTool, Sees } from "../../catalog/catalog.ts";
import type { DispatchCatalog } from "../../dispatch/ports.ts";
import { oncePerObject } from "../../once-per-object.ts";
import { parseTemplate, type UriTemplate } from "../../uri-template/parse-template.ts";
import { oncePerContent } from "./once-per-content.ts";
import { foldedParts, foldedUri, normalUri, readingsOf } from "./uri-spellings.ts";

/** A catalog of resources, of which a table may have been made before. */
export type ResourceCatalog = DispatchCatalog<CatalogTool> & Pick<Catalog, "content">;

/** A resource or a template as far as it is the same in all catalogs over one content: where it is called is not. */
export interface ListedResource {
  readonly id: string;
  readonly server: string;
  /** The URI, or the template's text. */
  readonly text: string;
  /** It takes arguments. */
  readonly isTemplate: boolean;
}

export interface ListedTemplate {
  readonly listed: ListedResource;
  readonly template: UriTemplate;
  /** How much of each of its URIs it says itself: of two templates for one URI, the one that says more is about less. */
  readonly literalChars: number;
}

/** What a server lists of resources near a URI. */
interface ListedAlike {
  readonly same: readonly ListedResource[];
  readonly alike: readonly ListedResource[];
  readonly under: readonly ListedResource[];
}

/** All that is listed, whoever sees it, each part in the order of ids. */
interface ResourceTable {
  readonly byText: ReadonlyMap<string, readonly ListedResource[]>;
  readonly byServer: ReadonlyMap<string, readonly ListedResource[]>;
  readonly templates: readonly ListedTemplate[];
}

/** The table of a catalog. */
export const resourceTable = oncePerContent((catalog: ResourceCatalog): ResourceTable => makeTable(catalog));

/** What somebody sees under the very text of a URI or a template, in the order of ids. */
export function listedUnder(catalog: ResourceCatalog, text: string, sees: Sees): readonly ListedResource[] {
  return (resourceTable(catalog).byText.get(text) ?? []).filter(({ id }) => sees(id));
}

/**
 * What a server lists of resources that are a URI, seen or not, templates aside: `same` are those under this very text, else
 * those under another text for the same URI (RFC 3986 §6.2.2); `alike` are what a forgiving server may take it for besides, and
 * `under` what it may give where it heeds only a part of the URI.
 */
export function listedAlike(catalog: ResourceCatalog, uri: string, server: string): ListedAlike {
  return alikeAmong(resourceTable(catalog).byServer.get(server), uri);
}

/** What a server's block leaves out of its list: resources that are a URI or nearly so, and all templates. */
export function leftOutAlike(
  catalog: ResourceCatalog,
  uri: string,
  server: string,
): { readonly isAlike: boolean; readonly templates: readonly ListedTemplate[] } {
  const { byServer, templates } = leftOutTable(catalog);
  const { same, alike, under } = alikeAmong(byServer.get(server), uri);
  const isAlike = same.length + alike.length + under.length > 0;
  return { isAlike, templates: templates.filter(({ listed }) => listed.server === server) };
}

function alikeAmong(own: readonly ListedResource[] | undefined, uri: string): ListedAlike {
  if (own === undefined) return { same: [], alike: [], under: [] };
  const { byText, byNormal, byFolded } = spelled(own);
  const same = byText.get(uri) ?? byNormal.get(normalUri(uri)) ?? [];
  const known = new Set(same);
  const besides = (folds: readonly string[]): readonly ListedResource[] => {
    const found = new Set([...new Set(folds)].flatMap((text) => byFolded.get(text) ?? []));
    const more = [...found].filter((each) => !known.has(each));
    for (const each of more) known.add(each);
    return more;
  };
  const texts = readingsOf(uri);
  const alike = besides(texts.map(foldedUri));
  return { same, alike, under: besides(texts.flatMap(foldedParts)) };
}

const spelled = oncePerObject((own: readonly ListedResource[]) => {
  const byText = new Map<string, ListedResource[]>();
  const byNormal = new Map<string, ListedResource[]>();
  const byFolded = new Map<string, ListedResource[]>();
  for (const listed of own) {
    if (listed.isTemplate) continue;
    add(byText, listed.text, listed);
    add(byNormal, normalUri(listed.text), listed);
    for (const text of new Set(readingsOf(listed.text).map(foldedUri))) add(byFolded, text, listed);
  }
  return { byText, byNormal, byFolded };
});

function makeTable(catalog: ResourceCatalog): ResourceTable {
  const { tools } = catalog.page(undefined, Infinity, SEES_EVERYTHING);
  return tableOf(
    tools.map(({ id, server, upstreamName, card }) => ({
      id,
      server,
      text: upstreamName,
      isTemplate: card.has_schema,
    })),
  );
}

const leftOutTable = oncePerContent((catalog: ResourceCatalog): ResourceTable => {
  const servers = [...resourceTable(catalog).byServer.keys()];
  // What has a brace may be a template or a resource with that address: it counts as both.
  const entriesOf = (server: string, text: string): ListedResource[] =>
    (text.includes("{") ? [false, true] : [false]).map((isTemplate) => ({
      id: "",
      server,
      text,
      isTemplate,
    }));
  return tableOf(
    servers.flatMap((server) => (catalog.leftOut?.(server) ?? []).flatMap((text) => entriesOf(server, text))),
  );
});

function tableOf(all: readonly ListedResource[]): ResourceTable {
  const byText = new Map<string, ListedResource[]>();
  const byServer = new Map<string, ListedResource[]>();
  const templates: ListedTemplate[] = [];
  for (const listed of all) {
    add(byText, listed.text, listed);
    add(byServer, listed.server, listed);
    const template = listed.isTemplate ? parseTemplate(listed.text) : undefined;
    if (template?.ok !== true) continue;
    const literals = template.value.parts.map((part) => ("literal" in part ? part.literal.length : 0));
    const literalChars = literals.reduce((sum, chars) => sum + chars, 0);
    templates.push({ listed, template: template.value, literalChars });
  }
  return { byText, byServer, templates };
}

function add(table: Map<string, ListedResource[]>, key: string, listed: ListedResource): void {
  const same = table.get(key);
  if (same === undefined) table.set(key, [listed]);
  else same.push(listed);
}
