/** A decimal number exactly: `coefficient` times ten to the `exponent`. No two forms of one value, zero has no sign. */
export interface Decimal {
  readonly negative: boolean;
  /** Digits without zeros at either end; `0` for zero. */
  readonly coefficient: string;
  readonly exponent: bigint;
}

const ZERO: Decimal = { negative: false, coefficient: "0", exponent: 0n };

/** Reads a JSON number (RFC 8259 §6). Linear in the text but for an exponent of absurd length; the caller bounds the text. */
export function decimalOf(text: string): Decimal {
  const negative = text.startsWith("-");
  const mark = text.search(/[eE]/);
  const [whole = "", fraction = ""] = text.slice(Number(negative), mark < 0 ? undefined : mark).split(".");
  const digits = `${whole}${fraction}`;
  let start = 0;
  while (digits[start] === "0") start += 1;
  if (start === digits.length) return ZERO;
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  const shift = mark < 0 ? 0n : BigInt(text.slice(mark + 1).replace("+", ""));
  return {
    negative,
    coefficient: digits.slice(start, end),
    exponent: shift - BigInt(fraction.length) + BigInt(digits.length - end),
  };
}

/** One text for each value. */
export function decimalText({ negative, coefficient, exponent }: Decimal): string {
  return `${negative ? "-" : ""}${coefficient}e${exponent}`;
}

export function isSameDecimal(one: Decimal, other: Decimal): boolean {
  return (
    one.negative === other.negative &&
    one.coefficient === other.coefficient &&
    one.exponent === other.exponent
  );
}

/** Below zero, zero or above, as `one` is less than, equal to or more than `other`. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  if (one.coefficient === "0" || other.coefficient === "0" || one.negative !== other.negative) {
    return signOf(one) - signOf(other);
  }
  const larger = compareMagnitudes(one, other);
  return one.negative ? -larger : larger;
}

function signOf({ negative, coefficient }: Decimal): number {
  if (coefficient === "0") return 0;
  return negative ? -1 : 1;
}

function compareMagnitudes(one: Decimal, other: Decimal): number {
  const place = (decimal: Decimal): bigint => decimal.exponent + BigInt(decimal.coefficient.length);
  if (place(one) !== place(other)) return place(one) < place(other) ? -1 : 1;
  // With the first digits in one place, they compare as text: what has no digit any more has zeros there.
  if (one.coefficient === other.coefficient) return 0;
  return one.coefficient < other.coefficient ? -1 : 1;
}

export function isInteger({ exponent }: Decimal): boolean {
  return exponent >= 0n;
}

/**
 * A whole number of 64 bits in plain digits, however it was written: `1e2` is `100`. Undefined for any other. SQLite holds these
 * exactly, but passes what has a point or an exponent through a double.
 */
export function int64Digits(decimal: Decimal): string | undefined {
  const isOne =
    isInteger(decimal) &&
    compareDecimals(decimal, INT64_MIN) >= 0 &&
    compareDecimals(decimal, INT64_MAX) <= 0;
  if (!isOne) return undefined;
  const { negative, coefficient, exponent } = decimal;
  return `${negative ? "-" : ""}${coefficient}${"0".repeat(Number(exponent))}`;
}

const INT64_MIN = decimalOf("-9223372036854775808");
const INT64_MAX = decimalOf("9223372036854775807");

/** Whether `value` is `divisor` taken some whole number of times. `divisor` is above zero. */
export function isMultiple(value: Decimal, divisor: Decimal): boolean {
  if (value.coefficient === "0") return true;
  const shift = value.exponent - divisor.exponent;
  const [above, below] = [BigInt(value.coefficient), BigInt(divisor.coefficient)];
  if (shift >= 0n) return (above * 10n ** shift) % below === 0n;
  // More tens below than the coefficient has digits: it cannot be a multiple, and the power need not be taken.
  if (-shift >= BigInt(value.coefficient.length)) return false;
  return above % (below * 10n ** -shift) === 0n;
}
