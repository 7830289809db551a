import { ExactNumber } from "../exact-json/exact-number.ts";
import { parseExactJson } from "../exact-json/parse.ts";
import { isJsonArray, isRecord, type JsonObject } from "../json.ts";

/** Seed 000 §4.4, "Tolerant argument normalization": the rules, in the order in which they are tried. */
export type RepairRule =
  | "parse_stringified_object"
  | "str_to_integer"
  | "str_to_number"
  | "str_to_boolean"
  | "str_to_null";

/** One change made to arguments. `path` is `$` for the arguments themselves, `$.name` for a member of them. */
export interface ArgumentRepair {
  readonly path: string;
  readonly rule: RepairRule;
}

export interface RepairedArguments {
  /** The very value that was given where nothing was repaired. */
  readonly args: unknown;
  readonly repairs: readonly ArgumentRepair[];
}

interface Coercion {
  readonly type: string;
  readonly rule: RepairRule;
  /** The value that a trimmed text spells, or nothing. */
  readonly read: (text: string) => { readonly value: unknown } | undefined;
}

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

const COERCIONS: readonly Coercion[] = [
  { type: "integer", rule: "str_to_integer", read: (text) => numberBy(INTEGER, text) },
  { type: "number", rule: "str_to_number", read: (text) => numberBy(NUMBER, text) },
  {
    type: "boolean",
    rule: "str_to_boolean",
    read: (text) => (FLAGS.has(text) ? { value: FLAGS.get(text) } : undefined),
  },
  { type: "null", rule: "str_to_null", read: (text) => (text === "null" ? { value: null } : undefined) },
];

/**
 * Repairs arguments whose meaning is beyond doubt, before they are judged (seed 000 §4.4). Strings that the schema of a
 * top-level member cannot accept become what they spell and what that schema asks for; arguments that are themselves a
 * string become the object that it holds. Names are never changed, nothing is dropped, and arguments that satisfy the
 * schema come back as they are. Linear in the arguments; neither value is changed, and nothing throws.
 */
export function repairArguments(args: unknown, schema: unknown): RepairedArguments {
  const repairs: ArgumentRepair[] = [];
  let object = args;
  if (typeof args === "string") {
    object = parseStringifiedObject(args);
    if (object === undefined) return { args, repairs };
    repairs.push({ path: "$", rule: "parse_stringified_object" });
  }
  if (!isRecord(object)) return { args: object, repairs };
  const repaired = new Map<string, unknown>();
  for (const name of Object.keys(object)) {
    const text = dataOf(object, name);
    const coerced = typeof text === "string" ? coerce(text, typesAsked(schema, name)) : undefined;
    if (coerced === undefined) continue;
    repaired.set(name, coerced.value);
    repairs.push({ path: `$.${name}`, rule: coerced.rule });
  }
  return { args: repaired.size === 0 ? object : withMembers(object, repaired), repairs };
}

/**
 * The object that a text holds as JSON, byte order mark and surrounding white space aside; undefined for anything else.
 * A member that is given twice leaves in doubt which one is meant, so that is nothing either.
 */
export function parseStringifiedObject(text: string): JsonObject | undefined {
  // The standard counts the mark as white space.
  const parsed = parseExactJson(text.trim(), { duplicates: "refuse" });
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  return parsed.value;
}

function coerce(
  text: string,
  asked: ReadonlySet<unknown>,
): { readonly value: unknown; readonly rule: RepairRule } | undefined {
  if (asked.size === 0 || asked.has("string")) return undefined;
  const trimmed = text.trim();
  for (const { type, rule, read } of COERCIONS) {
    const found = asked.has(type) ? read(trimmed) : undefined;
    if (found !== undefined) return { value: found.value, rule };
  }
  return undefined;
}

/** What is sent on is what was written: a text that JavaScript would write otherwise stays that text. */
function numberBy(grammar: RegExp, text: string): { readonly value: unknown } | undefined {
  if (!grammar.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return { value: String(value) === text ? value : new ExactNumber(text) };
}

const NOTHING: ReadonlySet<unknown> = new Set();

/** A `$ref` beside a `type` or beside `properties` makes them mean nothing up to draft 7, so they demand nothing here. */
function typesAsked(schema: unknown, name: string): ReadonlySet<unknown> {
  if (dataOf(schema, "$ref") !== undefined) return NOTHING;
  const property = dataOf(dataOf(schema, "properties"), name);
  if (dataOf(property, "$ref") !== undefined) return NOTHING;
  const type = dataOf(property, "type");
  if (typeof type === "string") return new Set([type]);
  return isJsonArray(type) ? new Set(type) : NOTHING;
}

/** An own member that is a value: an accessor runs code of whoever made it, and JSON has none. */
function dataOf(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined;
  const descriptor = Object.getOwnPropertyDescriptor(value, name);
  return descriptor === undefined || !("value" in descriptor) ? undefined : (descriptor.value as unknown);
}

/** A copy in the same order. `fromEntries` defines members, so that `__proto__` is one. */
function withMembers(object: JsonObject, changed: ReadonlyMap<string, unknown>): JsonObject {
  return Object.fromEntries(
    Object.keys(object).map((name) => [name, changed.has(name) ? changed.get(name) : dataOf(object, name)]),
  );
}
