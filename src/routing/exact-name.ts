import { ROUTING_NAME_MAX_CHARS } from "../limits.ts";
import type { RoutingIndex } from "./index-build.ts";
import { lowerBound } from "./sorted-search.ts";

/** How well a query names a tool: not at all, but for case, to the letter. */
export type Exactness = 0 | 1 | 2;

/** `namespace:name[@version][#hash8]` cut at its marks. A string without a colon is all name. */
function partsOfId(id: string): { readonly unhashed: string; readonly bare: string; readonly name: string } {
  const hash = id.lastIndexOf("#");
  const unhashed = hash < 0 ? id : id.slice(0, hash);
  const version = unhashed.lastIndexOf("@");
  const bare = version < 0 ? unhashed : unhashed.slice(0, version);
  return { unhashed, bare, name: bare.slice(bare.indexOf(":") + 1) };
}

/** What a person or a model may call a tool by. */
function formsOf(id: string, name: string): readonly string[] {
  const parts = partsOfId(id);
  return [name, id, parts.unhashed, parts.bare, parts.name].map((form) => form.trim());
}

/** The lower-cased names that a tool is found by; a name too long to be asked for has none. */
export function exactKeys(id: string, name: string): readonly string[] {
  const keys = new Set([name, partsOfId(id).name].map((form) => form.trim().toLowerCase()));
  return [...keys].filter((key) => key !== "" && key.length <= ROUTING_NAME_MAX_CHARS);
}

/** Documents that the query names, with how well. Looks only at the tools of that very name. */
export function findExact(index: RoutingIndex, query: string): Map<number, Exactness> {
  const found = new Map<number, Exactness>();
  const asked = query.trim();
  if (asked === "" || asked.length > 2 * ROUTING_NAME_MAX_CHARS) return found;
  const lowered = asked.toLowerCase();
  for (const key of new Set([lowered, partsOfId(lowered).name.trim()])) {
    const from = lowerBound(index.exactKeys, key);
    for (let at = from; index.exactKeys[at] === key; at += 1) {
      const document = index.exactDocuments[at];
      if (document === undefined) break;
      const forms = formsOf(index.ids[document] ?? "", index.names[document] ?? "");
      if (forms.includes(asked)) found.set(document, 2);
      else if (forms.some((form) => form.toLowerCase() === lowered)) found.set(document, 1);
    }
  }
  return found;
}
