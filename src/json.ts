import { isExactNumber } from "./exact-json/exact-number.ts";

/** JSON from outside, once parsed: narrowed here, nowhere cast. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, whose members are judged one by one; what stands for a number or a payload is none. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !standsForAnother(value);
}

/** Marks an object that is no JSON object, but stands in its tree for something else. No JSON has a symbol. */
export const STANDS_FOR_ANOTHER = Symbol.for("loomgate.stands-for-another");

function standsForAnother(value: object): boolean {
  return isExactNumber(value) || STANDS_FOR_ANOTHER in value;
}

/** `Array.isArray` without its `any`. */
export function isJsonArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** An object's own member, or nothing: never what a prototype adds, whatever a foreign key is called. */
export function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A fresh object without a prototype, where `__proto__` is a key like any other. */
export function bareObject<Value>(): Record<string, Value> {
  const made: Record<string, Value> = {};
  Object.setPrototypeOf(made, null);
  return made;
}

/** The value of a JSON text; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
