import { isRecord, type JsonObject, memberOf } from "../../json.ts";
import { NOTE_NAME_MAX_CHARS } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { quoteKey } from "../render/quote.ts";
import { equalJson } from "./equal-json.ts";

/** A field and the other names that callers give it. */
export interface FieldAliases {
  readonly field: string;
  readonly aliases: readonly string[];
}

/** A name that stands for two things. */
export interface AmbiguousName {
  readonly reason: "ambiguous_name";
  readonly name: string;
}

/** An alias that a caller used. */
export interface AliasUse {
  readonly alias: string;
  readonly field: string;
}

export type AliasProblem =
  | { readonly reason: "not_an_object" }
  /** Two names of one field were given different values; `given` are the field's names among the members, its own first. */
  | { readonly reason: "alias_conflict"; readonly field: string; readonly given: readonly string[] };

export interface AliasedFields {
  /** The members under their fields' own names; those that are no field's stay as they are. */
  readonly fields: JsonObject;
  /** In the order of the table. */
  readonly used: readonly AliasUse[];
}

export interface AliasTable {
  /**
   * Brings the aliases among some members to their fields' names. The field's own name wins; a field that was given twice
   * has to have equal values, numbers by value and objects whatever their order, or nothing is read.
   */
  apply(members: unknown): Result<AliasedFields, AliasProblem>;
}

/** Judges a table once: no name may stand in it twice, as a field's or as an alias, not even for the same field. */
export function defineFieldAliases(fields: readonly FieldAliases[]): Result<AliasTable, AmbiguousName> {
  const names = new Set<string>();
  for (const name of fields.flatMap(({ field, aliases }) => [field, ...aliases])) {
    if (names.has(name)) return fail({ reason: "ambiguous_name", name });
    names.add(name);
  }
  const table = fields.map(({ field, aliases }) => ({ field, aliases: [...aliases] }));
  return ok(Object.freeze({ apply: (members: unknown) => applyAliases(table, members) }));
}

function applyAliases(table: readonly FieldAliases[], members: unknown): Result<AliasedFields, AliasProblem> {
  if (!isRecord(members)) return fail({ reason: "not_an_object" });
  const fieldOf = new Map<string, string>();
  const values = new Map<string, unknown>();
  const used: AliasUse[] = [];
  for (const { field, aliases } of table) {
    const given = [field, ...aliases].filter((name) => memberOf(members, name) !== undefined);
    const [first, ...others] = given;
    if (first === undefined) continue;
    const value = members[first];
    if (others.some((name) => !equalJson(members[name], value)))
      return fail({ reason: "alias_conflict", field, given });
    values.set(field, value);
    for (const alias of given) {
      fieldOf.set(alias, field);
      if (alias !== field) used.push({ alias, field });
    }
  }
  // A field comes where the first of its names came.
  const read = new Map<string, unknown>();
  for (const [name, value] of Object.entries(members)) {
    const field = fieldOf.get(name) ?? name;
    read.set(field, values.get(field) ?? value);
  }
  // `fromEntries` defines members, so that `__proto__` is one.
  return ok({ fields: Object.fromEntries(read), used });
}

/** The use of an alias as a note for whoever used it. */
export function aliasNote({ alias, field }: AliasUse): string {
  return `${quoteKey(alias, NOTE_NAME_MAX_CHARS).text} was read as ${quoteKey(field, NOTE_NAME_MAX_CHARS).text}`;
}
