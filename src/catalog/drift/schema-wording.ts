import { bareObject, isJsonArray, isRecord } from "../../json.ts";

/**
 * Keywords that hold one schema or a list of them, in any draft. A superset is safe: what is left out below is wording
 * wherever it stands, and what a draft does not know as a keyword it does not validate by.
 */
const HOLDERS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Keywords under which names that are anybody's own lead to schemas. */
const MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);
const TEXTS: ReadonlySet<string> = new Set(["$comment", "description", "title"]);
const REFERENCES: ReadonlySet<string> = new Set(["$dynamicRef", "$recursiveRef", "$ref"]);
const EXAMPLES = "examples";

/**
 * A schema without what is there for readers alone: `title`, `description`, `$comment` and `examples`, where they are
 * keywords (JSON Schema 2020-12 Validation §9, Core §8.3) and of the form that keywords have. A property of such a name
 * stays, and so does what stands in `enum`, `const`, `default` or any other data. A reference can make a schema of an
 * example: then they all stay. What is no schema is given back as it is.
 *
 * Recurses as deep as the value nests: measure a foreign value first.
 */
export function withoutWording(schema: unknown): unknown {
  return stripped(schema, !refersToExamples(schema));
}

function stripped(schema: unknown, dropsExamples: boolean): unknown {
  if (!isRecord(schema)) return schema;
  const kept = bareObject<unknown>();
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    if (TEXTS.has(key) && typeof value === "string") continue;
    if (key === EXAMPLES && dropsExamples && isJsonArray(value)) continue;
    kept[key] = inner(key, value, dropsExamples);
  }
  return kept;
}

function inner(key: string, value: unknown, dropsExamples: boolean): unknown {
  if (HOLDERS.has(key)) {
    return isJsonArray(value)
      ? value.map((schema) => stripped(schema, dropsExamples))
      : stripped(value, dropsExamples);
  }
  if (!MAPS.has(key) || !isRecord(value)) return value;
  const members = bareObject<unknown>();
  for (const name of Object.keys(value)) members[name] = stripped(value[name], dropsExamples);
  return members;
}

function refersToExamples(value: unknown): boolean {
  if (isJsonArray(value)) return value.some(refersToExamples);
  if (!isRecord(value)) return false;
  return Object.keys(value).some((key) => {
    const member = value[key];
    return REFERENCES.has(key) && typeof member === "string" && member.includes("#")
      ? fragmentOf(member).includes(EXAMPLES)
      : refersToExamples(member);
  });
}

/** A reference's fragment; one that no URI has is taken for any. */
function fragmentOf(reference: string): string {
  const fragment = reference.slice(reference.indexOf("#") + 1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return EXAMPLES;
  }
}
