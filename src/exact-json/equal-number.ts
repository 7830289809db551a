import { type Decimal, decimalOf, decimalText, isSameDecimal } from "./decimal.ts";
import { type ExactNumber, isExactNumber } from "./exact-number.ts";

/** JavaScript's own exponents have three digits; past this nobody reckons, and equal is what is written alike. */
const EXPONENT_MAX_CHARS = 15;

/**
 * Whether two JSON numbers are the same number, whatever their texts: `1`, `1.0` and `10e-1` are, and
 * 12345678901234567890 and …891 are not, though JavaScript takes them for one. Linear in the texts.
 */
export function equalNumbers(left: number | ExactNumber, right: number | ExactNumber): boolean {
  if (typeof left === "number" && typeof right === "number") return left === right;
  const [one, other] = [textOf(left), textOf(right)];
  if (one === other) return true;
  const [first, second] = [reckoned(one), reckoned(other)];
  return first !== undefined && second !== undefined && isSameDecimal(first, second);
}

/**
 * One text for each number, the same for `1`, `1.0` and `10e-1`: JavaScript's own where it has the very number. An exponent
 * of absurd length is not reckoned with, and stays as it is written.
 */
export function canonicalNumber(exact: ExactNumber): string {
  const number = Number(exact.text);
  if (Number.isFinite(number) && equalNumbers(number, exact)) return JSON.stringify(number);
  const decimal = reckoned(exact.text);
  return decimal === undefined ? exact.text : decimalText(decimal);
}

function textOf(value: number | ExactNumber): string {
  return isExactNumber(value) ? value.text : String(value);
}

/** `undefined` for what JSON has no form for, and for an exponent of absurd length. */
function reckoned(text: string): Decimal | undefined {
  const [, exponent = ""] = text.split(/[eE]/);
  return exponent.length > EXPONENT_MAX_CHARS || !/^-?[0-9]/.test(text) ? undefined : decimalOf(text);
}
