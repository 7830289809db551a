import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { RECORD_ARGUMENT_MAX_CHARS } from "../../limits.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import { oneLine, quoted } from "./line.ts";
import { previewOf } from "./preview.ts";
import { recordId } from "./record-id.ts";
import { textAt } from "./schema/document.ts";

/** What a record that does not say so itself belongs to. */
export interface RecordPlace {
  readonly stream: string;
  readonly connectionId: string | null;
}

/** A record's id for `fetch`; undefined where it has no key. */
export function idOf(record: unknown, { stream, connectionId }: RecordPlace): string | undefined {
  const key = textAt(record, "id") ?? textAt(record, "record_key");
  if (key === null || key === "") return undefined;
  return recordId({
    connectionId: textAt(record, "connection_id") ?? connectionId,
    stream: textAt(record, "stream") ?? stream,
    key,
  });
}

export interface RecordLine {
  readonly text: string;
  readonly whole: boolean;
}

/**
 * One record on one line: `record[0] id="…" {…}`, or that it was deleted; then the children that were asked for with it, each
 * with its own id. The id is whole; what it says of itself has the rest of `maxBytes`.
 */
export function recordLine(record: unknown, index: number, place: RecordPlace, maxBytes: number): RecordLine {
  const id = idOf(record, place);
  const head = `record[${index}]${id === undefined ? "" : ` id=${idText(id)}`}`;
  if (memberOf(record, "deleted") === true) {
    const at = textAt(record, "deleted_at");
    return {
      text: `${head} deleted=true${at === null ? "" : ` deleted_at=${oneLine(at, 40)}`}`,
      whole: true,
    };
  }
  const room = maxBytes - utf8Length(head) - 1;
  if (room < LEAST_BYTES) return { text: head, whole: false };
  const payload = memberOf(record, "data");
  const children = childrenOf(record, place);
  if (children === undefined) {
    const { text, whole } = previewOf(payload === undefined ? record : payload, room, true);
    return { text: `${head} ${text}`, whole };
  }
  const half = Math.floor((room - EXPANDED.length) / 2);
  const own = previewOf(payload, half, true);
  const others = previewOf(children, room - EXPANDED.length - utf8Length(own.text), true);
  return { text: `${head} ${own.text}${EXPANDED}${others.text}`, whole: own.whole && others.whole };
}

/** An id whole; one that no call would take is only told of. */
export function idText(id: string): string {
  return id.length <= RECORD_ARGUMENT_MAX_CHARS ? quoted(id) : "(too long)";
}

const EXPANDED = " expanded=";
const LEAST_BYTES = 24;

/** The records under each relation, as far as anybody needs them to go on: the id to fetch and the payload. */
export function childrenOf(
  record: unknown,
  place: RecordPlace,
): Readonly<Record<string, unknown>> | undefined {
  const expanded = memberOf(record, "expanded");
  if (!isRecord(expanded)) return undefined;
  const connectionId = textAt(record, "connection_id") ?? place.connectionId;
  const entries = Object.entries(expanded).map(([relation, value]): [string, unknown] => {
    const list = memberOf(value, "data");
    if (!isJsonArray(list)) return [relation, childOf(value, { stream: relation, connectionId })];
    const records = list.map((child) => childOf(child, { stream: relation, connectionId }));
    return [relation, { records, has_more: memberOf(value, "has_more") === true }];
  });
  return Object.fromEntries(entries);
}

function childOf(child: unknown, place: RecordPlace): unknown {
  if (!isRecord(child)) return child;
  const id = idOf(child, place);
  return { ...(id === undefined ? {} : { id }), data: memberOf(child, "data") ?? null };
}
