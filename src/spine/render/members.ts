import { compareCodePoints } from "../../code-points.ts";
import { isExactNumber } from "../../exact-json/exact-number.ts";
import { isJsonArray, isRecord } from "../../json.ts";

/** A JSON value by what it is made of. */
export type Parts =
  | { readonly kind: "scalar"; readonly text: string }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "array"; readonly items: readonly unknown[] }
  /** The names that JSON can say, by code point. */
  | {
      readonly kind: "object";
      readonly keys: readonly string[];
      readonly of: Readonly<Record<string, unknown>>;
    };

/**
 * Any value as JSON has it. Numbers are as they were written or as JavaScript writes them, big integers in all their
 * digits. What JSON cannot say is what `JSON.stringify` makes of it: a member is left out, anything else is `null`.
 */
export function partsOf(value: unknown): Parts {
  if (typeof value === "string") return { kind: "string", value };
  if (isExactNumber(value)) return { kind: "scalar", text: value.text };
  if (isJsonArray(value)) return { kind: "array", items: value };
  if (isRecord(value)) {
    const keys = Object.keys(value).filter((key) => !isUnsayable(value[key]));
    return { kind: "object", keys: keys.sort(compareCodePoints), of: value };
  }
  if (typeof value === "bigint") return { kind: "scalar", text: String(value) };
  return { kind: "scalar", text: isUnsayable(value) ? "null" : JSON.stringify(value) };
}

/** Whether a member of this value is none in JSON. */
export function isUnsayable(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}
