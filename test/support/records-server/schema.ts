import { memberOf } from "../../../src/json.ts";
import {
  type Covered,
  declared,
  fieldsOf,
  type Json,
  listOf,
  liveRecords,
  namesIn,
  objectIn,
} from "./data.ts";

const METRICS = ["count_distinct", "group_by", "group_by_time", "max", "min", "sum"];

/** A stream as the full schema has it; `strict`: as the servers of August 2026 give it to clients. */
export function streamMetadata(covered: Covered, all: readonly Covered[], strict: boolean): Json {
  const { feed } = covered;
  const { manifest } = feed;
  const base = {
    consent_time_field: manifest["consent_time_field"],
    cursor_field: manifest["cursor_field"],
    name: feed.stream,
    object: "stream_metadata",
    semantics: manifest["semantics"],
    granted_connections: [{ connection_id: feed.connectionId }],
  };
  const fields = Object.fromEntries(
    fieldsOf(feed)
      .filter((field) => !strict || isGranted(covered, field))
      .map((field) => [field, strict ? { declared: true } : capability(covered, field)]),
  );
  if (strict)
    return { ...base, primary_key: [], expand_capabilities: [], field_capabilities: fields, views: [] };
  return {
    ...base,
    expand_capabilities: relations(covered, all),
    field_capabilities: fields,
    primary_key: manifest["primary_key"],
    query: manifest["query"],
    relationships: manifest["relationships"] ?? [],
    schema: manifest["schema"],
    selection: manifest["selection"],
    views: manifest["views"] ?? [],
    freshness: { status: "unknown", captured_at: liveRecords(feed, "desc")[0]?.emittedAt ?? null },
  };
}

export function isGranted({ fields }: Covered, field: string): boolean {
  return fields === null || fields.has(field);
}

function capability(covered: Covered, field: string): Json {
  const { feed } = covered;
  const granted = isGranted(covered, field);
  const flag = (isDeclared: boolean) => ({
    declared: isDeclared,
    usable: isDeclared && granted,
    ...(isDeclared && !granted ? { reason: "field_not_granted" } : {}),
  });
  const operators = namesIn(declared(feed, "range_filters", field));
  return {
    aggregation: Object.fromEntries(
      METRICS.map((metric) => [
        metric,
        flag(namesIn(declared(feed, "aggregations", metric)).includes(field)),
      ]),
    ),
    exact_filter: flag(true),
    granted,
    lexical_search: flag(namesIn(declared(feed, "search", "lexical_fields")).includes(field)),
    range_filter: {
      ...flag(operators.length > 0),
      ...(operators.length > 0 ? { operators } : {}),
    },
    schema: memberOf(memberOf(feed.manifest["schema"], "properties"), field),
    semantic_search: flag(namesIn(declared(feed, "search", "semantic_fields")).includes(field)),
  };
}

function relations({ feed }: Covered, all: readonly Covered[]): readonly Json[] {
  return listOf(feed.manifest["relationships"]).map((relation) => {
    const expand = listOf(declared(feed, "expand")).find(({ name }) => name === relation["name"]);
    const granted = all.some((each) => each.feed.stream === relation["stream"]);
    return {
      cardinality: relation["cardinality"],
      granted,
      name: relation["name"],
      stream: relation["stream"],
      target_stream: relation["stream"],
      usable: granted,
      reason: granted ? undefined : "related_stream_not_granted",
      child_parent_key_field: relation["foreign_key"],
      foreign_key: relation["foreign_key"],
      default_limit: expand?.["default_limit"],
      max_limit: expand?.["max_limit"],
    };
  });
}

/** The same in the compact form: one string of flags a field. */
export function compactStream(full: Json): Json {
  const fields = Object.entries(objectIn(full["field_capabilities"])).map(([name, each]) => [
    name,
    flags(each),
  ]);
  return {
    name: full["name"],
    primary_key: full["primary_key"],
    cursor_field: full["cursor_field"],
    field_capabilities: Object.fromEntries(fields),
    expand_capabilities: full["expand_capabilities"],
  };
}

function flags(field: unknown): string {
  const declaredFlag = (name: string) => memberOf(memberOf(field, name), "usable") === true;
  const metrics = METRICS.filter(
    (metric) => memberOf(memberOf(memberOf(field, "aggregation"), metric), "usable") === true,
  );
  const parts = [`t=${String(memberOf(memberOf(field, "schema"), "type"))}`];
  if (memberOf(field, "granted") === false) parts.push("g=false");
  if (declaredFlag("exact_filter")) parts.push("eq");
  if (declaredFlag("range_filter")) {
    parts.push(`r=${namesIn(memberOf(memberOf(field, "range_filter"), "operators")).join("|")}`);
  }
  if (declaredFlag("lexical_search")) parts.push("lex");
  if (declaredFlag("semantic_search")) parts.push("sem");
  if (metrics.length > 0) parts.push(`a=${metrics.join("|")}`);
  return parts.join(",");
}
