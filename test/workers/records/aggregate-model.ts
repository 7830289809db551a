import { compareCodePoints } from "../../../src/code-points.ts";
import { compareDecimals, decimalOf, decimalText, isInteger } from "../../../src/exact-json/decimal.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import type { CoveredFeed } from "../../../src/records/grant/coverage.ts";
import type { FieldDeclaration } from "../../../src/records/manifest/manifest.ts";
import { GRANULARITIES } from "../../../src/records/time/buckets.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import { slowBucket } from "../../records/time/slow-zones.ts";
import { columnValue, type Query, type TestRecord } from "./aggregate-rig.ts";

export interface Stored {
  readonly feed: CoveredFeed;
  readonly records: readonly TestRecord[];
}

/** What an aggregate must come to, by a plain walk over all that was stored. Values in one spelling each: see `spelled`. */
export function expected(
  all: readonly Stored[],
  query: Query,
): {
  readonly total: number;
  readonly value?: unknown;
  readonly groups?: readonly (readonly [unknown, number])[];
} {
  const covered = all.flatMap(({ feed, records }) =>
    records.filter((record) => isCovered(feed, record)).map((record) => ({ feed, record })),
  );
  const chosen = covered.filter(({ feed, record }) =>
    Object.entries(query).every(([name, text]) => passes(feed, record, name, text)),
  );
  const total = chosen.length;
  const fieldName = query["field"] ?? query["group_by"] ?? query["group_by_time"];
  if (fieldName === undefined) return { total, value: total };
  const field = fieldIn(all, fieldName);
  const values = chosen.map(({ record }) => columnValue(record.data, field));
  const present = values.filter((value) => value !== null);
  const missing = total - present.length;
  const limit = Number(query["limit"] ?? 10);
  const granularity = GRANULARITIES.find((known) => known === query["granularity"]);
  if (granularity !== undefined) {
    const zone = field.kind === "date" ? "UTC" : (query["time_zone"] ?? "UTC");
    const buckets = tally(
      present.map((time) => slowBucket(Date.parse(`${time.slice(0, 19)}Z`), granularity, zone)),
    );
    const groups = [...buckets].toSorted(([one], [other]) =>
      compareCodePoints(calendarOrder(one), calendarOrder(other)),
    );
    return { total, groups: [...groups, ...(missing > 0 ? [[null, missing] as const] : [])].slice(0, limit) };
  }
  if (query["group_by"] !== undefined) {
    const groups: (readonly [string | null, number])[] = [
      ...tally(present.map((value) => spelledColumn(field, value))),
    ];
    if (missing > 0) groups.push([null, missing]);
    groups.sort(
      ([one, oneCount], [other, otherCount]) =>
        otherCount - oneCount ||
        Number(one === null) - Number(other === null) ||
        order(field, one ?? "", other ?? ""),
    );
    return { total, groups: groups.slice(0, limit) };
  }
  const sorted = present.toSorted((one, other) => order(field, one, other));
  switch (query["metric"] ?? "count") {
    case "sum":
      return { total, value: sumOf(present) };
    case "min":
      return { total, value: spelledOrNull(field, sorted[0]) };
    case "max":
      return { total, value: spelledOrNull(field, sorted.at(-1)) };
    default:
      return { total, value: new Set(present.map((value) => spelledColumn(field, value))).size };
  }
}

/** A value of an answer in the one spelling of its kind: an instant, a decimal. */
export function spelled(field: FieldDeclaration, value: unknown): unknown {
  if (value === null) return null;
  const column = columnValue(`{"x":${exactJsonText(value)}}`, { ...field, name: "x" });
  return column === null ? `not a ${field.kind}: ${exactJsonText(value)}` : spelledColumn(field, column);
}

export function fieldIn(all: readonly Stored[], name: string): FieldDeclaration {
  const field = all[0]?.feed.stream.fields.get(name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field;
}

function isCovered({ stream, resources, since, until }: CoveredFeed, { key, data }: TestRecord): boolean {
  if (resources !== null && !resources.includes(key)) return false;
  if (since === null && until === null) return true;
  const field = stream.fields.get(stream.consentTimeField ?? "");
  const time = field === undefined ? null : columnValue(data, field);
  return time !== null && (since === null || time >= since) && (until === null || time < until);
}

function passes({ stream }: CoveredFeed, { data }: TestRecord, name: string, text: string): boolean {
  const [, key, operator] = /^filter\[(\w+)\](?:\[(\w+)\])?$/.exec(name) ?? [];
  const field = stream.fields.get(key ?? "");
  if (field === undefined) return true;
  const value = columnValue(data, field);
  if (value === null) return false;
  const isTime = field.kind === "time" || field.kind === "date";
  const compared = order(field, value, isTime ? (canonicalTime(text) ?? "") : text);
  if (operator === "gte") return compared >= 0;
  if (operator === "gt") return compared > 0;
  if (operator === "lte") return compared <= 0;
  return operator === "lt" ? compared < 0 : compared === 0;
}

function isNumeric({ kind }: FieldDeclaration): boolean {
  return kind === "integer" || kind === "number";
}

function order(field: FieldDeclaration, one: string, other: string): number {
  if (!isNumeric(field)) return compareCodePoints(one, other);
  return compareDecimals(decimalOf(one), decimalOf(other));
}

function spelledColumn(field: FieldDeclaration, value: string): string {
  return isNumeric(field) ? decimalText(decimalOf(value)) : value;
}

function spelledOrNull(field: FieldDeclaration, value: string | undefined): string | null {
  return value === undefined ? null : spelledColumn(field, value);
}

function sumOf(texts: readonly string[]): string | null {
  if (texts.length === 0) return null;
  const whole = texts.filter((text) => isInteger(decimalOf(text)));
  const rest = texts.filter((text) => !isInteger(decimalOf(text)));
  const sum = whole.reduce((sum, text) => {
    const { negative, coefficient, exponent } = decimalOf(text);
    return sum + BigInt(coefficient) * 10n ** exponent * (negative ? -1n : 1n);
  }, 0n);
  if (rest.length === 0) return decimalText(decimalOf(String(sum)));
  return decimalText(decimalOf(String(rest.reduce((sum, text) => sum + Number(text), Number(sum)))));
}

/** The year 10000 comes after 9999. */
function calendarOrder(key: string): string {
  return key.startsWith("10000") ? `~${key}` : key;
}

function tally(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
