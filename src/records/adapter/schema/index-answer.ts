import { compareCodePoints } from "../../../code-points.ts";
import {
  RECORD_LABEL_MAX_CHARS,
  SCHEMA_INDEX_MAX_BYTES,
  SCHEMA_LONG_TEXT_MAX_BYTES,
  SCHEMA_TEXT_MAX_BYTES,
} from "../../../limits.ts";
import { utf8Length } from "../../../schema/utf8-length.ts";
import { boundedList, nameText, oneLine, quoted } from "../line.ts";
import type { GrantedConnection, StreamRow } from "./document.ts";
import { documentLines, documentMembers } from "./document-notes.ts";
import { connectionText } from "./row-lines.ts";
import { connectionsObject } from "./row-object.ts";
import { bytesOf } from "./scoped-answer.ts";

/** Streams of one connector that the same connections have. */
interface Group {
  readonly connectorKey: string | null;
  readonly connectorName: string | null;
  readonly connections: readonly GrantedConnection[];
  readonly streams: readonly string[];
}

/** The index of all streams: who has them, and no more. */
export interface SchemaIndex {
  readonly groups: readonly Group[];
  readonly connectorCount: number;
  readonly connectionCount: number;
  readonly streamCount: number;
}

export function schemaIndex(rows: readonly StreamRow[]): SchemaIndex {
  const streams = new Map<
    string,
    { readonly row: StreamRow; readonly connections: Map<string, GrantedConnection> }
  >();
  for (const row of rows) {
    const key = JSON.stringify([row.connectorKey, row.name]);
    const entry = streams.get(key) ?? { row, connections: new Map<string, GrantedConnection>() };
    for (const connection of row.connections) entry.connections.set(connection.connectionId, connection);
    streams.set(key, entry);
  }
  const groups = new Map<string, Group & { readonly streams: string[] }>();
  for (const { row, connections } of streams.values()) {
    const { connectorKey, connectorName, name } = row;
    const key = JSON.stringify([connectorKey, [...connections.keys()].toSorted(compareCodePoints)]);
    const group = groups.get(key) ?? {
      connectorKey,
      connectorName,
      connections: [...connections.values()],
      streams: [],
    };
    group.streams.push(name);
    groups.set(key, group);
  }
  return {
    groups: [...groups.values()],
    connectorCount: new Set(rows.map(({ connectorKey }) => connectorKey)).size,
    connectionCount: new Set(
      rows.flatMap(({ connections }) => connections.map(({ connectionId }) => connectionId)),
    ).size,
    streamCount: streams.size,
  };
}

/**
 * Every stream's name under its connector, and of the connections as many as fit: within `SCHEMA_TEXT_MAX_BYTES`, or what the
 * names need up to `SCHEMA_LONG_TEXT_MAX_BYTES`. Names that need even more are all there all the same, up to what a host takes.
 */
export function indexText(index: SchemaIndex, document: unknown): string {
  const { groups, connectorCount, connectionCount, streamCount } = index;
  const first = [
    `schema: ${streamCount} stream(s), ${connectorCount} connector(s), ${connectionCount} connection(s).`,
    'Next: schema {"stream":"…","connection_id":"…"} tells fields, filters, sort, relations and aggregation.',
    ...documentLines(document),
  ];
  const blocks = [...byStreams(groups)];
  const least = linesBytes([
    ...first,
    ...blocks.flatMap(([names, heads]) => [...heads.map((head) => headText(head, 0)), names]),
  ]);
  const bound = least <= SCHEMA_TEXT_MAX_BYTES ? SCHEMA_TEXT_MAX_BYTES : SCHEMA_LONG_TEXT_MAX_BYTES;
  const lines = [...first];
  let spare = bound - least;
  let left = groups.length;
  for (const [names, heads] of blocks) {
    for (const head of heads) {
      const plain = headText(head, 0);
      const text = headText(head, Math.max(0, Math.floor(spare / left)));
      spare -= utf8Length(text) - utf8Length(plain);
      left -= 1;
      lines.push(text);
    }
    lines.push(names);
  }
  const text = lines.join("\n");
  if (utf8Length(text) <= SCHEMA_INDEX_MAX_BYTES) return text;
  return cutIndex(lines);
}

/** Connectors with the very same streams share their line of names. */
function byStreams(groups: readonly Group[]): ReadonlyMap<string, readonly Group[]> {
  const blocks = new Map<string, Group[]>();
  for (const group of groups) {
    const names = ` streams=${group.streams.length}: ${group.streams.map(nameText).join("|")}`;
    const heads = blocks.get(names) ?? [];
    heads.push(group);
    blocks.set(names, heads);
  }
  return blocks;
}

/** A group's line with `spare` bytes for its label and connections, which are otherwise counted. */
function headText({ connectorKey, connectorName, connections }: Group, spare: number): string {
  const key = connectorKey === null ? "connector" : `connector_key=${nameText(connectorKey)}`;
  const label =
    connectorName === null ? "" : ` display_name=${quoted(oneLine(connectorName, RECORD_LABEL_MAX_CHARS))}`;
  const labelled = utf8Length(label) <= spare ? label : "";
  const room = spare - utf8Length(labelled) - 2;
  const texts = connections.map(connectionText);
  const least = utf8Length(texts[0] ?? "") + 20;
  const names = texts.length === 0 || room < least ? "" : `: ${boundedList(texts, room)}`;
  return `${key}${labelled} connections=${connections.length}${names}`;
}

function linesBytes(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
}

/** No grant of a person has so many streams; a server that says so does not fill a context. */
function cutIndex(lines: readonly string[]): string {
  const kept: string[] = [];
  let left = SCHEMA_INDEX_MAX_BYTES - 100;
  for (const line of lines) {
    left -= utf8Length(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return [
    ...kept,
    `more_lines=${lines.length - kept.length}: pass connection_id for one connection's streams`,
  ].join("\n");
}

/** How much of an index structured output has, from most to least. */
const STEPS = [
  { connections: 100, streams: 10_000 },
  { connections: 20, streams: 2_000 },
  { connections: 4, streams: 1_000 },
  { connections: 1, streams: 500 },
  { connections: 0, streams: 100 },
  { connections: 0, streams: 0 },
] as const;

/** The same as a document, within `SCHEMA_INDEX_MAX_BYTES` together with what else is answered. */
export function indexDocument(
  index: SchemaIndex,
  document: unknown,
  rest: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const head = {
    object: "schema",
    detail: "compact",
    connector_count: index.connectorCount,
    stream_count: index.streamCount,
    connection_count: index.connectionCount,
    ...documentMembers(document),
  };
  for (const [at, step] of STEPS.entries()) {
    let streams: number = step.streams;
    const connectors = index.groups.map((group) => {
      const shown = group.streams.slice(0, streams);
      streams -= shown.length;
      const omitted = group.streams.length - shown.length;
      return {
        ...(group.connectorKey === null ? {} : { connector_key: group.connectorKey }),
        ...(group.connectorName === null || at > 2
          ? {}
          : { display_name: oneLine(group.connectorName, RECORD_LABEL_MAX_CHARS) }),
        ...connectionsObject(group.connections, step.connections),
        streams: shown.map((name) => ({ name })),
        ...(omitted > 0 ? { streams_omitted: omitted } : {}),
      };
    });
    const shown = step.streams === 0 ? [] : connectors;
    const whole = { ...head, connectors: shown };
    if (bytesOf({ data: whole, ...rest }) <= SCHEMA_INDEX_MAX_BYTES) return whole;
  }
  return { ...head, connectors: [], truncated: true };
}
