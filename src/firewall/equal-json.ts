import { equalNumbers } from "../exact-json/equal-number.ts";
import { type ExactNumber, isExactNumber } from "../exact-json/exact-number.ts";
import { isRecord } from "../json.ts";

/** Whether two JSON values say the same; neither how a number is written nor the order of an object's members matters. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNumber(left) && isNumber(right)) return equalNumbers(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    const others: readonly unknown[] = right;
    return left.length === right.length && left.every((item, index) => equalJson(item, others[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]))
  );
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || isExactNumber(value);
}
