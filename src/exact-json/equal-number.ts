import { type ExactNumber, isExactNumber } from "./exact-number.ts";

/** A decimal as its digits without leading and trailing zeros, and the power of ten of the last one; zero has none. */
interface Decimal {
  readonly sign: "" | "-";
  readonly digits: string;
  readonly exponent: number;
}

/**
 * Whether two JSON numbers are the same number, whatever their texts: `1`, `1.0` and `10e-1` are, and
 * 12345678901234567890 and …891 are not, though JavaScript takes them for one. Linear in the texts.
 */
export function equalNumbers(left: number | ExactNumber, right: number | ExactNumber): boolean {
  if (typeof left === "number" && typeof right === "number") return left === right;
  const [one, other] = [decimalOf(left), decimalOf(right)];
  if (one === undefined || other === undefined) return textOf(left) === textOf(right);
  return one.digits === other.digits && one.exponent === other.exponent && one.sign === other.sign;
}

/** Whether a JSON number is a whole one: `1.0` and `1e3` are, and so is `1e999`. */
export function isWholeNumber(value: number | ExactNumber): boolean {
  const decimal = decimalOf(value);
  return decimal !== undefined && decimal.exponent >= 0;
}

/** JavaScript still counts by ones so far up; a longer exponent is compared as it is written. */
const EXPONENT_MAX_CHARS = 15;

function textOf(value: number | ExactNumber): string {
  return isExactNumber(value) ? value.text : String(value);
}

/** `undefined` for what JSON has no form for, and for what nobody can reckon with. */
function decimalOf(value: number | ExactNumber): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(textOf(value));
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match ?? [];
  if (match === null || exponent.length > EXPONENT_MAX_CHARS) return undefined;
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const digits = withoutTrailingZeros(all);
  if (digits === "") return { sign: "", digits, exponent: 0 };
  const shift = all.length - digits.length - fraction.length;
  return { sign: sign === "-" ? "-" : "", digits, exponent: Number(exponent) + shift };
}

/** A pattern that is tied to the end alone would try each zero of a long number in turn. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === "0") end -= 1;
  return digits.slice(0, end);
}
