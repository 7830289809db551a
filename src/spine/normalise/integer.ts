import { isExactNumber } from "../../exact-json/exact-number.ts";
import { UNSIGNED_64_MAX_VALUE } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";

/**
 * Why a value is no unsigned integer. `inexact`: a JavaScript number beyond 2^53 - 1, of which nobody can say whether it
 * is what was written.
 */
export type IntegerProblem = "wrong_type" | "empty" | "invalid" | "inexact" | "out_of_range";

export interface UnsignedOptions {
  /** The largest that is read; the unsigned integers of 64 bits by default. */
  readonly max?: bigint;
  /** The value comes from `parseExactJson`, where a plain number is what JavaScript writes it as. */
  readonly fromExactJson?: boolean;
}

/**
 * An unsigned integer from a text (`42`, `42.0`, blanks around), a number, an exact number or a big integer: the very
 * value, or why not. A text has decimal digits alone: a sign, an exponent, a group or a leading zero means different
 * things to different readers. Of a number the value counts, however it is written: `4.2e1` is 42.
 */
export function readUnsigned(value: unknown, options: UnsignedOptions = {}): Result<bigint, IntegerProblem> {
  const max = options.max ?? UNSIGNED_64_MAX_VALUE;
  if (typeof value === "string") return readText(value, max);
  if (typeof value === "number") return readNumber(value, max, options.fromExactJson === true);
  if (typeof value === "bigint") return value < 0n ? fail("invalid") : inRange(value, max);
  return isExactNumber(value) ? readDecimal(value.text, max) : fail("wrong_type");
}

/** The same as a number, for counts and positions: beyond 2^53 - 1 it is out of range, and never the nearest one. */
export function readSafeUnsigned(
  value: unknown,
  max: number = Number.MAX_SAFE_INTEGER,
): Result<number, IntegerProblem> {
  const most = Math.floor(Math.min(max, Number.MAX_SAFE_INTEGER));
  const read = readUnsigned(value, { max: Number.isNaN(most) ? -1n : BigInt(Math.max(most, -1)) });
  return read.ok ? ok(Number(read.value)) : read;
}

const WHOLE = /^(0|[1-9][0-9]*)(?:\.0+)?$/;

function readText(text: string, max: bigint): Result<bigint, IntegerProblem> {
  const trimmed = text.trim();
  if (trimmed === "") return fail("empty");
  const digits = WHOLE.exec(trimmed)?.[1];
  return digits === undefined ? fail("invalid") : readDigits(digits, max);
}

/** Digits without leading zeros. Of too many no number is made: that takes longer than they are worth. */
function readDigits(digits: string, max: bigint): Result<bigint, IntegerProblem> {
  return digits.length > String(max).length ? fail("out_of_range") : inRange(BigInt(digits), max);
}

function inRange(value: bigint, max: bigint): Result<bigint, IntegerProblem> {
  return value > max ? fail("out_of_range") : ok(value);
}

function readNumber(value: number, max: bigint, isAsWritten: boolean): Result<bigint, IntegerProblem> {
  if (!Number.isInteger(value) || value < 0) return fail("invalid");
  if (Number.isSafeInteger(value)) return inRange(BigInt(value), max);
  // JavaScript writes 2^63 as 9223372036854776000, and the text is what was meant.
  return isAsWritten ? readDecimal(String(value), max) : fail("inexact");
}

/** A JSON number by its value, without ever writing its zeros out. */
function readDecimal(text: string, max: bigint): Result<bigint, IntegerProblem> {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?$/.exec(text) ?? [];
  if (sign === undefined) return fail("invalid");
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  if (all === "") return inRange(0n, max);
  if (sign === "-") return fail("invalid");
  const significant = withoutTrailingZeros(all);
  /** Places that the last significant digit stands left of the point; an exponent beyond counting is infinite. */
  const shift = all.length - significant.length - fraction.length + Number(exponent);
  if (shift < 0) return fail("invalid");
  if (significant.length + shift > String(max).length) return fail("out_of_range");
  return readDigits(`${significant}${"0".repeat(shift)}`, max);
}

/** A pattern that is tied to the end alone would try each zero of a long number in turn. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === "0") end -= 1;
  return digits.slice(0, end);
}
