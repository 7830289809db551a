import { TABLE_SNIFF_BYTES, TABLE_SNIFF_RECORDS_COUNT } from "../../../limits.ts";
import { decodeUtf8 } from "../../result/utf8.ts";
import { gridForm } from "../../summary/table/grid-lines.ts";
import { tableDelimiter } from "../../summary/table/looks-like-table.ts";
import { documentStart, OPEN_ARRAY, OPEN_OBJECT } from "../json/scan.ts";
import { NEWLINE } from "../plan.ts";
import { beginsAsJson } from "./json-sniff.ts";
import { type Delimiter, DELIMITERS, fieldsOf, RecordScanner, type TableForm } from "./records.ts";

/** What rows an artifact has. `object`: JSON that has none at its top. */
export type RowFormat = TableForm | "json" | "ndjson" | "object";

const TABLE_TYPES: ReadonlySet<string> = new Set(["text/csv", "application/csv", "text/x-csv"]);
const TAB_TYPES: ReadonlySet<string> = new Set(["text/tab-separated-values", "text/tsv"]);
const NDJSON_TYPES: ReadonlySet<string> = new Set([
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
  "application/x-jsonlines",
  "application/jsonlines",
  "text/x-ndjson",
]);

const DELIMITER_NAMES = ["comma", "tab", "semicolon", "pipe"] as const satisfies readonly Delimiter[];

export function isNdjsonType(mediaType: string): boolean {
  return NDJSON_TYPES.has(mediaType);
}

/** What the beginning of an artifact shows; the media type decides where it says so. */
export function rowFormat(mediaType: string, bytes: Uint8Array, whole: boolean): RowFormat | undefined {
  if (isNdjsonType(mediaType)) return "ndjson";
  if (TAB_TYPES.has(mediaType)) return "tab";
  if (TABLE_TYPES.has(mediaType)) return saidDelimiter(bytes, whole);
  const first = bytes[documentStart(bytes)];
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
    if (hasTwoJsonLines(bytes, whole)) return "ndjson";
    const isSaid = mediaType === "application/json" || mediaType.endsWith("+json");
    if (isSaid || beginsAsJson(bytes, whole)) {
      return first === OPEN_ARRAY ? "json" : "object";
    }
  }
  return gridOf(bytes, whole) ?? delimiterOf(bytes, whole);
}

/** What the summary takes for a drawn table. */
function gridOf(bytes: Uint8Array, whole: boolean): RowFormat | undefined {
  const head = bytes.subarray(0, TABLE_SNIFF_BYTES);
  const lines = decodeUtf8(head).split(/\r?\n/);
  // The last one may be cut.
  if (!whole || head.length < bytes.length) lines.pop();
  return gridForm(lines);
}

/** The first two lines that are not empty are each a whole object or array. */
function hasTwoJsonLines(bytes: Uint8Array, whole: boolean): boolean {
  let at = 0;
  for (let found = 0; found < 2;) {
    if (at >= bytes.length) return false;
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0 && !whole) return false;
    const end = newline < 0 ? bytes.length : newline;
    const line = decodeUtf8(bytes.subarray(at, end)).trim();
    at = end + 1;
    if (line === "") continue;
    if (!isJsonContainer(line)) return false;
    found += 1;
  }
  return true;
}

function isJsonContainer(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/** Of what its media type calls a table: the delimiter that the summary goes by, so that both tell the same columns. */
function saidDelimiter(bytes: Uint8Array, whole: boolean): Delimiter {
  const head = bytes.subarray(0, TABLE_SNIFF_BYTES);
  const mark = tableDelimiter(decodeUtf8(head), whole && head.length === bytes.length, true);
  return DELIMITER_NAMES.find((name) => DELIMITERS[name] === mark) ?? "comma";
}

/** The delimiter by which all of the first records have the same number of fields, two or more; the one that gives most. */
function delimiterOf(bytes: Uint8Array, whole: boolean): Delimiter | undefined {
  const head = bytes.subarray(0, TABLE_SNIFF_BYTES);
  const isAll = whole && head.length === bytes.length;
  let best: { readonly delimiter: Delimiter; readonly fields: number } | undefined;
  for (const delimiter of DELIMITER_NAMES) {
    const fields = commonFields(head, delimiter, isAll);
    if (fields >= 2 && fields > (best?.fields ?? 0)) best = { delimiter, fields };
  }
  return best?.delimiter;
}

function commonFields(head: Uint8Array, delimiter: Delimiter, isAll: boolean): number {
  // Prose without the mark is the usual case.
  if (!head.includes(DELIMITERS[delimiter].charCodeAt(0))) return 0;
  const scanner = new RecordScanner(head, delimiter, isAll);
  let common = 0;
  let count = 0;
  while (count < TABLE_SNIFF_RECORDS_COUNT) {
    const record = scanner.next();
    if (record === undefined) break;
    const { length } = fieldsOf(decodeUtf8(head.subarray(record.start, record.end)), delimiter);
    if (count > 0 && length !== common) return 0;
    common = length;
    count += 1;
  }
  return count >= 2 ? common : 0;
}
