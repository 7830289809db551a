import {
  RECORD_LINE_MAX_BYTES,
  RECORD_MORE_IDS_MAX_BYTES,
  RECORDS_TEXT_MAX_BYTES,
  RECORDS_TEXT_MIN_BYTES,
} from "../../limits.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import { BoundedLines, nameText } from "./line.ts";
import { addWarnings, listNotes } from "./notes.ts";
import { idOf, recordLine, type RecordPlace } from "./record-line.ts";

/**
 * A page in text: its size, its handles, and a line a record. Within `RECORDS_TEXT_MAX_BYTES`, but for handles, the first
 * record's id among them, that leave records less than `RECORDS_TEXT_MIN_BYTES` of it.
 */
export function recordsText(records: readonly unknown[], envelope: unknown, place: RecordPlace): string {
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

  // A page that is not shown whole still tells the ids of all, or a client that reads text alone would page past them.
  const few = Math.floor((lines.bytesLeft - FOOTER_BYTES) / RECORD_LINE_MAX_BYTES);
  const rest = few >= records.length ? 0 : moreIds(records.slice(Math.max(1, few)), place).bytes;
  const reserved = FOOTER_BYTES + Math.min(rest, RECORD_MORE_IDS_MAX_BYTES);
  lines.reserve(reserved);
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
  lines.reserve(-reserved);
  if (!whole) lines.add("record_preview_truncated=true; followup=fetch an id, or narrow with fields");
  if (shown < records.length) lines.add(moreRecords(records.slice(shown), shown, lines.bytesLeft, place));
  return lines.text();
}

const FOOTER_BYTES = 190;

/** The records that have no line: their ids, as many as fit, and what to do about those that do not. */
function moreRecords(
  records: readonly unknown[],
  shown: number,
  maxBytes: number,
  place: RecordPlace,
): string {
  const head = `more_records=${records.length} of this page`;
  const { text, told } = moreIds(records, place, maxBytes - head.length - FOOTER_BYTES / 2);
  const ids = told === 0 ? "" : `; more_ids=${text}`;
  const untold = records.length - told;
  return `${head}${ids}${untold === 0 ? "" : `; ${untold} untold: ask again with limit=${shown + told}, and page with its cursor`}`;
}

interface MoreIds {
  /** `"mail/messages:" + m4|m5`: what all ids begin with, and the rest of each. */
  readonly text: string;
  readonly told: number;
  readonly bytes: number;
}

function moreIds(
  records: readonly unknown[],
  place: RecordPlace,
  maxBytes = Number.POSITIVE_INFINITY,
): MoreIds {
  const ids = records.map((record) => idOf(record, place) ?? "");
  const first = ids[0] ?? "";
  const prefix = first.slice(0, first.lastIndexOf(":") + 1);
  let text = `"${prefix}" + `;
  let told = 0;
  for (const id of ids) {
    if (!id.startsWith(prefix) || id.length === prefix.length) break;
    // Each part of an id is percent-encoded, so that no bar is in it and a character is a byte.
    const next = `${text}${told === 0 ? "" : "|"}${id.slice(prefix.length)}`;
    if (next.length > maxBytes) break;
    text = next;
    told += 1;
  }
  return { text, told, bytes: text.length };
}
