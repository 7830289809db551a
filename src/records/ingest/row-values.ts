import { decimalOf, int64Digits, isInteger } from "../../exact-json/decimal.ts";
import { ExactNumber, isExactNumber } from "../../exact-json/exact-number.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { memberOf } from "../../json.ts";
import {
  FILTER_NUMBER_MAX_CHARS,
  RECORD_ROW_BODY_MAX_BYTES,
  RECORD_ROW_SCALAR_MAX_BYTES,
  RECORD_ROW_SCALARS_MAX_BYTES,
} from "../../limits/records.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { FieldDeclaration, FieldKind, Slot, StreamForm, StreamManifest } from "../manifest/manifest.ts";
import { rowChanges } from "../manifest/row-changes.ts";
import { slotText } from "../manifest/slots.ts";
import { canonicalTime } from "../time/canonical-time.ts";
import type { DataLine } from "./line.ts";

/** A value as a column takes it out of JSON: numbers as they were written. */
export type ColumnValue = string | number | ExactNumber | null;

/** What a column holds of a value that is declared as `kind`: null where it is of another type. */
export function columnValue(kind: FieldKind, value: unknown): ColumnValue {
  switch (kind) {
    case "text":
      return typeof value === "string" ? slotText(value) : null;
    case "boolean":
      return typeof value === "boolean" ? String(value) : null;
    case "time":
    case "date":
      return typeof value === "string" ? (canonicalTime(value) ?? null) : null;
    case "integer":
    case "number":
      return numberValue(value, kind);
    case "other":
      return null;
  }
}

/** A whole number of 64 bits is one, however it is written. What SQLite would take for infinite is no number to it, and neither is a text longer than any filter may have. */
function numberValue(value: unknown, kind: "integer" | "number"): ColumnValue {
  if (typeof value === "number") return kind === "number" || Number.isInteger(value) ? value : null;
  if (!isExactNumber(value) || value.text.length > FILTER_NUMBER_MAX_CHARS) return null;
  if (!Number.isFinite(Number(value.text))) return null;
  const decimal = decimalOf(value.text);
  const digits = int64Digits(decimal);
  if (digits !== undefined) return new ExactNumber(digits);
  return kind === "number" || isInteger(decimal) ? value : null;
}

export function cursorValue({ cursorField, fields }: StreamManifest, data: DataLine["data"]): ColumnValue {
  const field = cursorField === null ? undefined : fields.get(cursorField);
  return field === undefined ? null : columnValue(field.kind, memberOf(data, field.name));
}

export function consentTime({ consentTimeField }: StreamManifest, data: DataLine["data"]): string | null {
  const value = consentTimeField === null ? undefined : memberOf(data, consentTimeField);
  return typeof value === "string" ? (canonicalTime(value) ?? null) : null;
}

/** A column of a row, and what it holds. */
export interface RowColumn {
  readonly slot: Slot;
  readonly name: string;
  readonly kind: FieldKind;
}

/** The columns of a form, and behind them those that only the one that waits has, in an order that is the same for every row. */
export function rowColumns(form: StreamForm, next: StreamForm | null): readonly RowColumn[] {
  const columnsOf = ({ fields }: StreamManifest, slots: Iterable<readonly [string, Slot]>) =>
    [...slots].map(([name, slot]) => ({ slot, name, kind: fields.get(name)?.kind ?? "other" }));
  return [
    ...columnsOf(form.stream, form.slots),
    ...(next === null ? [] : columnsOf(next.stream, rowChanges(form, next).columns)),
  ];
}

export function columnValues(columns: readonly RowColumn[], data: DataLine["data"]): readonly ColumnValue[] {
  return columns.map(({ name, kind }) => columnValue(kind, memberOf(data, name)));
}

export function isInRow({ bytes }: DataLine): boolean {
  return bytes <= RECORD_ROW_BODY_MAX_BYTES;
}

/**
 * What the row of a body that lies in the bucket keeps for conditions: its scalars that have no column in one of the forms,
 * but for those too long to be asked for.
 */
export function rowScalars(forms: readonly StreamForm[], data: DataLine["data"]): string {
  const kept: [string, unknown][] = [];
  let bytes = 0;
  const wanted = new Map(
    forms.flatMap(({ stream, slots }) =>
      [...stream.fields.values()].flatMap((field) => {
        const isKept = !slots.has(field.name) && columnValue(field.kind, memberOf(data, field.name)) !== null;
        return isKept ? [[field.name, field] as const] : [];
      }),
    ),
  );
  for (const field of wanted.values()) {
    const value = memberOf(data, field.name);
    const size = memberBytes(field, value);
    // One long value must not hide the fields behind it from conditions.
    if (size > RECORD_ROW_SCALAR_MAX_BYTES || bytes + size > RECORD_ROW_SCALARS_MAX_BYTES) continue;
    bytes += size;
    kept.push([field.name, value]);
  }
  return exactJsonText(Object.fromEntries(kept));
}

function memberBytes({ name }: FieldDeclaration, value: unknown): number {
  return utf8Length(exactJsonText({ [name]: value }));
}
