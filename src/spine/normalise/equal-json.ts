import { equalNumbers } from "../../exact-json/equal-number.ts";
import { type ExactNumber, isExactNumber } from "../../exact-json/exact-number.ts";
import { isJsonArray, isRecord } from "../../json.ts";

/**
 * Whether two JSON values say the same: numbers by their value, objects whatever the order of their members. Any depth;
 * linear in the smaller of the two.
 */
export function equalJson(left: unknown, right: unknown): boolean {
  const open: [unknown, unknown][] = [[left, right]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [one, other] = pair;
    if (Object.is(one, other)) continue;
    if (isNumber(one) && isNumber(other)) {
      if (!equalNumbers(one, other)) return false;
    } else if (isJsonArray(one) && isJsonArray(other)) {
      if (one.length !== other.length) return false;
      for (const [index, item] of one.entries()) open.push([item, other[index]]);
    } else if (isRecord(one) && isRecord(other)) {
      const keys = Object.keys(one);
      if (keys.length !== Object.keys(other).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(other, key)) return false;
        open.push([one[key], other[key]]);
      }
    } else {
      return false;
    }
  }
  return true;
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || isExactNumber(value);
}
