import { exactJsonText } from "../../../exact-json/write.ts";
import { isRecord, memberOf } from "../../../json.ts";
import {
  RECORD_LABEL_MAX_CHARS,
  SCHEMA_FULL_MAX_BYTES,
  SCHEMA_LONG_TEXT_MAX_BYTES,
  SCHEMA_ROW_MIN_BYTES,
  SCHEMA_SCOPED_MAX_BYTES,
} from "../../../limits.ts";
import { utf8Length } from "../../../schema/utf8-length.ts";
import { BoundedLines, boundedList, nameText, oneLine } from "../line.ts";
import { previewOf } from "../preview.ts";
import { fieldsOf, isGranted, legendLines, legendOf } from "./capabilities.ts";
import type { StreamRow } from "./document.ts";
import { documentLines } from "./document-notes.ts";
import { compactRow, fullRow } from "./row-object.ts";
import { connectionText, rowText } from "./row-lines.ts";

type Structured = Readonly<Record<string, unknown>>;

/** What a stream takes, of each connector that has it, in text. */
export function scopedText(
  stream: string,
  rows: readonly StreamRow[],
  document: unknown,
  full: boolean,
): string {
  const lines = new BoundedLines(SCHEMA_LONG_TEXT_MAX_BYTES);
  const ids = new Set(rows.flatMap(({ connections }) => connections.map(({ connectionId }) => connectionId)));
  const several = ids.size > 1 ? " Reads need one connection_id; schema with it tells all of that one." : "";
  lines.add(
    `schema: stream ${nameText(stream)}, ${ids.size} connection(s).${several}`,
    ...legendLines(legendOf(rows)),
    ...documentLines(document),
  );
  lines.reserve(REST_BYTES);
  const shown = rows.slice(0, Math.floor(lines.bytesLeft / SCHEMA_ROW_MIN_BYTES));
  // What a row leaves is shared among those after it.
  for (const [index, row] of shown.entries()) {
    lines.add(rowText(row, Math.floor(lines.bytesLeft / (shown.length - index)) - 1));
  }
  lines.reserve(-REST_BYTES);
  const rest = rows.slice(shown.length).flatMap(({ connections }) => connections.map(connectionText));
  if (rest.length > 0) lines.add(`more_connections=${rest.length}: ${boundedList(rest, REST_BYTES - 40)}`);
  const [only] = rows;
  if (full && only !== undefined) addSchemaLines(lines, only);
  return lines.text();
}

const REST_BYTES = 400;

/** The JSON Schema of each granted field on a line of its own, as many as fit. */
function addSchemaLines(lines: BoundedLines, { raw }: StreamRow): void {
  const capabilities = memberOf(raw, "field_capabilities");
  const properties = memberOf(memberOf(raw, "schema"), "properties");
  const declared = properties ?? capabilities;
  const schemas = (isRecord(declared) ? Object.keys(declared) : []).flatMap((name) => {
    const capability = memberOf(capabilities, name);
    const schema = memberOf(properties, name) ?? memberOf(capability, "schema");
    return isGranted(capability) && schema !== undefined ? [{ name, schema }] : [];
  });
  if (schemas.length === 0 || !lines.add("json_schema:")) return;
  lines.reserve(REST_BYTES);
  const left = schemas.findIndex(
    ({ name, schema }) => !lines.add(` ${nameText(name)} ${previewOf(schema, SCHEMA_LINE_MAX_BYTES).text}`),
  );
  lines.reserve(-REST_BYTES);
  if (left >= 0) lines.add(` more_fields=${schemas.length - left}: structured output has them`);
}

const SCHEMA_LINE_MAX_BYTES = 1_000;

/** How much of rows and fields structured output has, from most to least. */
const COMPACT_STEPS = [
  { rows: 100, fields: 300, connections: 100 },
  { rows: 20, fields: 60, connections: 20 },
  { rows: 20, fields: 30, connections: 8 },
  { rows: 20, fields: 16, connections: 4 },
  { rows: 20, fields: 8, connections: 2 },
  { rows: 20, fields: 3, connections: 1 },
  { rows: 6, fields: 3, connections: 1 },
  { rows: 1, fields: 1, connections: 1 },
  { rows: 0, fields: 0, connections: 0 },
] as const;

/** The compact document of one stream, within `SCHEMA_SCOPED_MAX_BYTES` together with what else is answered. */
export function scopedDocument(
  rows: readonly StreamRow[],
  rest: Structured,
  members: Structured,
): Structured {
  for (const step of COMPACT_STEPS) {
    const document = grouped(
      "compact",
      rows.slice(0, step.rows).map((row) => [row, compactRow(row, step)]),
      rows.length - step.rows,
      members,
    );
    if (bytesOf({ data: document, ...rest }) <= SCHEMA_SCOPED_MAX_BYTES) return document;
  }
  return { object: "schema", detail: "compact", truncated: true, ...members };
}

/** The one row of a stream with its JSON Schema, within `SCHEMA_FULL_MAX_BYTES`; less of it where that is too much. */
export function fullDocument(row: StreamRow, rest: Structured, members: Structured): Structured {
  const whole = fullRow(row);
  const flags = Object.fromEntries(fieldsOf(row).map(({ name, flags }) => [name, flags]));
  for (const each of [whole, { ...whole, field_capabilities: flags }]) {
    const document = grouped("full", [[row, each]], 0, members);
    if (bytesOf({ data: document, ...rest }) <= SCHEMA_FULL_MAX_BYTES) return document;
  }
  return { ...scopedDocument([row], rest, members), truncated: true };
}

function grouped(
  detail: string,
  rows: readonly (readonly [row: StreamRow, shown: object])[],
  omitted: number,
  members: Structured,
): Structured {
  const connectors = new Map<string, { readonly streams: object[] }>();
  for (const [{ connectorKey, connectorName }, shown] of rows) {
    const key = JSON.stringify([connectorKey, connectorName]);
    const head = {
      ...(connectorKey === null ? {} : { connector_key: connectorKey }),
      ...(connectorName === null ? {} : { display_name: oneLine(connectorName, RECORD_LABEL_MAX_CHARS) }),
    };
    const group = connectors.get(key) ?? { ...head, streams: [] };
    group.streams.push(shown);
    connectors.set(key, group);
  }
  return {
    object: "schema",
    detail,
    field_capability_legend: legendOf(rows.map(([row]) => row)),
    connectors: [...connectors.values()],
    ...(omitted > 0 ? { streams_omitted: omitted } : {}),
    ...members,
  };
}

export function bytesOf(value: unknown): number {
  return utf8Length(exactJsonText(value));
}
