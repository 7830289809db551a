import type { OtherKind } from "../../../src/catalog/catalog.ts";
import { isRecord, type JsonObject, memberOf } from "../../../src/json.ts";
import { growCatalog } from "../tools/grow.ts";
import { Hosts } from "../tools/hosts.ts";
import { wordsOf } from "../tools/words.ts";
import { argumentsOf, type BenchEntry, isTemplate, keyOf, textOf } from "./bench-entry.ts";

/** A resource's name says nothing that all names say, where a prompt's begins with a verb. */
const NO_VERB = "x";
const SERVERS_TOGETHER = 3;

/**
 * So many entries, always the same, grown as tools are (`growCatalog`): the real ones first, then servers in which what the
 * URIs, names and titles are about, and most of what else is a server's own, is another word. A smaller set is the beginning of
 * a larger one.
 */
export function growEntries(
  kind: OtherKind,
  real: readonly BenchEntry[],
  count: number,
  words: readonly string[],
): BenchEntry[] {
  const own = new Set(real.map(({ server }) => server));
  const tools = real.map((entry) => ({ server: entry.server, definition: toTool(kind, entry) }));
  const originals = new Map(tools.map(({ definition }, at) => [definition, real[at]]));
  const hosts = new Hosts(SERVERS_TOGETHER, keyOf);
  return growCatalog(tools, count, words).map(({ server, definition }) => {
    const original = own.has(server) ? originals.get(definition) : undefined;
    if (original !== undefined) return original;
    const grown = fromTool(kind, definition);
    return { server: hosts.of({ server, definition: grown }), definition: grown };
  });
}

/** An entry in the shape of a tool: all that tells it apart in the name, the key last, where the growing adds to it. */
function toTool(kind: OtherKind, entry: BenchEntry): JsonObject {
  const key = keyOf(entry);
  const verb = kind === "prompt" ? (wordsOf(key)[0] ?? NO_VERB) : NO_VERB;
  const name = [verb, kind === "prompt" ? "" : textOf(entry, "name"), textOf(entry, "title"), key].join("\n");
  const args = argumentsOf(entry);
  return {
    ...entry.definition,
    name,
    inputSchema: {
      properties: Object.fromEntries(args.map(({ name: argument, ...rest }) => [String(argument), rest])),
    },
    template: isTemplate(entry),
  };
}

function fromTool(kind: OtherKind, definition: JsonObject): JsonObject {
  const {
    name: all,
    title: _title,
    arguments: _arguments,
    uri: _uri,
    uriTemplate: _template,
    ...rest
  } = definition;
  const { inputSchema, template, ...kept } = rest;
  const [, name = "", title = "", key = ""] = String(all).split("\n");
  const named = {
    ...(name === "" ? {} : { name }),
    ...(title === "" ? {} : { title }),
    ...kept,
  };
  if (kind === "resource") return template === true ? { uriTemplate: key, ...named } : { uri: key, ...named };
  const properties = memberOf(inputSchema, "properties");
  const args = isRecord(properties)
    ? Object.entries(properties).map(([argument, about]) => Object.assign({ name: argument }, about))
    : [];
  return { name: key, ...named, ...(args.length === 0 ? {} : { arguments: args }) };
}
