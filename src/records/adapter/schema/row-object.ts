import { isRecord, memberOf } from "../../../json.ts";
import { RECORD_LABEL_MAX_CHARS } from "../../../limits.ts";
import { oneLine } from "../line.ts";
import { numberText } from "../notes.ts";
import { countsRecords } from "./row-lines.ts";
import {
  deniedFields,
  type Expandable,
  expandablesOf,
  fieldsOf,
  grantedNameAt,
  grantedNamesAt,
  isGranted,
  viewsOf,
} from "./capabilities.ts";
import { type GrantedConnection, type StreamRow, textAt, textsAt } from "./document.ts";

/** A connection as structured output has it. */
function connectionObject({ connectionId, displayName }: GrantedConnection): object {
  return {
    connection_id: connectionId,
    ...(displayName === null ? {} : { display_name: oneLine(displayName, RECORD_LABEL_MAX_CHARS) }),
  };
}

/** Connections, as many as are wanted; the rest is counted. */
export function connectionsObject(connections: readonly GrantedConnection[], maxCount: number): object {
  const more = connections.length - maxCount;
  return {
    ...(connections.length === 0
      ? {}
      : { granted_connections: connections.slice(0, maxCount).map(connectionObject) }),
    ...(more > 0 ? { granted_connections_omitted: more } : {}),
  };
}

/** A row in its compact form: flags for fields, at most so many of them and of its connections. */
export function compactRow(
  row: StreamRow,
  { fields: maxFields, connections }: { readonly fields: number; readonly connections: number },
): object {
  const { name, raw, profile } = row;
  const fields = fieldsOf(row);
  const omitted = fields.length - maxFields;
  const views = viewsOf(raw);
  const aggregates = fields.some((field) => field.aggregations.length > 0);
  const takesAll = profile === "full";
  const shown = (texts: readonly string[]): readonly string[] => texts.slice(0, maxFields);
  return {
    name,
    ...optional("semantics", textAt(raw, "semantics")),
    primary_key: shown(grantedNamesAt(raw, "primary_key")),
    ...optional("cursor_field", grantedNameAt(raw, "cursor_field")),
    ...optional("consent_time_field", grantedNameAt(raw, "consent_time_field")),
    field_capabilities: Object.fromEntries(
      fields.slice(0, maxFields).map(({ name, flags }) => [name, flags]),
    ),
    ...(omitted > 0 ? { fields_omitted: omitted } : {}),
    ...(countsRecords(raw, aggregates) ? { counts: true } : {}),
    ...(views.length === 0 || !takesAll
      ? {}
      : { views: views.slice(0, maxFields).map(({ id, fields }) => ({ id, fields: shown(fields) })) }),
    expand_capabilities: takesAll ? expandablesOf(raw).slice(0, maxFields).map(relationObject) : [],
    ...(takesAll ? {} : { unsupported: ["filter", "expand", "view"] }),
    ...connectionsObject(row.connections, connections),
  };
}

function relationObject({ name, target, cardinality, defaultLimit, maxLimit, usable }: Expandable): object {
  return {
    name,
    ...optional("stream", target),
    ...optional("cardinality", cardinality),
    ...(numberText(defaultLimit) === undefined ? {} : { default_limit: defaultLimit }),
    ...(numberText(maxLimit) === undefined ? {} : { max_limit: maxLimit }),
    ...(usable === true ? {} : { usable: false, reason: usable }),
  };
}

function optional(name: string, value: string | null): object {
  return value === null ? {} : { [name]: value };
}

/** Members of a full row that only say again what its fields say. */
const REPEATED: ReadonlySet<string> = new Set([
  "query",
  "relationships",
  "selection",
  "object",
  "granted_connections",
]);

/** Members that name a field. */
const NAMING: ReadonlySet<string> = new Set(["cursor_field", "consent_time_field"]);

/** A row with its JSON Schema, as it came but for repetitions and for what is not granted. */
export function fullRow(row: StreamRow): Record<string, unknown> {
  const { raw } = row;
  const denied = deniedFields(raw);
  const kept = Object.entries(raw).filter(
    ([key]) => !REPEATED.has(key) && !(NAMING.has(key) && grantedNameAt(raw, key) === null),
  );
  return {
    ...Object.fromEntries(kept),
    ...(memberOf(raw, "primary_key") === undefined
      ? {}
      : { primary_key: grantedNamesAt(raw, "primary_key") }),
    field_capabilities: grantedCapabilities(raw),
    ...(memberOf(raw, "views") === undefined ? {} : { views: viewsOf(raw) }),
    ...(denied.size === 0 ? {} : { schema: withoutFields(memberOf(raw, "schema"), denied) }),
    ...connectionsObject(row.connections, row.connections.length),
  };
}

function grantedCapabilities(raw: StreamRow["raw"]): object {
  const declared = memberOf(raw, "field_capabilities");
  if (!isRecord(declared)) return {};
  return Object.fromEntries(Object.entries(declared).filter(([, capability]) => isGranted(capability)));
}

function withoutFields(schema: unknown, denied: ReadonlySet<string>): unknown {
  if (!isRecord(schema)) return schema;
  const properties = memberOf(schema, "properties");
  const required = textsAt(schema, "required");
  return {
    ...schema,
    ...(isRecord(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !denied.has(name))) }
      : {}),
    ...(required.length === 0 ? {} : { required: required.filter((name) => !denied.has(name)) }),
  };
}
