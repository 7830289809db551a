import { ROUTING_NAME_MAX_CHARS } from "../../limits.ts";
import { spellOut } from "../text/tokenise.ts";
import type { RoutingIndex } from "./routing-index.ts";

/** How well a query names a tool: not at all, in another style, its id with another hash or version, to the letter. */
export type Exactness = 0 | 1 | 1.5 | 2;

/** `[kind::]namespace:name[@version][#hash8][~N]` cut at its marks. A string without a colon is all name. */
function partsOfId(id: string): {
  readonly unhashed: string;
  readonly bare: string;
  /** Without the kind, which only what is no tool has. */
  readonly kindless: string;
  readonly name: string;
} {
  const hash = id.lastIndexOf("#");
  const unhashed = hash < 0 ? id : id.slice(0, hash);
  const version = unhashed.lastIndexOf("@");
  const bare = version < 0 ? unhashed : unhashed.slice(0, version);
  const kind = bare.indexOf("::");
  const kindless = kind < 0 ? bare : bare.slice(kind + 2);
  return { unhashed, bare, kindless, name: bare.slice(bare.lastIndexOf(":") + 1) };
}

/** What a person or a model may call a tool by. */
function formsOf(id: string, name: string): readonly string[] {
  const parts = partsOfId(id);
  return [name, id, parts.unhashed, parts.bare, parts.kindless, parts.name].map((form) => form.trim());
}

/** A name as it is looked up: in any case, and in any style of writing identifiers. */
function keysOf(name: string): readonly string[] {
  const written = name.trim();
  // Not the key is measured: a name may grow when its case is lowered (`İ`).
  if (written.length > ROUTING_NAME_MAX_CHARS) return [];
  return [written.toLowerCase(), spellOut(written)].filter((key) => key !== "");
}

/** How several clients write a tool of a server: `mcp__github__create_issue`. */
const CLIENT_PREFIX = "mcp__";

/** What a client that names tools by server and tool put before both, taken off; undefined where it is not there. */
export function withoutClientPrefix(text: string): string | undefined {
  return text.startsWith(CLIENT_PREFIX) ? text.slice(CLIENT_PREFIX.length) : undefined;
}

/** The keys that a tool is found by; a name too long to be asked for has none. */
export function exactKeys(id: string, name: string): readonly string[] {
  const { bare, kindless, name: nameInId } = partsOfId(id);
  return [...new Set([name, nameInId, bare, kindless].flatMap(keysOf))];
}

/**
 * Documents that the query names, with how well. Looks only at the tools of that very name. An id with another hash or
 * version names the tool too, as one in another style does, and one as a client of its server itself would write it.
 */
export function findExact(index: RoutingIndex, query: string): Map<number, Exactness> {
  const found = new Map<number, Exactness>();
  const asked = query.trim();
  if (asked === "" || asked.length > 2 * ROUTING_NAME_MAX_CHARS) return found;
  const { bare } = partsOfId(asked);
  const ofClient = withoutClientPrefix(asked) ?? asked;
  for (const key of new Set([asked, bare, ofClient].flatMap(keysOf))) {
    for (const document of index.exactDocuments(key)) {
      const forms = formsOf(index.id(document), index.name(document));
      const exactness = forms.includes(asked) ? 2 : forms.includes(bare) ? 1.5 : 1;
      if (exactness > (found.get(document) ?? 0)) found.set(document, exactness);
    }
  }
  return found;
}

/**
 * Documents of this very name, in any namespace or in the one that stands before it, of those whose id has another name: an
 * id of letters made legal (`a:_2fa`, `a:____`) is unlike the name that the server gave and its users know.
 */
export function findRenamed(index: RoutingIndex, asked: string): readonly number[] {
  const text = asked.trim();
  if (text.length > 2 * ROUTING_NAME_MAX_CHARS) return [];
  const colon = text.indexOf(":");
  const readings = [
    { name: text, namespace: undefined },
    ...(colon < 0 ? [] : namedIn(text.slice(colon + 1), text.slice(0, colon))),
  ];
  const found = readings.flatMap(({ name, namespace }) =>
    [...index.exactDocuments(name.toLowerCase())].filter((document) => {
      const { kindless, name: nameInId } = partsOfId(index.id(document));
      const isOf = namespace === undefined || kindless.startsWith(`${namespace}:`);
      return isOf && index.name(document) === name && nameInId !== name;
    }),
  );
  return [...new Set(found)];
}

/** A name may have a `#` itself. */
function namedIn(name: string, namespace: string) {
  const hash = name.lastIndexOf("#");
  return [name, ...(hash < 0 ? [] : [name.slice(0, hash)])].map((each) => ({ name: each, namespace }));
}
