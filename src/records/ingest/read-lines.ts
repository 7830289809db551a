import { cutAtCodePoint } from "../../code-points.ts";
import { parseExactJson } from "../../exact-json/parse.ts";
import { surveyExact } from "../../exact-json/survey.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { isRecord, memberOf } from "../../json.ts";
import { INGEST_LINES_MAX_COUNT, RECORD_DATA_MAX_DEPTH } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import { canonicalTime } from "../time/canonical-time.ts";
import type { DataLine, DeleteLine, LineRefusal, RejectionCode } from "./line.ts";
import { isRecordKey } from "./record-key.ts";

/** A line that was read; its body is not weighed and hashed yet. */
export type ReadLine = Omit<DataLine, "bytes" | "hash"> | DeleteLine;

export type LinesReason =
  | { readonly reason: "too_many_lines" }
  | { readonly reason: "refused"; readonly lines: readonly LineRefusal[] };

/**
 * NDJSON: a record a line, `{"key", "data", "emitted_at"}`, or `{"key", "deleted": true, "emitted_at"?}` for one that is no
 * more. Blank lines count for the numbers and for nothing else. All lines are judged, so that one answer tells all faults.
 * Data are any object: PDPP leaves it to a connector to keep to its own schema. Never throws.
 */
export function readLines(text: string): Result<readonly ReadLine[], LinesReason> {
  const read: ReadLine[] = [];
  const refusals = new Map<number, LineRefusal>();
  let line = 0;
  for (const raw of linesOf(text)) {
    line += 1;
    if (BLANK.test(raw)) continue;
    if (read.length + refusals.size === INGEST_LINES_MAX_COUNT) return fail({ reason: "too_many_lines" });
    const judged = readLine(raw, line);
    if (judged.ok) read.push(judged.value);
    else refusals.set(line, { line, status: "rejected", ...judged.reason });
  }
  if (refusals.size === 0) return ok(read);
  for (const good of read) refusals.set(good.line, { line: good.line, status: "skipped" });
  return fail({
    reason: "refused",
    lines: [...refusals.values()].toSorted((one, other) => one.line - other.line),
  });
}

/** Line by line, without a list of them all: a body of line ends alone would make one of millions. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    yield text.slice(start, end < 0 ? undefined : end);
    start = end < 0 ? text.length : end + 1;
  }
}

/** JSON's white space. */
const BLANK = /^[ \t\r]*$/;
const MEMBERS: ReadonlySet<string> = new Set(["key", "data", "emitted_at", "deleted"]);
const SHOWN_NAME_CHARS = 64;
const EXAMPLE = '{"key":"n1","data":{"id":"n1"},"emitted_at":"2026-01-31T12:00:00Z"}';

interface Rejection {
  readonly code: RejectionCode;
  readonly message: string;
}

function readLine(raw: string, line: number): Result<ReadLine, Rejection> {
  const parsed = parseExactJson(raw, { duplicates: "refuse" });
  if (!parsed.ok) {
    switch (parsed.reason.reason) {
      case "duplicate_member":
        return reject("duplicate_member", `${parsed.reason.path} is there twice`);
      case "too_many_numbers":
        return reject("invalid_data", "has too many numbers that need exactness");
      case "syntax":
        return reject("invalid_json", "is no JSON text");
    }
  }
  const { value } = parsed;
  if (!isRecord(value)) return reject("invalid_line", "is no JSON object");
  const names = Object.keys(value);
  // The rows of a table, most likely, which stand in `data`.
  if (!names.includes("key") && !names.includes("data"))
    return reject("invalid_line", `has neither key nor data. A line is ${EXAMPLE}`);
  const unknown = names.find((name) => !MEMBERS.has(name));
  if (unknown !== undefined)
    return reject(
      "unknown_member",
      `takes key, data, emitted_at and deleted, not ${JSON.stringify(cutAtCodePoint(unknown, SHOWN_NAME_CHARS))}`,
    );
  const key = memberOf(value, "key");
  if (key === undefined) return reject("invalid_key", "key is missing: the record's own text in this stream");
  if (!isRecordKey(key))
    return reject("invalid_key", "key is a text of 1 to 512 characters, without NUL and halves of pairs");
  const deleted = memberOf(value, "deleted") ?? false;
  if (typeof deleted !== "boolean") return reject("invalid_deleted", "deleted is true or false");
  const emittedAt = memberOf(value, "emitted_at");
  if (!deleted && emittedAt === undefined)
    return reject(
      "invalid_emitted_at",
      "emitted_at is missing: the time at which the record was read at its source, like 2026-01-31T12:00:00Z",
    );
  if (emittedAt !== undefined && !isTime(emittedAt))
    return reject("invalid_emitted_at", "emitted_at is a time, like 2026-01-31T12:00:00Z");
  const data = memberOf(value, "data");
  if (deleted) {
    if (data !== undefined) return reject("invalid_data", "what is deleted has no data");
    return ok({ kind: "delete", line, key, emittedAt: isTime(emittedAt) ? emittedAt : null });
  }
  if (data === undefined) return reject("invalid_data", "data is missing: the record itself, an object");
  if (!isRecord(data) || !isTime(emittedAt)) return reject("invalid_data", "data is an object");
  if (surveyExact(data).depth > RECORD_DATA_MAX_DEPTH)
    return reject("too_deep", `data is nested more than ${RECORD_DATA_MAX_DEPTH} levels deep`);
  return ok({ kind: "data", line, key, emittedAt, data, text: exactJsonText(data) });
}

function reject(code: RejectionCode, message: string): Result<never, Rejection> {
  return fail({ code, message });
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && canonicalTime(value) !== undefined;
}
