import { SECRET_VALUE_MIN_CHARS } from "../limits.ts";

/** Digits among letters: a word of a sentence has none. */
const MIXED = /^(?=[^\p{L}]*\p{L})(?=\D*\d)\S*$/u;
/** What else has both: names of algorithms and encodings, versions, dates, addresses, paths, measures. */
const OTHER =
  /^(?:[a-z]{1,8}-?\d{1,3}$|(?:sha|utf|aes|hmac|base|oauth|http)[\w-]*-?\d|v?\d+(?:[.:-]\d+)+|s-1-\d|\d{4}-\d\d-\d\d|[\w+.-]+:\/\/|[./~@#<$%{[(]|\d[\d.,]*[a-z%]{1,10}$)/i;

/** No word is longer; and what is taken out is not read again, however often its name is repeated in it. */
const CODE_JUDGED_MAX_CHARS = 512;

/** Whether a value is a code rather than a word: where the name before it leaves a doubt. */
export function looksLikeCode(value: string): boolean {
  if (value.length < SECRET_VALUE_MIN_CHARS) return false;
  return value.length > CODE_JUDGED_MAX_CHARS || (MIXED.test(value) && !OTHER.test(value));
}
