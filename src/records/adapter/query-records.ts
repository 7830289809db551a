import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { RECORD_LINE_MAX_BYTES, RECORDS_TEXT_MAX_BYTES, RECORDS_TEXT_MIN_BYTES } from "../../limits.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { ToolAnswer } from "../../surface.ts";
import { answerOf, refusal, sourceRefusal, unreadable } from "./answers.ts";
import type { ReadArguments } from "./arguments.ts";
import { chooseConnection } from "./connection-choice.ts";
import type { RecordsContext } from "./context.ts";
import { expandRefusal } from "./expand-gate.ts";
import { BoundedLines, nameText } from "./line.ts";
import { addWarnings, listNotes, withBoundedWarnings } from "./notes.ts";
import { projectedRecord } from "./projection.ts";
import { recordLine, type RecordPlace } from "./record-line.ts";

/** The `query_records` tool: one page of a stream, or of what changed in it. */
export async function callQueryRecords(args: ReadArguments, { source }: RecordsContext): Promise<ToolAnswer> {
  const stream = args.text("stream") ?? "";
  const connectionId = args.text("connection_id");
  const chosen = chooseConnection(source, stream, connectionId);
  if (!chosen.ok) return refusal(chosen.reason);
  const refused = await expandRefusal(args, source, stream, connectionId);
  if (refused !== undefined) return refused;
  // A cursor of a walk through changes knows where that began; some servers begin anew where both are given.
  const superseded = args.has("cursor") ? ["changes_since"] : [];
  const answer = await source.get({
    path: ["streams", stream, "records"],
    query: args.query("stream", ...superseded),
  });
  if (!answer.ok) return sourceRefusal(answer);
  const { body, requestId } = answer;
  const records = memberOf(body, "data");
  if (!isRecord(body) || !isJsonArray(records)) return unreadable(requestId);
  const fields = args.list("fields");
  const shown = records.map((record) => projectedRecord(record, fields, args.has("expand")));
  const place = { stream, connectionId: connectionId ?? onlyConnection(source.describe().connections) };
  return answerOf(recordsText(shown, body, place), {
    data: { ...withBoundedWarnings(body), data: shown },
    request_id: requestId,
  });
}

/** The one connection that a source has, where it has one: what its records belong to that do not say. */
export function onlyConnection(connections: readonly { readonly connectionId: string }[]): string | null {
  const [first, ...others] = connections;
  return first === undefined || others.length > 0 ? null : first.connectionId;
}

/**
 * A page in text: its size, its handles, and a line a record. Within `RECORDS_TEXT_MAX_BYTES`, but for handles, the first
 * record's id among them, that leave records less than `RECORDS_TEXT_MIN_BYTES` of it.
 */
function recordsText(records: readonly unknown[], envelope: unknown, place: RecordPlace): string {
  const notes = listNotes(envelope);
  const first = `records from stream ${nameText(place.stream)}: ${records.length} record(s).${notes === "" ? "" : ` ${notes}`}`;
  const bound = Math.max(RECORDS_TEXT_MAX_BYTES, utf8Length(first) + RECORDS_TEXT_MIN_BYTES);
  const lines = new BoundedLines(bound);
  lines.addAlways(first);
  // Warnings leave room for the first record.
  const kept = records.length === 0 ? 0 : RECORD_LINE_MAX_BYTES;
  lines.reserve(kept);
  addWarnings(lines, envelope);
  lines.reserve(-kept);
  if (records.length === 0) return lines.text();

  lines.reserve(FOOTER_BYTES);
  const count = Math.min(records.length, Math.max(1, Math.floor(lines.bytesLeft / RECORD_LINE_MAX_BYTES)));
  let shown = 0;
  let whole = true;
  while (shown < records.length) {
    // What the first records leave is for those after them.
    const share = shown < count ? Math.floor(lines.bytesLeft / (count - shown)) : lines.bytesLeft;
    const line = recordLine(records[shown], shown, place, share - 1);
    if (shown >= count && !line.whole) break;
    // The first id is there in any case: with it alone a client can go on.
    if (shown === 0) lines.addAlways(line.text);
    else if (!lines.add(line.text)) break;
    whole &&= line.whole;
    shown += 1;
  }
  lines.reserve(-FOOTER_BYTES);
  const footer = [
    ...(whole ? [] : ["record_preview_truncated=true; followup=fetch an id, or narrow with fields"]),
    ...(shown === records.length ? [] : [moreRecords(records.length - shown, shown)]),
  ];
  if (footer.length > 0) lines.add(footer.join(". "));
  return lines.text();
}

const FOOTER_BYTES = 190;

function moreRecords(more: number, shown: number): string {
  return `more_records=${more} of this page; followup=ask again with limit=${shown} and page with cursor`;
}
