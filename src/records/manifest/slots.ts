import { sha256Hex } from "../../identity/digest.ts";
import { cutAtCodePoint } from "../../code-points.ts";
import { isRecord } from "../../json.ts";
import { SLOT_TEXT_MAX_CHARS } from "../../limits/records.ts";
import type { ConnectorManifest, FieldKind, Slot, StreamManifest, StreamSlots } from "./manifest.ts";

type Column = "t" | "n" | "d";

/** How many columns of each type `records` has (`migrations/0003_records.sql`). */
const COLUMN_COUNTS: Readonly<Record<Column, number>> = { t: 12, n: 8, d: 8 };

const COLUMN_OF: Readonly<Record<FieldKind, Column | null>> = {
  text: "t",
  boolean: "t",
  integer: "n",
  number: "n",
  time: "d",
  date: "d",
  other: null,
};

const SLOT = /^(?:t(?:[1-9]|1[0-2])|[nd][1-8])$/;
const SHORTENED_DIGEST_CHARS = 32;

/**
 * Which column holds which field. A field that `kept` names keeps its column while the type fits. What is left goes to
 * fields that are compared, grouped or joined by first, then in the manifest's order. `foreignKeys` are the stream's fields
 * by which any relation of the manifest finds its rows. Columns of `inUse` go to no field that does not keep one.
 */
export function assignSlots(
  stream: StreamManifest,
  kept: StreamSlots = new Map(),
  foreignKeys: ReadonlySet<string> = new Set(),
  inUse: Iterable<Slot> = [],
): StreamSlots {
  const slots = keptSlots(stream, kept);
  const taken = new Set<Slot>([...slots.values(), ...inUse]);
  const wanted = [...stream.fields.values()].filter(({ name }) => !slots.has(name));
  const urgent = (name: string): boolean => foreignKeys.has(name) || isCompared(stream, name);
  for (const { name, kind } of [
    ...wanted.filter((field) => urgent(field.name)),
    ...wanted.filter((field) => !urgent(field.name)),
  ]) {
    const column = COLUMN_OF[kind];
    const free = column === null ? undefined : columnsOf(column).find((slot) => !taken.has(slot));
    if (free === undefined) continue;
    taken.add(free);
    slots.set(name, free);
  }
  return slots;
}

/** Of the columns that were given, those that still fit the declaration. */
function keptSlots(stream: StreamManifest, kept: StreamSlots): Map<string, Slot> {
  return new Map(
    [...kept].filter(([name, slot]) => {
      const kind = stream.fields.get(name)?.kind;
      return kind !== undefined && COLUMN_OF[kind] === slot.charAt(0);
    }),
  );
}

/** The stream's fields that a relation of any stream finds its rows by. */
export function foreignKeysOf(manifest: ConnectorManifest, stream: string): Set<string> {
  return new Set(
    [...manifest.streams.values()]
      .flatMap(({ relationships }) => relationships)
      .filter((relation) => relation.stream === stream)
      .map(({ foreignKey }) => foreignKey),
  );
}

/** `record_manifests.slots` as it is stored, by stream. What is not understood is left out. */
export function readSlots(value: unknown): Map<string, StreamSlots> {
  if (!isRecord(value)) return new Map();
  return new Map(
    Object.entries(value).map(([stream, fields]) => [
      stream,
      new Map(Object.entries(isRecord(fields) ? fields : {}).flatMap(([name, slot]) => entry(name, slot))),
    ]),
  );
}

/** The form that is stored. */
export function writeSlots(slots: ReadonlyMap<string, StreamSlots>): string {
  return JSON.stringify(
    Object.fromEntries([...slots].map(([stream, fields]) => [stream, Object.fromEntries(fields)])),
  );
}

/**
 * A text as a typed column holds it, and as a filter asks for it there: the text itself up to `SLOT_TEXT_MAX_CHARS`. A
 * longer one is its beginning and a digest, so that equality stays exact and no row outgrows D1. Lone surrogates, which
 * UTF-8 cannot say, are U+FFFD.
 */
export function slotText(text: string): string {
  if (text.length <= SLOT_TEXT_MAX_CHARS) return text.replace(/\p{Surrogate}/gu, "\uFFFD");
  const digest = sha256Hex(text).slice(0, SHORTENED_DIGEST_CHARS);
  return `${cutAtCodePoint(text, SLOT_TEXT_MAX_CHARS - SHORTENED_DIGEST_CHARS - 1)}…${digest}`;
}

function isCompared({ rangeFilters, aggregations }: StreamManifest, name: string): boolean {
  if (rangeFilters.has(name)) return true;
  if (aggregations === null) return false;
  const { sum, min, max, groupBy, groupByTime, countDistinct } = aggregations;
  return [sum, min, max, groupBy, groupByTime, countDistinct].some((fields) => fields.has(name));
}

function columnsOf(column: Column): Slot[] {
  return Array.from({ length: COLUMN_COUNTS[column] }, (_, index): Slot => `${column}${index + 1}`);
}

function entry(name: string, slot: unknown): [string, Slot][] {
  return typeof slot === "string" && isSlot(slot) ? [[name, slot]] : [];
}

function isSlot(text: string): text is Slot {
  return SLOT.test(text);
}
