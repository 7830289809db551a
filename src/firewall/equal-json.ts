import { isRecord } from "../json.ts";

/** Whether two JSON values say the same; the order of an object's members does not matter. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
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
