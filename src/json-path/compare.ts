import { compareCodePoints } from "../code-points.ts";
import { compareDecimals, decimalOf } from "../exact-json/decimal.ts";
import { equalNumbers } from "../exact-json/equal-number.ts";
import { type ExactNumber, isExactNumber } from "../exact-json/exact-number.ts";
import { isRecord } from "../json.ts";

/** No value at all, which is equal to itself alone (RFC 9535 §2.3.5.2.2). */
export const NOTHING = Symbol("nothing");

/** A JSON value, or `NOTHING`. */
export type ValueOrNothing = unknown;

/** Past this nobody reckons, and the nearest double does. */
const NUMBER_MAX_CHARS = 400;
const EXPONENT_MAX_CHARS = 15;

/** So many characters of a text count as one step of work. */
export const CHARS_A_STEP = 16;

type Spend = (steps: number) => void;

/** Deep equality; numbers by value, members in any order. Any depth. `spend` is told of the work before it is done. */
export function isEqual(left: ValueOrNothing, right: ValueOrNothing, spend: Spend): boolean {
  // Two entries a pair, and of containers only: a list of all pairs could be larger than the document.
  const open: unknown[] = [];
  const differ = (one: unknown, other: unknown): boolean => {
    if (isContainer(one) && isContainer(other)) open.push(one, other);
    else return !isSameScalar(one, other, spend);
    return false;
  };
  if (differ(left, right)) return false;
  while (open.length > 0) {
    const other = open.pop();
    const one = open.pop();
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) return false;
      spend(one.length);
      if (one.some((item, index) => differ(item, other[index]))) return false;
    } else if (isRecord(one) && isRecord(other)) {
      const names = Object.keys(one);
      if (names.length !== Object.keys(other).length) return false;
      spend(names.length);
      for (const name of names) {
        if (!Object.hasOwn(other, name) || differ(one[name], other[name])) return false;
      }
    } else return false;
  }
  return true;
}

function isSameScalar(one: unknown, other: unknown, spend: Spend): boolean {
  if (isNumber(one) && isNumber(other)) return equalNumbers(one, other);
  if (typeof one === "string" && typeof other === "string" && one.length === other.length) {
    spend(Math.ceil(one.length / CHARS_A_STEP));
  }
  return one === other;
}

/** Numbers by value, texts by code points; nothing else has an order. */
export function isLess(left: ValueOrNothing, right: ValueOrNothing, spend: Spend): boolean {
  if (typeof left === "string" && typeof right === "string") {
    spend(Math.ceil(Math.min(left.length, right.length) / CHARS_A_STEP));
    return compareCodePoints(left, right) < 0;
  }
  if (!isNumber(left) || !isNumber(right)) return false;
  if (typeof left === "number" && typeof right === "number") return left < right;
  const [one, other] = [textOf(left), textOf(right)];
  if (!isReckoned(one) || !isReckoned(other)) return Number(one) < Number(other);
  return compareDecimals(decimalOf(one), decimalOf(other)) < 0;
}

function isReckoned(text: string): boolean {
  return text.length <= NUMBER_MAX_CHARS && (text.split(/[eE]/)[1]?.length ?? 0) <= EXPONENT_MAX_CHARS;
}

function textOf(value: number | ExactNumber): string {
  return isExactNumber(value) ? value.text : String(value);
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || isExactNumber(value);
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || isRecord(value);
}
