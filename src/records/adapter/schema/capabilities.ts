import { type JsonObject, isRecord, memberOf } from "../../../json.ts";
import { oneLine } from "../line.ts";
import { recordsAt, type StreamRow, textAt, textsAt } from "./document.ts";

/** What the flags of a compact field mean. */
const FLAG_MEANINGS = {
  t: "type, with :format",
  eq: 'filter {"field":value}',
  r: 'filter {"field":{"gte":value}} with these operators',
  lex: "search finds its words",
  sem: "semantic search finds it",
  a: "aggregate: sum, min, max, count_distinct of it; group_by, group_by_time it",
  role: "what it stands for",
  unusable: "declared, but not for you, for this reason",
} as const;

type Legend = Readonly<Record<string, string>>;

/** The meanings of the flags that these rows' fields have: what none of them has is not spoken of. */
export function legendOf(rows: readonly StreamRow[]): Legend {
  const flags = rows.flatMap((row) => fieldsOf(row).map((field) => field.flags)).join(",");
  const present = new Set(flags.split(/[,=:]/));
  return Object.fromEntries(Object.entries(FLAG_MEANINGS).filter(([flag]) => present.has(flag)));
}

/** The same as one line, for a client that sees only text; none where there is no flag. */
export function legendLines(legend: Legend): readonly string[] {
  const texts = Object.entries(legend).map(([flag, meaning]) => `${flag}=${meaning}`);
  return texts.length === 0 ? [] : [`flags: ${texts.join("; ")}`];
}

const AGGREGATIONS = ["sum", "min", "max", "group_by", "group_by_time", "count_distinct"] as const;
export type AggregationKind = (typeof AGGREGATIONS)[number];
export { AGGREGATIONS };

export interface FieldCapability {
  readonly name: string;
  /** `t=string:date-time,eq,r=gte|lt,lex,a=min|max`. */
  readonly flags: string;
  readonly lexical: boolean;
  readonly semantic: boolean;
  readonly exact: boolean;
  readonly ranged: boolean;
  readonly aggregations: readonly AggregationKind[];
}

/** The granted fields of a row in their order. What is not granted is not told, nor filters that its source does not take. */
export function fieldsOf({ raw, profile }: Pick<StreamRow, "raw" | "profile">): readonly FieldCapability[] {
  const declared = memberOf(raw, "field_capabilities");
  if (!isRecord(declared)) return [];
  return Object.keys(declared).flatMap((name) => {
    const capability = declared[name];
    if (!isGranted(capability)) return [];
    const tokens = typeof capability === "string" ? capability.split(",") : tokensOf(capability);
    const told = tokens.filter(
      (token) => isFlag(token) && (profile === "full" || !/^(?:eq|r)\b/.test(token)),
    );
    return [fieldOf(name, told)];
  });
}

export function isGranted(capability: unknown): boolean {
  if (typeof capability === "string") return !capability.split(",").includes("g=false");
  return memberOf(capability, "granted") !== false;
}

/** A foreign flag is one word; anything else could say what it likes in the midst of a line. */
const FLAG = /^[\w.:|=/-]{1,120}$/;
const isFlag = (token: string): boolean => FLAG.test(token) && token !== "g=true";

function fieldOf(name: string, tokens: readonly string[]): FieldCapability {
  const aggregations = new Set(
    tokens.filter((token) => token.startsWith("a=")).flatMap((token) => token.slice(2).split("|")),
  );
  return {
    name,
    flags: tokens.join(","),
    lexical: tokens.includes("lex"),
    semantic: tokens.includes("sem"),
    exact: tokens.includes("eq"),
    ranged: tokens.some((token) => token.startsWith("r=") && !token.startsWith("r=unusable")),
    aggregations: AGGREGATIONS.filter((kind) => aggregations.has(kind)),
  };
}

function tokensOf(capability: unknown): readonly string[] {
  const role = textAt(capability, "role");
  const operators = textsAt(memberOf(capability, "range_filter"), "operators");
  const aggregation = memberOf(capability, "aggregation");
  const usable = AGGREGATIONS.filter((kind) => stateOf(memberOf(aggregation, kind)) === true);
  return [
    ...typeTokens(capability),
    ...(role === null ? [] : [`role=${role}`]),
    ...flag("eq", "eq", memberOf(capability, "exact_filter")),
    ...flag("r", `r=${operators.join("|")}`, memberOf(capability, "range_filter")),
    ...flag("lex", "lex", memberOf(capability, "lexical_search")),
    ...flag("sem", "sem", memberOf(capability, "semantic_search")),
    ...(usable.length === 0 ? [] : [`a=${usable.join("|")}`]),
  ];
}

function typeTokens(capability: unknown): readonly string[] {
  const schema = memberOf(capability, "schema");
  const types = textsAt(schema, "type");
  const type = textAt(schema, "type") ?? (types.length > 0 ? types.join("|") : textAt(capability, "type"));
  const format = textAt(schema, "format");
  return type === null ? [] : [`t=${type}${format === null ? "" : `:${format}`}`];
}

function flag(name: string, whenUsable: string, state: unknown): readonly string[] {
  const usable = stateOf(state);
  if (usable === undefined) return [];
  return [usable === true ? whenUsable : `${name}=unusable:${usable}`];
}

/** Whether a capability may be used; a reason where it is declared and may not; undefined where it is not declared. */
function stateOf(state: unknown): true | string | undefined {
  if (memberOf(state, "declared") !== true) return undefined;
  if (memberOf(state, "usable") !== false) return true;
  return textAt(state, "reason") ?? "unknown";
}

export interface Expandable {
  readonly name: string;
  readonly target: string | null;
  readonly cardinality: string | null;
  readonly defaultLimit: unknown;
  readonly maxLimit: unknown;
  /** True, or why it may not be used. */
  readonly usable: true | string;
}

export function expandablesOf(row: JsonObject): readonly Expandable[] {
  return recordsAt(row, "expand_capabilities").flatMap((relation) => {
    const name = textAt(relation, "name");
    if (name === null) return [];
    return [
      {
        name,
        target: textAt(relation, "target_stream") ?? textAt(relation, "stream"),
        cardinality: textAt(relation, "cardinality"),
        defaultLimit: memberOf(relation, "default_limit"),
        maxLimit: memberOf(relation, "max_limit"),
        usable:
          memberOf(relation, "usable") !== false && memberOf(relation, "granted") !== false
            ? true
            : oneLine(textAt(relation, "reason") ?? "unknown", REASON_MAX_CHARS),
      },
    ];
  });
}

const REASON_MAX_CHARS = 60;

export interface StreamViewRow {
  readonly id: string;
  readonly fields: readonly string[];
}

/** The named projections of a row, of granted fields only. */
export function viewsOf(row: JsonObject): readonly StreamViewRow[] {
  const denied = deniedFields(row);
  return recordsAt(row, "views").flatMap((view) => {
    const id = textAt(view, "id") ?? textAt(view, "name");
    return id === null ? [] : [{ id, fields: textsAt(view, "fields").filter((field) => !denied.has(field)) }];
  });
}

/** Fields that the document says are not granted. */
export function deniedFields(row: JsonObject): ReadonlySet<string> {
  const declared = memberOf(row, "field_capabilities");
  if (!isRecord(declared)) return new Set();
  return new Set(Object.keys(declared).filter((name) => !isGranted(declared[name])));
}

/** The granted ones of the fields that a row names there. */
export function grantedNamesAt(row: JsonObject, key: string): readonly string[] {
  const denied = deniedFields(row);
  return textsAt(row, key).filter((name) => !denied.has(name));
}

/** The field that a row names there, where it is granted: nothing can be asked with another. */
export function grantedNameAt(row: JsonObject, key: string): string | null {
  const name = textAt(row, key);
  return name === null || deniedFields(row).has(name) ? null : name;
}
