import { bareObject, isJsonArray } from "../../../json.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import type { FieldDeclaration, FieldKind } from "../../manifest/manifest.ts";
import { AGGREGATED_KINDS } from "../aggregate/query.ts";

/** By the wire's names, in the wire's order. */
const AGGREGATIONS = {
  count_distinct: "countDistinct",
  group_by: "groupBy",
  group_by_time: "groupByTime",
  max: "max",
  min: "min",
  sum: "sum",
} as const satisfies Readonly<Record<string, keyof typeof AGGREGATED_KINDS>>;

const UNSUPPORTED = "field_type_not_supported";
const UNUSABLE = `unusable:${UNSUPPORTED}`;

/** Manifests declare what their fields do not hold; a request for that is refused. */
function isAggregated(kind: FieldKind, member: keyof typeof AGGREGATED_KINDS): boolean {
  const kinds: readonly FieldKind[] = AGGREGATED_KINDS[member];
  return kinds.includes(kind);
}

/** What may be done with each field of a feed, at length: what is declared and what of it this grant may use. */
export function fieldCapabilities(feed: CoveredFeed): object {
  const capabilities = bareObject<object>();
  for (const field of feed.stream.fields.values()) capabilities[field.name] = capabilitiesOf(feed, field);
  return capabilities;
}

function capabilitiesOf({ stream, fields }: CoveredFeed, { name, kind, schema }: FieldDeclaration): object {
  const granted = fields?.has(name) ?? true;
  const usable = (declared: boolean, details: object = {}, isSupported = true): object => ({
    declared,
    usable: declared && granted && isSupported,
    ...details,
    ...(declared && !granted ? { reason: "field_not_granted" } : {}),
    ...(declared && granted && !isSupported ? { reason: UNSUPPORTED } : {}),
  });
  const operators = stream.rangeFilters.get(name);
  const aggregation: Record<string, object> = {};
  for (const [wireName, member] of Object.entries(AGGREGATIONS)) {
    const declared = stream.aggregations?.[member].has(name) ?? false;
    aggregation[wireName] = usable(declared, {}, isAggregated(kind, member));
  }
  return {
    aggregation,
    exact_filter: usable(kind !== "other"),
    granted,
    lexical_search: usable(stream.lexicalFields.includes(name)),
    range_filter: operators === undefined ? usable(false) : usable(true, { operators }, kind !== "other"),
    schema,
  };
}

/** The same in a line a field, of what may be used: `t=string,eq,lex,r=gte|lt,a=max|min`. */
export function compactCapabilities(feed: CoveredFeed): object {
  const lines = bareObject<string>();
  for (const field of feed.stream.fields.values()) lines[field.name] = compactLine(feed, field);
  return lines;
}

function compactLine({ stream, fields }: CoveredFeed, { name, kind, schema }: FieldDeclaration): string {
  const type = typeText(schema["type"]);
  const flags = type === "" ? [] : [`t=${type}`];
  if (fields?.has(name) === false) return [...flags, "g=false"].join(",");
  if (kind !== "other") flags.push("eq");
  if (stream.lexicalFields.includes(name)) flags.push("lex");
  const operators = stream.rangeFilters.get(name) ?? [];
  if (operators.length > 0) flags.push(`r=${kind === "other" ? UNUSABLE : operators.join("|")}`);
  const declared = Object.entries(AGGREGATIONS).filter(([, member]) =>
    stream.aggregations?.[member].has(name),
  );
  const usable = declared.filter(([, member]) => isAggregated(kind, member)).map(([wireName]) => wireName);
  if (declared.length > 0) flags.push(`a=${usable.length === 0 ? UNUSABLE : usable.join("|")}`);
  return flags.join(",");
}

function typeText(type: unknown): string {
  if (typeof type === "string") return type;
  return isJsonArray(type) ? type.filter((item) => typeof item === "string").join("|") : "";
}
