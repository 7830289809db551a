import { isJsonArray, isRecord, type JsonObject } from "../json.ts";
import { SCRUB_MAX_DEPTH } from "../limits.ts";
import { type Regard, regardOfMember } from "./member-hiding.ts";
import type { Redactor } from "./redactor.ts";
import type { RedactedValue } from "./redaction.ts";

/** How a value of an annotation is redacted: under the name of the parameter that it is told of. */
export interface SchemaRedaction extends Pick<Redactor, "text" | "value"> {
  readonly under: (value: unknown, regard: Regard) => RedactedValue;
}

/** `isWider`: it may accept more than before. */
export interface RedactedSchema extends RedactedValue {
  readonly isWider: boolean;
}

/** Keywords whose value is a schema or a list of some. */
const SCHEMAS: ReadonlySet<string> = new Set(
  "items prefixItems additionalItems unevaluatedItems additionalProperties unevaluatedProperties contains propertyNames not if then else allOf anyOf oneOf contentSchema".split(
    " ",
  ),
);
/** Keywords whose members are schemas, under names that somebody chose. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set(
  "properties patternProperties $defs definitions dependentSchemas dependencies".split(" "),
);
/** Values that are told, and bind nobody. */
const TOLD_VALUES: ReadonlySet<string> = new Set(["default", "examples", "example"]);
const NAME_LISTS: ReadonlySet<string> = new Set(["required"]);
/** What a value must be like: with a part of it gone it would say something else. */
const BINDING: ReadonlySet<string> = new Set(["enum", "const", "pattern"]);

/** Where a schema that accepts more makes the one around it accept less, and what goes with it. */
const REVERSING: ReadonlyMap<string, readonly string[]> = new Map([
  ["not", ["not"]],
  ["oneOf", ["oneOf"]],
  ["if", ["if", "then", "else"]],
  ["contains", ["contains", "minContains", "maxContains"]],
]);
/** Their meaning depends on what other keywords have looked at. */
const LEFT_OVER = [
  "additionalProperties",
  "unevaluatedProperties",
  "additionalItems",
  "unevaluatedItems",
  "propertyNames",
];

/**
 * A JSON Schema without secrets: it stays one, and accepts all that it accepted. What it only tells (descriptions,
 * examples) is redacted, as are the examples of a parameter that is named like a secret; a default is left out, since it
 * would be sent as it stands. A keyword that binds and has a secret in it is left out, so that nobody is refused for the
 * placeholder; and where accepting more inside means less outside (`not`, `oneOf`), the outer one is.
 */
export function redactSchema(schema: unknown, redaction: SchemaRedaction): RedactedSchema {
  return redacted(schema, "open", redaction, 0);
}

function redacted(
  schema: unknown,
  regard: Regard,
  redaction: SchemaRedaction,
  depth: number,
): RedactedSchema {
  if (isJsonArray(schema)) return redactedList(schema, regard, redaction, depth);
  if (!isRecord(schema)) return { ...redaction.value(schema), isWider: false };
  if (depth > SCRUB_MAX_DEPTH) return { value: {}, count: 1, isWider: true };
  const made = new Map<string, unknown>();
  const dropped = new Set<string>();
  let count = 0;
  let isWider = false;
  for (const [keyword, value] of Object.entries(schema)) {
    const { value: clean, ...found } = redactedKeyword(keyword, value, regard, redaction, depth);
    count += found.count;
    if (found.count === 0) made.set(keyword, value);
    else if (clean !== undefined) made.set(redaction.text(keyword).text, clean);
    if (!found.isWider) continue;
    isWider = true;
    for (const gone of [...(REVERSING.get(keyword) ?? []), ...LEFT_OVER]) dropped.add(gone);
  }
  if (count === 0) return { value: schema, count, isWider };
  return {
    value: Object.fromEntries([...made].filter(([keyword]) => !dropped.has(keyword))),
    count,
    isWider,
  };
}

function redactedList(
  schemas: readonly unknown[],
  regard: Regard,
  redaction: SchemaRedaction,
  depth: number,
): RedactedSchema {
  if (depth > SCRUB_MAX_DEPTH) return { value: [], count: 1, isWider: true };
  const all = schemas.map((schema) => redacted(schema, regard, redaction, depth + 1));
  const count = all.reduce((sum, one) => sum + one.count, 0);
  return {
    value: count === 0 ? schemas : all.map(({ value }) => value),
    count,
    isWider: all.some((one) => one.isWider),
  };
}

/** What a keyword's value becomes; undefined where the keyword is left out. */
function redactedKeyword(
  keyword: string,
  value: unknown,
  regard: Regard,
  redaction: SchemaRedaction,
  depth: number,
): RedactedSchema {
  if (SCHEMAS.has(keyword)) return redacted(value, regard, redaction, depth + 1);
  if (SCHEMA_MAPS.has(keyword) && isRecord(value))
    return redactedMap(keyword, value, regard, redaction, depth);
  if (NAME_LISTS.has(keyword) && isJsonArray(value)) return withoutSecretNames(value, redaction);
  if (keyword === "dependentRequired" && isRecord(value)) return redactedDependents(value, redaction);
  if (TOLD_VALUES.has(keyword)) {
    const told = redaction.under(value, regard);
    const isDefault = keyword === "default" && told.count > 0;
    return { value: isDefault ? undefined : told.value, count: told.count, isWider: false };
  }
  const { value: clean, count } = redaction.value(value);
  const isBound = BINDING.has(keyword) && count > 0;
  return {
    value: isBound ? undefined : clean,
    count: count + redaction.text(keyword).count,
    isWider: isBound,
  };
}

function redactedMap(
  keyword: string,
  map: JsonObject,
  regard: Regard,
  redaction: SchemaRedaction,
  depth: number,
): RedactedSchema {
  let count = 0;
  let isWider = false;
  const members = Object.entries(map).flatMap(([name, schema]): [string, unknown][] => {
    const { text: shown, count: inName } = redaction.text(name);
    const names =
      keyword === "properties" || HOLDS_DEFINITIONS.has(keyword) ? regardOfMember(regard, name) : regard;
    const inside =
      keyword === "dependencies" && isJsonArray(schema)
        ? withoutSecretNames(schema, redaction)
        : redacted(schema, names, redaction, depth + 1);
    count += inName + inside.count;
    isWider ||= inside.isWider || (inName > 0 && !HOLDS_DEFINITIONS.has(keyword));
    // A pattern with a secret in it matches nothing any more; a parameter's place is shown.
    return inName > 0 && keyword !== "properties" && !HOLDS_DEFINITIONS.has(keyword)
      ? []
      : [[shown, inside.value]];
  });
  return { value: count === 0 ? map : Object.fromEntries(members), count, isWider };
}

/** Their members are referred to by name, which is redacted there in the same way. */
const HOLDS_DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);

/** Nobody can be asked for a parameter whose name is not told. */
function withoutSecretNames(names: readonly unknown[], { text }: SchemaRedaction): RedactedSchema {
  const left = names.filter((name) => typeof name !== "string" || text(name).count === 0);
  const count = names.length - left.length;
  return { value: count === 0 ? names : left, count, isWider: count > 0 };
}

function redactedDependents(map: JsonObject, redaction: SchemaRedaction): RedactedSchema {
  let count = 0;
  const members = Object.entries(map).flatMap(([name, names]): [string, unknown][] => {
    const inName = redaction.text(name).count;
    const inside = isJsonArray(names) ? withoutSecretNames(names, redaction) : { value: names, count: 0 };
    count += inName + inside.count;
    return inName > 0 ? [] : [[name, inside.value]];
  });
  return { value: count === 0 ? map : Object.fromEntries(members), count, isWider: count > 0 };
}
