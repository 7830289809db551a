import type { Dialect } from "./dialect.ts";
import { isJsonArray, isRecord, type JsonObject } from "../json.ts";

/** How a keyword holds schemas: one, a list, a map of names to them, or (draft 4 to 2019-09 `items`) one or a list. */
type Holding = "one" | "list" | "map" | "one_or_list" | "map_or_names";

const SINCE_4: readonly (readonly [string, Holding])[] = [
  ["definitions", "map"],
  ["properties", "map"],
  ["patternProperties", "map"],
  ["additionalProperties", "one"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["not", "one"],
];
const SINCE_7: readonly (readonly [string, Holding])[] = [
  ["propertyNames", "one"],
  ["contains", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
];
const SINCE_2019: readonly (readonly [string, Holding])[] = [
  ["$defs", "map"],
  ["dependentSchemas", "map"],
  ["unevaluatedItems", "one"],
  ["unevaluatedProperties", "one"],
];
const TUPLES_IN_ITEMS: readonly (readonly [string, Holding])[] = [
  ["items", "one_or_list"],
  ["additionalItems", "one"],
];
const DEPENDENCIES: readonly (readonly [string, Holding])[] = [["dependencies", "map_or_names"]];

const HOLDINGS: Readonly<Record<Dialect, ReadonlyMap<string, Holding>>> = {
  "4": new Map([...SINCE_4, ...TUPLES_IN_ITEMS, ...DEPENDENCIES]),
  "7": new Map([...SINCE_4, ...SINCE_7, ...TUPLES_IN_ITEMS, ...DEPENDENCIES]),
  "2019-09": new Map([...SINCE_4, ...SINCE_7, ...SINCE_2019, ...TUPLES_IN_ITEMS]),
  "2020-12": new Map([...SINCE_4, ...SINCE_7, ...SINCE_2019, ["items", "one"], ["prefixItems", "list"]]),
};

/** Keywords whose schemas judge the very value that the outer schema judges, so that they nest without the value doing so. */
const IN_PLACE: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
]);

/** One schema inside another: under which keyword, and under which name or index of it, if it is one of several. */
export interface Subschema {
  readonly keyword: string;
  readonly token: string | undefined;
  readonly schema: unknown;
  readonly inPlace: boolean;
}

/** Keywords that mean something beside `$ref`: none up to draft 7, where a `$ref` stands alone. */
export function refStandsAlone(dialect: Dialect): boolean {
  return dialect === "4" || dialect === "7";
}

/**
 * The schemas directly inside one schema, in the order of its keys. Only where the dialect has a schema: what `enum`,
 * `const`, `default` or an unknown keyword holds is data. Values that are not schemas are yielded as they are.
 */
export function* subschemas(schema: JsonObject, dialect: Dialect): Generator<Subschema> {
  if (refStandsAlone(dialect) && typeof schema["$ref"] === "string") {
    yield* held("definitions", "map", schema);
    return;
  }
  for (const [keyword, holding] of HOLDINGS[dialect]) {
    if (Object.hasOwn(schema, keyword)) yield* held(keyword, holding, schema);
  }
}

function* held(keyword: string, holding: Holding, schema: JsonObject): Generator<Subschema> {
  const value = schema[keyword];
  const inPlace = IN_PLACE.has(keyword);
  if (isJsonArray(value)) {
    if (holding !== "list" && holding !== "one_or_list") return;
    for (const [index, item] of value.entries())
      yield { keyword, token: String(index), schema: item, inPlace };
    return;
  }
  if (holding === "one" || holding === "one_or_list") {
    if (value !== undefined) yield { keyword, token: undefined, schema: value, inPlace };
    return;
  }
  if (holding === "list" || !isRecord(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (holding === "map_or_names" && isJsonArray(item)) continue;
    yield { keyword, token: name, schema: item, inPlace };
  }
}
