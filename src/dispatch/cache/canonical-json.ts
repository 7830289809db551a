import { isExactNumber } from "../../exact-json/exact-number.ts";
import { isJsonArray } from "../../json.ts";

/**
 * A JSON value as text with every object's members in one order, at any depth: equal for values that differ in the order
 * of members alone, and different for all others. An exact number is its source text, so that `1` and `1.0` differ. What
 * JSON cannot say is left out or `null`, as when it is sent. Undefined for a value whose text is over `maxChars`.
 */
export function canonicalJson(root: unknown, maxChars: number): string | undefined {
  const parts: string[] = [];
  let chars = 0;
  // What is still to be written, the next last; values wait in a box, so that strings here are finished text.
  const waiting: (string | { readonly value: unknown })[] = [{ value: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "string" && isContainer(next.value)) {
      for (const part of open(next.value).toReversed()) waiting.push(part);
      continue;
    }
    const text = typeof next === "string" ? next : scalarText(next.value);
    chars += text.length;
    if (chars > maxChars) return undefined;
    parts.push(text);
  }
  return parts.join("");
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isExactNumber(value);
}

function open(container: object): (string | { readonly value: unknown })[] {
  const parts: (string | { readonly value: unknown })[] = [];
  if (isJsonArray(container)) {
    for (const value of container) parts.push(parts.length === 0 ? "[" : ",", { value });
    parts.push(parts.length === 0 ? "[]" : "]");
    return parts;
  }
  const members: [string, unknown][] = Object.entries(container);
  members.sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [key, value] of members) {
    if (isUnsayable(value)) continue;
    parts.push(`${parts.length === 0 ? "{" : ","}${JSON.stringify(key)}:`, { value });
  }
  parts.push(parts.length === 0 ? "{}" : "}");
  return parts;
}

function scalarText(value: unknown): string {
  if (isExactNumber(value)) return value.text;
  return isUnsayable(value) ? "null" : JSON.stringify(value);
}

function isUnsayable(value: unknown): boolean {
  return (
    value === undefined ||
    typeof value === "function" ||
    typeof value === "symbol" ||
    typeof value === "bigint"
  );
}
