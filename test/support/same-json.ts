import { isExactNumber } from "../../src/exact-json/exact-number.ts";
import { isJsonArray, isRecord } from "../../src/json.ts";

/** Equal as JSON, prototypes and the sign of nothing aside: `toEqual` overlooks a member called `__proto__`. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (isJsonArray(left) && isJsonArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (isExactNumber(left) && isExactNumber(right)) return left.text === right.text;
  if (!isRecord(left) || !isRecord(right)) return Object.is(left, right) || (left === 0 && right === 0);
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
  );
}
