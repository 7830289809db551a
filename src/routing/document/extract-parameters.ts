import { isRecord } from "../../json.ts";
import { ROUTING_PARAMETERS_MAX_CHARS, ROUTING_SCHEMA_MAX_NODES } from "../../limits.ts";

export interface Parameters {
  readonly parameterNames: readonly string[];
  readonly parameterDescriptions: readonly string[];
}

/** Keywords whose value is one schema (or, for some, a list of them). */
const SCHEMA_KEYWORDS = [
  "items",
  "prefixItems",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contains",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "then",
  "else",
] as const;

/** Keywords whose value is a map from a foreign name to a schema; only under `properties` the name is a parameter. */
const MAP_KEYWORDS = ["patternProperties", "dependentSchemas", "$defs", "definitions"] as const;

type JsonObject = Readonly<Record<string, unknown>>;

function own(schema: JsonObject, key: string): unknown {
  return Object.hasOwn(schema, key) ? schema[key] : undefined;
}

/** Strings up to a total length, so that a hostile schema cannot make the copy large. */
class BoundedStrings {
  readonly values: string[] = [];
  #left = ROUTING_PARAMETERS_MAX_CHARS;

  add(value: string): void {
    if (this.#left <= 0) return;
    const kept = value.slice(0, this.#left);
    this.values.push(kept);
    // The one unit more stands for the gap between two strings, so that empty ones use up the bound too.
    this.#left -= kept.length + 1;
  }
}

/** A schema to look at, under the parameter's name where it is one. */
interface Node {
  readonly schema: unknown;
  readonly name?: string;
}

/** Up to `room` values of a list or a map, without reading a hostile one to its end. */
function* children(schema: JsonObject, room: number): Generator<Node> {
  let left = room;
  const properties = own(schema, "properties");
  if (isRecord(properties)) {
    for (const name in properties) {
      if (left <= 0) return;
      if (!Object.hasOwn(properties, name)) continue;
      left -= 1;
      yield { schema: properties[name], name };
    }
  }
  for (const keyword of SCHEMA_KEYWORDS) {
    const value = own(schema, keyword);
    for (const entry of Array.isArray(value) ? value.slice(0, Math.max(0, left)) : [value]) {
      if (left <= 0) return;
      if (!isRecord(entry)) continue;
      left -= 1;
      yield { schema: entry };
    }
  }
  for (const keyword of MAP_KEYWORDS) {
    const map = own(schema, keyword);
    if (!isRecord(map)) continue;
    for (const key in map) {
      if (left <= 0) return;
      if (!Object.hasOwn(map, key)) continue;
      left -= 1;
      yield { schema: map[key] };
    }
  }
}

/**
 * The names and descriptions of an input schema's parameters, nested ones after the outer ones (breadth first, so that
 * the bound cuts the deepest). References are not followed: what they point at stands under `$defs` and is read there.
 * Any value is a legal argument; what is no schema has no parameters.
 */
export function extractParameters(inputSchema: unknown): Parameters {
  const names = new BoundedStrings();
  const descriptions = new BoundedStrings();
  const queue: Node[] = [{ schema: inputSchema }];
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at];
    if (node?.name !== undefined) names.add(node.name);
    if (!isRecord(node?.schema)) continue;
    const description = own(node.schema, "description");
    if (typeof description === "string") descriptions.add(description);
    for (const child of children(node.schema, ROUTING_SCHEMA_MAX_NODES - queue.length)) {
      queue.push(child);
    }
  }
  return { parameterNames: names.values, parameterDescriptions: descriptions.values };
}
