import { isRecord, memberOf } from "../../json.ts";
import {
  EXPAND_DECLARED_MAX_COUNT,
  EXPAND_DEFAULT_COUNT,
  EXPAND_MAX_COUNT,
  MANIFEST_DECLARATIONS_MAX_COUNT,
  MANIFEST_FIELDS_MAX_COUNT,
} from "../../limits/records.ts";
import { fieldKind } from "./field-kind.ts";
import {
  type AggregationDeclarations,
  type FieldDeclaration,
  type FieldKind,
  RANGE_OPERATORS,
  type RangeOperator,
  type Relationship,
  type StreamManifest,
  type StreamView,
} from "./manifest.ts";
import type { Problems } from "./problems.ts";

type Path = readonly (string | number)[];
type Fields = ReadonlyMap<string, FieldDeclaration>;

/** One stream; what is wrong goes to `problems`. Its relations are judged once all streams are known. */
export function readStream(value: unknown, path: Path, problems: Problems): StreamManifest | undefined {
  if (!isRecord(value)) return problems.add(path, "a stream is an object");
  const name = problems.name(memberOf(value, "name"), [...path, "name"]);
  // Published manifests say `append` too.
  const semantics = memberOf(value, "semantics") ?? "mutable_state";
  if (semantics !== "mutable_state" && semantics !== "append_only" && semantics !== "append")
    problems.add([...path, "semantics"], "is mutable_state or append_only");
  const fields = readFields(memberOf(value, "schema"), [...path, "schema"], problems);
  const query = memberOf(value, "query");
  const queryPath = [...path, "query"];
  const key = memberOf(value, "primary_key");
  const primaryKey = problems.fields(
    typeof key === "string" ? [key] : key,
    [...path, "primary_key"],
    fields,
    16,
  );
  const search = memberOf(query, "search");
  return {
    name: name ?? "",
    semantics: semantics === "mutable_state" ? semantics : "append_only",
    primaryKey,
    cursorField: fieldOf(value, "cursor_field", path, fields, problems, ORDERED),
    consentTimeField: fieldOf(value, "consent_time_field", path, fields, problems, TIMED),
    fields,
    relationships: readRelations(memberOf(value, "relationships"), memberOf(query, "expand"), path, problems),
    views: readViews(memberOf(value, "views"), [...path, "views"], fields, problems),
    rangeFilters: readRanges(
      memberOf(query, "range_filters"),
      [...queryPath, "range_filters"],
      fields,
      problems,
    ),
    lexicalFields: problems.fields(
      memberOf(search, "lexical_fields"),
      [...queryPath, "search", "lexical_fields"],
      fields,
      MANIFEST_FIELDS_MAX_COUNT,
    ),
    aggregations: readAggregations(
      memberOf(query, "aggregations"),
      [...queryPath, "aggregations"],
      fields,
      problems,
    ),
    source: value,
  };
}

/**
 * Relations name streams of the same manifest, and their foreign key is a scalar field of it. One whose key is only in the
 * declaring stream points from child to parent: it stays declared, and is not offered for expansion.
 */
export function checkRelations(
  streams: ReadonlyMap<string, StreamManifest>,
  problems: Problems,
): Map<string, StreamManifest> {
  const checked = [...streams.values()].map((stream, at): [string, StreamManifest] => {
    const relationships = stream.relationships.map((relation, index) => {
      const path = ["streams", at, "relationships", index];
      const target = streams.get(relation.stream);
      if (target === undefined) problems.add([...path, "stream"], "is no stream of this manifest");
      const inTarget = target?.fields.get(relation.foreignKey);
      if (inTarget === undefined && target !== undefined && !stream.fields.has(relation.foreignKey))
        problems.add([...path, "foreign_key"], "is no declared field of the related stream");
      return inTarget === undefined || inTarget.kind === "other" ? { ...relation, expand: null } : relation;
    });
    return [stream.name, { ...stream, relationships }];
  });
  return new Map(checked);
}

const ORDERED: readonly FieldKind[] = ["text", "integer", "number", "time", "date"];
/** A time without a format is a text. */
const TIMED: readonly FieldKind[] = ["text", "time", "date"];
const SCALAR: readonly FieldKind[] = [...ORDERED, "boolean"];

function readFields(schema: unknown, path: Path, problems: Problems): Fields {
  const properties = memberOf(schema, "properties");
  const fields = new Map<string, FieldDeclaration>();
  if (!isRecord(properties)) {
    problems.add([...path, "properties"], "is an object: the stream's fields");
    return fields;
  }
  const entries = Object.entries(properties);
  if (entries.length > MANIFEST_FIELDS_MAX_COUNT) {
    problems.add([...path, "properties"], `has at most ${MANIFEST_FIELDS_MAX_COUNT} fields`);
    return fields;
  }
  const required = new Set(
    problems.list(memberOf(schema, "required"), [...path, "required"], MANIFEST_FIELDS_MAX_COUNT),
  );
  for (const [key, value] of entries) {
    const at = [...path, "properties", key];
    const name = problems.name(key, at);
    if (!isRecord(value)) problems.add(at, "is a JSON Schema object");
    else if (name !== undefined)
      fields.set(name, { name, kind: fieldKind(value), schema: value, required: required.has(name) });
  }
  for (const name of required) {
    if (typeof name !== "string" || !Object.hasOwn(properties, name))
      problems.add([...path, "required"], "names a field that is not declared");
  }
  return fields;
}

function fieldOf(
  stream: unknown,
  member: string,
  path: Path,
  fields: Fields,
  problems: Problems,
  kinds: readonly FieldKind[],
): string | null {
  const name = memberOf(stream, member) ?? null;
  if (name === null) return null;
  const field = typeof name === "string" ? fields.get(name) : undefined;
  if (field === undefined) problems.add([...path, member], "is no declared field");
  else if (!kinds.includes(field.kind)) problems.add([...path, member], `is a field of ${kinds.join(", ")}`);
  return field?.name ?? null;
}

function readRelations(value: unknown, expand: unknown, path: Path, problems: Problems): Relationship[] {
  const relations = new Map<string, Relationship>();
  const listPath = [...path, "relationships"];
  for (const [index, item] of problems.list(value, listPath, MANIFEST_DECLARATIONS_MAX_COUNT).entries()) {
    const at = [...listPath, index];
    const name = problems.name(memberOf(item, "name"), [...at, "name"]);
    const stream = problems.name(memberOf(item, "stream"), [...at, "stream"]);
    const foreignKey = problems.name(memberOf(item, "foreign_key"), [...at, "foreign_key"]);
    const cardinality = memberOf(item, "cardinality");
    if (cardinality !== "has_one" && cardinality !== "has_many") {
      problems.add([...at, "cardinality"], "is has_one or has_many");
      continue;
    }
    if (name === undefined || stream === undefined || foreignKey === undefined) continue;
    if (relations.has(name)) problems.add([...at, "name"], "is the name of another relation");
    relations.set(name, { name, stream, foreignKey, cardinality, expand: null });
  }
  const expandPath = [...path, "query", "expand"];
  for (const [index, item] of problems.list(expand, expandPath, MANIFEST_DECLARATIONS_MAX_COUNT).entries()) {
    const name = memberOf(item, "name");
    const relation = typeof name === "string" ? relations.get(name) : undefined;
    if (relation === undefined) {
      problems.add([...expandPath, index, "name"], "is no declared relation");
      continue;
    }
    const maxLimit = memberOf(item, "max_limit") ?? EXPAND_MAX_COUNT;
    const defaultLimit = memberOf(item, "default_limit") ?? Math.min(EXPAND_DEFAULT_COUNT, Number(maxLimit));
    if (!isCount(maxLimit) || !isCount(defaultLimit) || defaultLimit > maxLimit)
      problems.add(
        [...expandPath, index],
        `default_limit and max_limit are 1 to ${EXPAND_DECLARED_MAX_COUNT}, the default no larger`,
      );
    else relations.set(relation.name, { ...relation, expand: { defaultLimit, maxLimit } });
  }
  return [...relations.values()];
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= EXPAND_DECLARED_MAX_COUNT;
}

function readViews(value: unknown, path: Path, fields: Fields, problems: Problems): StreamView[] {
  const views = new Map<string, StreamView>();
  for (const [index, item] of problems.list(value, path, MANIFEST_DECLARATIONS_MAX_COUNT).entries()) {
    const at = [...path, index];
    const id = problems.name(memberOf(item, "id"), [...at, "id"]);
    const label = memberOf(item, "label");
    const chosen = problems.fields(
      memberOf(item, "fields"),
      [...at, "fields"],
      fields,
      MANIFEST_FIELDS_MAX_COUNT,
    );
    if (id === undefined) continue;
    if (views.has(id)) problems.add([...at, "id"], "is the id of another view");
    views.set(id, { id, label: typeof label === "string" ? label : null, fields: chosen });
  }
  return [...views.values()];
}

function readRanges(
  value: unknown,
  path: Path,
  fields: Fields,
  problems: Problems,
): ReadonlyMap<string, readonly RangeOperator[]> {
  const ranges = new Map<string, readonly RangeOperator[]>();
  if (value === undefined || value === null) return ranges;
  if (!isRecord(value)) problems.add(path, "is an object");
  else if (Object.keys(value).length > MANIFEST_FIELDS_MAX_COUNT) problems.add(path, "names too many fields");
  else
    for (const [name, operators] of Object.entries(value)) {
      const kind = fields.get(name)?.kind;
      if (kind === undefined || !ORDERED.includes(kind))
        problems.add([...path, name], "is no declared field that has an order");
      const listed = problems.list(operators, [...path, name], RANGE_OPERATORS.length);
      if (!listed.every((operator) => RANGE_OPERATORS.some((known) => known === operator)))
        problems.add([...path, name], `takes ${RANGE_OPERATORS.join(", ")}`);
      ranges.set(
        name,
        RANGE_OPERATORS.filter((known) => listed.includes(known)),
      );
    }
  return ranges;
}

function readAggregations(
  value: unknown,
  path: Path,
  fields: Fields,
  problems: Problems,
): AggregationDeclarations | null {
  if (value === undefined || value === null) return null;
  if (!isRecord(value)) return problems.add(path, "is an object") ?? null;
  const of = (member: string, kinds: readonly FieldKind[]): ReadonlySet<string> => {
    const at = [...path, member];
    const names = problems.fields(memberOf(value, member), at, fields, MANIFEST_FIELDS_MAX_COUNT);
    for (const name of names) {
      const kind = fields.get(name)?.kind;
      if (kind !== undefined && !kinds.includes(kind))
        problems.add(at, `takes fields of ${kinds.join(", ")}, and "${name}" is none`);
    }
    return new Set(names);
  };
  return {
    count: memberOf(value, "count") === true,
    sum: of("sum", ["integer", "number"]),
    min: of("min", ORDERED),
    max: of("max", ORDERED),
    groupBy: of("group_by", SCALAR),
    groupByTime: of("group_by_time", ["time", "date"]),
    countDistinct: of("count_distinct", SCALAR),
  };
}
