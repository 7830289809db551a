import { compareCodePoints } from "../../code-points.ts";
import { compareDecimals, decimalOf } from "../../exact-json/decimal.ts";
import { SUMMARY_DISTINCT_MAX_CHARS, SUMMARY_DISTINCT_MAX_COUNT } from "../../limits.ts";
import { owned } from "./cut.ts";

/** Longer ones are told apart by nobody, and exact reckoning has its price. */
const NUMBER_MAX_CHARS = 40;
const EXPONENT = /[eE][-+]?[0-9]{5,}$/;
/** RFC 3339, with less of it and with a space as it is often written. */
const DATE =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[-+][0-9]{2}:?[0-9]{2})?)?$/;
const DATE_MAX_CHARS = 40;
const ZONE = /(?:Z|[-+][0-9]{2}:?[0-9]{2})$/;
/** Where a date's time would begin: what is behind it may end with a zone. */
const DATE_CHARS = 10;
/** Stands for any digit in the form of a date; a zone's digits stand for themselves. */
const DIGIT = "#";

export interface Range {
  readonly min: string;
  readonly max: string;
}

/** The least and the greatest of numbers, as they are written, compared exactly. */
export class NumberRange {
  #min: string | undefined;
  #max: string | undefined;
  #least = 0;
  #greatest = 0;
  #known = true;

  add(text: string, whole: boolean): void {
    if (!this.#known) return;
    if (!whole || text.length > NUMBER_MAX_CHARS || EXPONENT.test(text)) {
      this.#known = false;
      return;
    }
    const value = Number(text);
    if (this.#min === undefined || isLess(text, value, this.#min, this.#least)) {
      this.#min = owned(text);
      this.#least = value;
    }
    if (this.#max === undefined || isLess(this.#max, this.#greatest, text, value)) {
      this.#max = owned(text);
      this.#greatest = value;
    }
  }

  merge(other: NumberRange): void {
    if (!other.#known) this.#known = false;
    if (other.#min !== undefined) this.add(other.#min, true);
    if (other.#max !== undefined) this.add(other.#max, true);
  }

  /** Nothing where there was no number, or one of absurd length. */
  get range(): Range | undefined {
    if (!this.#known || this.#min === undefined || this.#max === undefined) return undefined;
    return { min: this.#min, max: this.#max };
  }

  get retainedChars(): number {
    return (this.#min?.length ?? 0) + (this.#max?.length ?? 0);
  }
}

/** Rounding keeps the order, so only numbers that round to the same double are reckoned exactly. */
function isLess(text: string, value: number, other: string, otherValue: number): boolean {
  if (value !== otherValue) return value < otherValue;
  return text !== other && compareDecimals(decimalOf(text), decimalOf(other)) < 0;
}

/** The earliest and the latest of dates that are all written in one form and one zone, so that their text orders them. */
export class DateRange {
  #form: string | undefined;
  #min = "";
  #max = "";
  #known = true;

  add(text: string, whole: boolean): void {
    if (!this.#known) return;
    const known = this.#form !== undefined && whole && hasForm(text, this.#form);
    const form = known ? this.#form : whole ? formOf(text) : undefined;
    if (form === undefined || (this.#form !== undefined && this.#form !== form)) {
      this.#known = false;
      return;
    }
    this.#form = form;
    if (this.#min === "" || text < this.#min) this.#min = owned(text);
    if (this.#max === "" || text > this.#max) this.#max = owned(text);
  }

  merge(other: DateRange): void {
    if (!other.#known) this.#known = false;
    if (other.#min === "") return;
    this.add(other.#min, true);
    this.add(other.#max, true);
  }

  get range(): Range | undefined {
    return this.#known && this.#min !== "" ? { min: this.#min, max: this.#max } : undefined;
  }

  get retainedChars(): number {
    return this.#min.length + this.#max.length + (this.#form?.length ?? 0);
  }
}

export function isDate(text: string): boolean {
  return text.length <= DATE_MAX_CHARS && DATE.test(text);
}

function formOf(text: string): string | undefined {
  if (!isDate(text)) return undefined;
  const zone = (text.length > DATE_CHARS ? ZONE.exec(text)?.[0] : undefined) ?? "";
  return owned(text.slice(0, text.length - zone.length).replace(/[0-9]/g, DIGIT) + zone);
}

/** Whether a date like one before, for which the pattern need not be tried again. */
function hasForm(text: string, form: string): boolean {
  if (text.length !== form.length) return false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    const digit = form.charAt(at) === DIGIT;
    if (digit ? sign < "0" || sign > "9" : sign !== form.charAt(at)) return false;
  }
  return true;
}

/** A value and how often it was there. */
export interface Tally {
  readonly value: string;
  readonly count: number;
}

/** Counts values one by one while there are few different ones, and none of them is long. */
export class Tallies {
  #counts: Map<string, number> | undefined = new Map();

  add(value: string, whole: boolean, count = 1): void {
    if (this.#counts === undefined) return;
    const before = this.#counts.get(value);
    if (before !== undefined && whole) this.#counts.set(value, before + count);
    else if (
      !whole ||
      value.length > SUMMARY_DISTINCT_MAX_CHARS ||
      this.#counts.size >= SUMMARY_DISTINCT_MAX_COUNT
    ) {
      this.#counts = undefined;
    } else this.#counts.set(owned(value), count);
  }

  merge(other: Tallies): void {
    if (other.#counts === undefined) this.#counts = undefined;
    for (const [value, count] of other.#counts ?? []) this.add(value, true, count);
  }

  /** The most frequent first; nothing where there were too many. */
  get all(): readonly Tally[] | undefined {
    if (this.#counts === undefined) return undefined;
    return Array.from(this.#counts, ([value, count]) => ({ value, count })).sort(
      (left, right) => right.count - left.count || compareCodePoints(left.value, right.value),
    );
  }

  get retainedChars(): number {
    return Array.from(this.#counts?.keys() ?? []).reduce((sum, key) => sum + key.length, 0);
  }
}
