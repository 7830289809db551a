import { isExactNumber } from "../exact-json/exact-number.ts";
import { isJsonArray, isRecord, memberOf } from "../json.ts";
import { SCRUB_MAX_DEPTH } from "../limits.ts";
import { JsonFrame } from "./json-frame.ts";
import { hiddenScalar, hidesNumber, type Regard } from "./member-hiding.ts";
import { redactedString } from "./redacted-string.ts";
import type { RedactedValue, StringRedaction } from "./redaction.ts";
import { SCRUBBED } from "./secret-places.ts";

/** Where a scalar stands in its object or array, and how often something was taken out of it. */
interface Place {
  readonly index: number;
  readonly count: number;
}

type Frame = JsonFrame<Place>;
type Strings = Pick<StringRedaction, "whole">;

/**
 * A JSON value as `JsonRedaction` reads the text of one: the same is taken out. What is nested deeper than
 * `SCRUB_MAX_DEPTH` is replaced whole. What holds nothing is not copied, up to the value itself.
 */
export function redactValue(value: unknown, strings: Strings, regard: Regard = "open"): RedactedValue {
  return redacted(value, regard, undefined, 0, strings);
}

function redacted(
  value: unknown,
  regard: Regard,
  parent: Frame | undefined,
  depth: number,
  strings: Strings,
): RedactedValue {
  if (typeof value === "string") {
    const { text, count } = redactedString(value, regard, parent?.before, strings);
    return { value: count === 0 ? value : text, count };
  }
  const written = numeral(value);
  if (written !== undefined) {
    const isHidden = typeof regard === "object" && hidesNumber(regard.under, parent?.name, written);
    return isHidden ? { value: SCRUBBED, count: 1 } : { value, count: 0 };
  }
  if (!isJsonArray(value) && !isRecord(value)) return { value, count: 0 };
  if (depth > SCRUB_MAX_DEPTH) return { value: SCRUBBED, count: 1 };
  const frame: Frame = new JsonFrame(!isJsonArray(value), regard, parent);
  return isJsonArray(value)
    ? redactedArray(value, frame, depth, strings)
    : redactedRecord(value, frame, depth, strings);
}

function redactedArray(
  items: readonly unknown[],
  frame: Frame,
  depth: number,
  strings: Strings,
): RedactedValue {
  const changes = items.map((item, index) => redactedItem(item, index, frame, depth, strings));
  hideLate(frame, changes);
  const count = changes.reduce((sum, change) => sum + change.count, 0);
  return { value: count === 0 ? items : changes.map(({ value }) => value), count };
}

function redactedRecord(
  record: Readonly<Record<string, unknown>>,
  frame: Frame,
  depth: number,
  strings: Strings,
): RedactedValue {
  let inNames = 0;
  frame.foretell(memberOf(record, "kind"));
  const names: string[] = [];
  const changes = Object.keys(record).map((key, index) => {
    const { name, count } = frame.member(key);
    names.push(name);
    inNames += count;
    return redactedItem(record[key], index, frame, depth, strings);
  });
  hideLate(frame, changes);
  const count = changes.reduce((sum, change) => sum + change.count, inNames);
  if (count === 0) return { value: record, count };
  // `fromEntries` defines members, so that `__proto__` is one.
  return { value: Object.fromEntries(changes.map(({ value }, index) => [names[index] ?? "", value])), count };
}

function redactedItem(
  item: unknown,
  index: number,
  frame: Frame,
  depth: number,
  strings: Strings,
): RedactedValue {
  const text = typeof item === "string" ? item : undefined;
  const change = redacted(item, frame.regard(text), frame, depth + 1, strings);
  const scalar = text ?? numeral(item);
  if (scalar !== undefined && frame.mayComeLate)
    frame.comesLate({ place: { index, count: change.count }, text: scalar, isString: text !== undefined });
  frame.ended(text, item === true);
  return change;
}

function hideLate(frame: Frame, changes: RedactedValue[]): void {
  for (const { under, place, text, isString } of frame.late()) {
    const hidden = hiddenScalar(under, text, isString);
    if (hidden !== undefined) changes[place.index] = { value: hidden, count: 1 };
  }
}

/** A number as it is written. */
function numeral(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return isExactNumber(value) ? value.text : undefined;
}
