import type { FieldKind, Slot, StreamForm, StreamManifest } from "./manifest.ts";

/** In what rows of two forms of a stream differ. */
export interface RowChanges {
  /** Columns that only the later form has, or has for another field. */
  readonly columns: readonly (readonly [field: string, slot: Slot])[];
  /** Fields that only the later form finds by their words. */
  readonly lexicalFields: readonly string[];
  /** Whether rows are in another order. */
  readonly isReordered: boolean;
  /** Whether a row of a body that lies in the bucket keeps other scalars of it. */
  readonly hasScalars: boolean;
}

export function rowChanges(before: StreamForm, after: StreamForm): RowChanges {
  const searched = new Set(before.stream.lexicalFields);
  return {
    columns: [...after.slots].filter(([name, slot]) => before.slots.get(name) !== slot),
    lexicalFields: after.stream.lexicalFields.filter((field) => !searched.has(field)),
    isReordered: orderOf(before.stream) !== orderOf(after.stream),
    hasScalars: [...after.stream.fields.values()].some(({ name, kind }) => {
      if (kind === "other" || after.slots.has(name)) return false;
      return before.slots.has(name) || before.stream.fields.get(name)?.kind !== kind;
    }),
  };
}

export function isChanged({ columns, lexicalFields, isReordered, hasScalars }: RowChanges): boolean {
  return columns.length > 0 || lexicalFields.length > 0 || isReordered || hasScalars;
}

/** What the rows of a stream are ordered by, as a text: the same text, the same values. */
function orderOf({ cursorField, fields }: StreamManifest): string {
  const kind = cursorField === null ? undefined : fields.get(cursorField)?.kind;
  return JSON.stringify([cursorField, kind === undefined ? null : ORDER[kind]]);
}

/** A date and a time are one canonical text. */
const ORDER: Readonly<Record<FieldKind, string>> = {
  text: "text",
  boolean: "boolean",
  integer: "integer",
  number: "number",
  time: "time",
  date: "time",
  other: "other",
};
