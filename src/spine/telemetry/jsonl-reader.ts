import { isRecord } from "../../json.ts";
import { JSONL_RECORD_MAX_BYTES } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";

const LINE_FEED = 0x0a;

/** What a log holds, in its order. */
export interface JsonLines<Item> {
  readonly records: readonly Item[];
  /** A last line without its end: a write that was cut off. It is not read, even where it looks whole. */
  readonly torn: { readonly line: number; readonly bytes: number } | null;
}

/** The first line that is no record, counted from 1. */
export interface BadLine<Problem> {
  readonly line: number;
  readonly problem: "too_large" | "not_utf8" | "not_json" | "not_an_object" | { readonly refused: Problem };
}

/**
 * Reads a log of JSON lines, each a record that `read` accepts, or tells the first line that is none. Lines are cut from
 * bytes before they are decoded, so that a write cut off inside a character spoils no other line.
 */
export function readJsonLines<Item, Problem>(
  log: Uint8Array,
  read: (value: unknown) => Result<Item, Problem>,
  recordBytes: number = JSONL_RECORD_MAX_BYTES,
): Result<JsonLines<Item>, BadLine<Problem>> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (bytes: Uint8Array) => decoder.decode(bytes);
  const records: Item[] = [];
  let start = 0;
  for (;;) {
    const line = records.length + 1;
    const end = log.indexOf(LINE_FEED, start);
    if (end === -1) {
      const bytes = log.length - start;
      return ok({ records, torn: bytes === 0 ? null : { line, bytes } });
    }
    const judged =
      end + 1 - start > recordBytes
        ? fail("too_large" as const)
        : readLine(log.subarray(start, end), decode, read);
    if (!judged.ok) return fail({ line, problem: judged.reason });
    records.push(judged.value);
    start = end + 1;
  }
}

function readLine<Item, Problem>(
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => string,
  read: (value: unknown) => Result<Item, Problem>,
): Result<Item, BadLine<Problem>["problem"]> {
  const text = decoded(bytes, decode);
  if (!text.ok) return text;
  const value = parse(text.value);
  if (!value.ok) return value;
  if (!isRecord(value.value)) return fail("not_an_object");
  const record = read(value.value);
  return record.ok ? record : fail({ refused: record.reason });
}

function decoded(bytes: Uint8Array, decode: (bytes: Uint8Array) => string): Result<string, "not_utf8"> {
  try {
    return ok(decode(bytes));
  } catch {
    return fail("not_utf8");
  }
}

function parse(text: string): Result<unknown, "not_json"> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return fail("not_json");
  }
}
