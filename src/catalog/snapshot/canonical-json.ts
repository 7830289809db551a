import { compareCodePoints } from "../../code-points.ts";
import { canonicalNumber } from "../../exact-json/equal-number.ts";
import { isExactNumber } from "../../exact-json/exact-number.ts";
import { isRecord } from "../../json.ts";

/**
 * Compact JSON with the keys of every object in code point order, so that equal values have equal bytes, numbers
 * that no double holds included. Recurses as deep as the value nests: measure a foreign value first.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry: unknown) => canonicalJson(entry)).join(",")}]`;
  if (isRecord(value)) {
    const members = Object.keys(value)
      .sort(compareCodePoints)
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
    return `{${members.join(",")}}`;
  }
  return isExactNumber(value) ? canonicalNumber(value) : (JSON.stringify(value) ?? "null");
}
