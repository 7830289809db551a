import { memberOf } from "../../../json.ts";
import { RECORD_LABEL_MAX_CHARS } from "../../../limits.ts";
import { BoundedLines, boundedList, cutAtBytes, nameText, oneLine, quoted } from "../line.ts";
import { numberText } from "../notes.ts";
import {
  AGGREGATIONS,
  type AggregationKind,
  expandablesOf,
  type FieldCapability,
  fieldsOf,
  grantedNameAt,
  grantedNamesAt,
  viewsOf,
} from "./capabilities.ts";
import type { GrantedConnection, StreamRow } from "./document.ts";

/** A connection as an argument and, where it has one, its label: `cin_a "Work mail"`. */
export function connectionText({ connectionId, displayName }: GrantedConnection): string {
  const label = displayName === null ? "" : ` ${quoted(oneLine(displayName, RECORD_LABEL_MAX_CHARS))}`;
  return `${nameText(connectionId)}${label}`;
}

/** What of a line of names stands before the rest is counted; less of it where the fields need the room. */
const LIST_MAX_BYTES = [360, 120, 48];
const LEAST_LIST_BYTES = 48;

/**
 * One stream of one connector for a client that sees nothing else: who has it, and for each argument of the read tools what it
 * takes. Where that does not fit, its fields and aggregations in one line each. At most `maxBytes`, of which there are
 * `SCHEMA_ROW_MIN_BYTES`.
 */
export function rowText(row: StreamRow, maxBytes: number): string {
  const fields = fieldsOf(row);
  for (const listBytes of LIST_MAX_BYTES) {
    const lines = new BoundedLines(maxBytes);
    const fits = lines.add(...identityLines(row, listBytes), ...capabilityLines(row, fields, listBytes));
    if (!fits) continue;
    lines.reserve(MORE_FIELDS_BYTES);
    const left = fields.findIndex(({ name, flags }) => !lines.add(` ${fieldText({ name, flags })}`));
    lines.reserve(-MORE_FIELDS_BYTES);
    if (left < 0) return lines.text();
    if (listBytes > LEAST_LIST_BYTES) continue;
    // A row with room for its lines and a few fields tells more in short.
    if (left < BRIEF_BELOW_COUNT && left < fields.length / 2) break;
    lines.addAlways(` more_fields=${fields.length - left}`);
    return lines.text();
  }
  return briefText(row, fields, maxBytes);
}

function fieldText({ name, flags }: Pick<FieldCapability, "name" | "flags">): string {
  return flags === "" ? nameText(name) : `${nameText(name)} ${flags}`;
}

const MORE_FIELDS_BYTES = 30;
const BRIEF_BELOW_COUNT = 12;

function briefText(row: StreamRow, fields: readonly FieldCapability[], maxBytes: number): string {
  const lines = new BoundedLines(maxBytes);
  const identity = identityLines(row, LEAST_LIST_BYTES);
  if (!lines.add(...identity)) lines.addAlways(oneLine(identity.join(" "), Math.floor(maxBytes / 4)));
  const aggregation = `aggregation=${aggregationText(row.raw, fields, LEAST_LIST_BYTES)}`;
  lines.add(cutAtBytes(aggregation, Math.max(0, Math.floor(lines.bytesLeft / 2))).text);
  const texts = fields.map(fieldText);
  lines.add(
    `fields=${fields.length}: ${boundedList(texts, Math.max(0, lines.bytesLeft - MORE_FIELDS_BYTES))}`,
  );
  return lines.text();
}

function identityLines(
  { name, connectorKey, connectorName, connections, raw }: StreamRow,
  listBytes: number,
): readonly string[] {
  const one = connections.length === 1 ? connections[0] : undefined;
  const label = one?.displayName ?? (connections.length > 1 ? null : connectorName);
  const keys = grantedNamesAt(raw, "primary_key").map(nameText);
  return [
    [
      `stream=${nameText(name)}`,
      ...named("connector_key", connectorKey),
      ...named("connection_id", one?.connectionId ?? null),
      ...(label === null ? [] : [`display_name=${quoted(oneLine(label, RECORD_LABEL_MAX_CHARS))}`]),
      ...(keys.length === 0 ? [] : [`primary_key=${boundedList(keys, listBytes)}`]),
      ...named("cursor_field", grantedNameAt(raw, "cursor_field")),
      ...named("consent_time_field", grantedNameAt(raw, "consent_time_field")),
    ].join(" "),
    ...(connections.length < 2
      ? []
      : [`connections=${connections.length}: ${boundedList(connections.map(connectionText), listBytes)}`]),
  ];
}

function named(name: string, value: string | null): readonly string[] {
  return value === null ? [] : [`${name}=${nameText(value)}`];
}

function capabilityLines(
  { raw, profile }: StreamRow,
  fields: readonly FieldCapability[],
  listBytes: number,
): readonly string[] {
  const list = (texts: readonly string[]): string => boundedList(texts, listBytes);
  const takesAll = profile === "full";
  const unsupported = "unsupported by this source";
  const cursorField = grantedNameAt(raw, "cursor_field");
  const sort =
    cursorField === null
      ? "the default order only"
      : `${nameText(`-${cursorField}`)} (default)|${nameText(cursorField)}`;
  const views = viewsOf(raw).map(({ id, fields }) => `${nameText(id)}(${fields.map(nameText).join(",")})`);
  const projection = `fields:[…] of the fields below${views.length === 0 ? "" : takesAll ? `; view:${list(views)}` : ""}`;
  const lexical = fields.filter((field) => field.lexical).map(({ name }) => nameText(name));
  const semantic = fields.filter((field) => field.semantic).map(({ name }) => nameText(name));
  const modes = [
    ...(lexical.length === 0 ? [] : [`lexical(${list(lexical)})`]),
    ...(semantic.length === 0 ? [] : [`semantic(${list(semantic)})`, "hybrid"]),
  ];
  const aggregation = aggregationText(raw, fields, listBytes);
  return [
    `projection=${projection}`,
    `filter=${takesAll ? filterText(fields) : unsupported}`,
    `sort=${sort}`,
    "count=none|estimated|exact",
    `expand=${takesAll ? expandText(raw, listBytes) : unsupported}`,
    `search=${modes.length > 0 ? modes.join("; ") : takesAll ? "none" : "lexical, in fields that this source does not tell"}`,
    'paging=limit 1-100 (default 25), cursor=next_cursor; changes_since="beginning", then next_changes_since',
    `aggregation=${!takesAll && aggregation === "none" ? "what this source takes it does not tell" : aggregation}`,
    `fields=${fields.length}:`,
  ];
}

function filterText(fields: readonly FieldCapability[]): string {
  const [exact, ranged] = [fields.some((field) => field.exact), fields.some((field) => field.ranged)];
  if (!exact && !ranged) return "none";
  return [
    ...(exact ? ['{"field":value} where eq'] : []),
    ...(ranged ? ['{"field":{"gte":value}} where r='] : []),
  ].join("; ");
}

function expandText(raw: StreamRow["raw"], listBytes: number): string {
  const relations = expandablesOf(raw).map(
    ({ name, target, cardinality, defaultLimit, maxLimit, usable }) => {
      const [least, most] = [numberText(defaultLimit), numberText(maxLimit)];
      const notes = [
        ...(cardinality === null ? [] : [oneLine(cardinality, 20)]),
        ...(target === null ? [] : [`of ${nameText(target)}`]),
        ...(least === undefined ? [] : [`default ${least}`]),
        ...(most === undefined ? [] : [`max ${most}`]),
        ...(usable === true ? [] : [`unusable:${nameText(usable)}`]),
      ];
      return `${nameText(name)}(${notes.join(", ")})`;
    },
  );
  return relations.length === 0 ? "none" : boundedList(relations, listBytes);
}

function aggregationText(
  raw: StreamRow["raw"],
  fields: readonly FieldCapability[],
  listBytes: number,
): string {
  const of = (kind: AggregationKind): readonly string[] =>
    fields.filter((field) => field.aggregations.includes(kind)).map(({ name }) => nameText(name));
  const kinds = AGGREGATIONS.map((kind) => [kind, of(kind)] as const).filter(([, names]) => names.length > 0);
  const texts = kinds.map(([kind, names]) => `${kind}:${boundedList(names, listBytes)}`);
  const count = countsRecords(raw, kinds.length > 0);
  return count || texts.length > 0 ? [...(count ? ["count"] : []), ...texts].join("; ") : "none";
}

/** Whether a stream's records are counted; a compact row does not say, and what groups also counts. */
export function countsRecords(raw: StreamRow["raw"], aggregates: boolean): boolean {
  const declared = memberOf(memberOf(memberOf(raw, "query"), "aggregations"), "count");
  return declared === true || (declared === undefined && aggregates);
}
