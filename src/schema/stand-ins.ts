import { isExactNumber } from "../exact-json/exact-number.ts";
import { isJsonArray, isRecord } from "../json.ts";
import { type Decimal, decimalOf, decimalText, isSameDecimal } from "../exact-json/decimal.ts";

/** Arguments that the validator can take, which knows no numbers but JavaScript's. */
export interface StoodIn {
  readonly instance: unknown;
  /** The numbers that no JavaScript number is equal to, by the strings that stand for them in `instance`. */
  readonly numbers: ReadonlyMap<string, Decimal>;
}

/** No text that UTF-8 can carry begins so. */
const MARK = "\uD800number:";

/**
 * Replaces exact numbers: by the JavaScript number where one has that very value (`1.0`, `1e3`), or where the schema itself
 * has it `rounded`, else by a string, one for
 * each value. Undefined where a string of the arguments could be taken for such a one. The arguments have been
 * inspected, so their depth is bounded and recursion is safe.
 */
export function standIn(root: unknown, rounded: ReadonlySet<number>): StoodIn | undefined {
  const numbers = new Map<string, Decimal>();
  let isClear = true;

  const replaced = (value: unknown): unknown => {
    if (isExactNumber(value)) {
      const nearest = Number(value.text);
      const decimal = decimalOf(value.text);
      if (rounded.has(nearest) || isSameDecimal(decimal, decimalOf(String(nearest)))) return nearest;
      const text = `${MARK}${decimalText(decimal)}`;
      numbers.set(text, decimal);
      return text;
    }
    if (typeof value === "string" && value.startsWith(MARK)) isClear = false;
    if (isJsonArray(value)) return value.map(replaced);
    if (!isRecord(value)) return value;
    // `fromEntries` defines members, so that `__proto__` is one.
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item)]));
  };

  const instance = replaced(root);
  return isClear || numbers.size === 0 ? { instance, numbers } : undefined;
}
