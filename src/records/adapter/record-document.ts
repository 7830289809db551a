import { isExactNumber } from "../../exact-json/exact-number.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { type JsonObject, isRecord, memberOf } from "../../json.ts";
import {
  DOCUMENT_METADATA_MAX_CHARS,
  DOCUMENT_METADATA_MAX_COUNT,
  DOCUMENT_TEXT_MAX_BYTES,
} from "../../limits.ts";
import type { SourceDescription } from "../source/read-source.ts";
import { addressOf, placeOf } from "./address.ts";
import { cutAtBytes, oneLine } from "./line.ts";
import { projected } from "./projection.ts";
import { recordId, type RecordRef } from "./record-id.ts";
import { childrenOf } from "./record-line.ts";
import { textAt } from "./schema/document.ts";
import { titleOf } from "./title.ts";

type Metadata = Readonly<Record<string, unknown>>;

export interface DocumentSettings {
  /** What was asked for. */
  readonly ref: RecordRef;
  readonly fields: readonly string[] | undefined;
  /** Whether its children were asked for. */
  readonly expanded: boolean;
  readonly source: SourceDescription;
  readonly baseUrl: string | null;
}

const TEXT_FIELDS = ["text", "content", "body", "summary"];
/** Of a record's envelope: who it is and whose. */
const IDENTITY = [
  "object",
  "id",
  "stream",
  "connection_id",
  "connector_key",
  "connector_id",
  "display_name",
  "emitted_at",
];
/** Of its payload: when it was written. */
const TIMES = ["sent_at", "created_at", "updated_at"];

/** A record as a document: `id`, `title`, `text`, `url` and `metadata`, in nothing of which stands a field that was not asked for. */
export function documentOfRecord(
  record: JsonObject,
  settings: DocumentSettings,
): Readonly<Record<string, unknown>> {
  const { ref, fields, baseUrl, source } = settings;
  const payload = projected(asPayload(memberOf(record, "data")), fields);
  const connectionId = textAt(record, "connection_id") ?? ref.connectionId;
  const own = { ...ref, connectionId };
  const connection = source.connections.find((each) => each.connectionId === connectionId);
  const connectorKey = textAt(record, "connector_key") ?? connection?.connectorKey ?? null;
  const displayName = textAt(record, "display_name") ?? connection?.displayName ?? null;
  const { text, field } = textOf(payload, settings.expanded ? childrenOf(record, own) : undefined);
  const cut = cutAtBytes(text, DOCUMENT_TEXT_MAX_BYTES);
  const isCut = cut.bytes > DOCUMENT_TEXT_MAX_BYTES;
  return {
    id: recordId(own),
    title: titleOf({
      places: [payload, { authored_at: memberOf(record, "authored_at") }],
      label: displayName ?? connectorKey ?? connectionId,
      stream: ref.stream,
      key: ref.key,
      // What was left out may have the time it was written; the time of ingestion would be taken for that.
      emittedAt: fields === undefined ? textAt(record, "emitted_at") : null,
    }),
    text: cut.text,
    url: addressOf(payload, placeOf(source, connection, baseUrl), own),
    metadata: {
      ...scalars(record, IDENTITY),
      id: ref.key,
      stream: ref.stream,
      ...(connectionId === null ? {} : { connection_id: connectionId }),
      ...(connectorKey === null ? {} : { connector_key: oneLine(connectorKey, DOCUMENT_METADATA_MAX_CHARS) }),
      ...(displayName === null ? {} : { display_name: oneLine(displayName, DOCUMENT_METADATA_MAX_CHARS) }),
      ...scalars(payload, TIMES),
      ...ownMetadata(payload),
      ...(isCut
        ? {
            truncated: true,
            total_bytes: cut.bytes,
            read_with: readWith(payload, own, field, source.profile === "full"),
          }
        : {}),
    },
  };
}

function asPayload(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

/** The record's own words, or where it has none, or children were asked for, all of it as JSON. */
function textOf(
  payload: JsonObject,
  children: Readonly<Record<string, unknown>> | undefined,
): { text: string; field: string | null } {
  if (children !== undefined) return { text: exactJsonText({ ...payload, expanded: children }), field: null };
  for (const field of TEXT_FIELDS) {
    const text = textAt(payload, field);
    if (text !== null && text !== "") return { text, field };
  }
  return { text: exactJsonText(payload), field: null };
}

function scalars(holder: unknown, names: readonly string[]): Metadata {
  const entries = names.flatMap((name) => {
    const value = scalar(memberOf(holder, name));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function scalar(value: unknown): unknown {
  if (typeof value === "string") return oneLine(value, DOCUMENT_METADATA_MAX_CHARS);
  const isShort = !isExactNumber(value) || value.text.length <= DOCUMENT_METADATA_MAX_CHARS;
  const isScalar = typeof value === "number" || typeof value === "boolean" || isExactNumber(value);
  return isScalar && isShort ? value : undefined;
}

/** Names that the document itself gives a meaning to; a record's own metadata has no say there. */
const RESERVED: ReadonlySet<string> = new Set([
  ...IDENTITY,
  ...TIMES,
  "truncated",
  "total_bytes",
  "read_with",
]);

/** The scalars of a record's own `metadata`. */
function ownMetadata(payload: JsonObject): Metadata {
  const metadata = memberOf(payload, "metadata");
  if (!isRecord(metadata)) return {};
  const names = Object.keys(metadata).filter(
    (name) =>
      !RESERVED.has(name) &&
      name.length <= DOCUMENT_METADATA_MAX_CHARS &&
      scalar(metadata[name]) !== undefined,
  );
  return scalars(metadata, names.slice(0, DOCUMENT_METADATA_MAX_COUNT));
}

/** The call that gives a text in full: its structured output is not cut. */
function readWith(payload: JsonObject, ref: RecordRef, field: string | null, filters: boolean): object {
  // The key under the name that the payload gives it, `id` where there are several.
  const byKey = ["id", ...Object.keys(payload)].find((name) => memberOf(payload, name) === ref.key);
  const args = {
    stream: ref.stream,
    ...(ref.connectionId === null ? {} : { connection_id: ref.connectionId }),
    ...(field === null ? {} : { fields: [field] }),
    ...(byKey === undefined || !filters ? {} : { filter: { [byKey]: ref.key } }),
    limit: 1,
  };
  return byKey === undefined || !filters
    ? { tool: "query_records", arguments: { ...args, limit: 100 } }
    : { tool: "query_records", arguments: args };
}
