/** What a unit of a URI may stand for. */
const RESERVED = /[:/?#[\]@!$&'()*+,;=]/;
/** Left as they are by `encodeURIComponent`, with which many clients fill in a template. */
const OFTEN_UNESCAPED = /[!'()*]/;

/**
 * A URI cut into units, each a character or an escape `%xx` whole, so that a value never begins or ends in the midst of
 * an escape.
 */
export interface UriUnits {
  readonly uri: string;
  readonly count: number;
  /** Where each unit begins; the last entry is the URI's length. */
  readonly offsets: Int32Array;
  /** Which unit begins at an offset; -1 where none does. */
  readonly unitAt: Int32Array;
  /** Whether a unit may stand in a value of `{var}`: unreserved, escaped, or nothing that RFC 3986 knows. */
  readonly plain: Uint8Array;
  /** Whether it may stand in a value of `{+var}`: all but a `%` without its digits. */
  readonly any: Uint8Array;
  /** How many characters begin before each unit: the later bytes of an escaped one begin none. */
  readonly characters: Int32Array;
}

export function uriUnits(uri: string): UriUnits {
  const offsets = new Int32Array(uri.length + 1);
  const unitAt = new Int32Array(uri.length + 1).fill(-1);
  const characters = new Int32Array(uri.length + 1);
  const plain = new Uint8Array(uri.length + 1);
  const any = new Uint8Array(uri.length + 1);
  let count = 0;
  let begun = 0;
  for (let at = 0; at < uri.length;) {
    const escape = isEscape(uri, at);
    const first = uri.charAt(at);
    offsets[count] = at;
    unitAt[at] = count;
    characters[count] = begun;
    any[count] = escape || first !== "%" ? 1 : 0;
    plain[count] =
      escape || (first !== "%" && (!RESERVED.test(first) || OFTEN_UNESCAPED.test(first))) ? 1 : 0;
    if (beginsCharacter(uri, at, escape)) begun += 1;
    count += 1;
    at += escape ? 3 : 1;
  }
  offsets[count] = uri.length;
  unitAt[uri.length] = count;
  characters[count] = begun;
  return { uri, count, offsets, unitAt, plain, any, characters };
}

function isEscape(uri: string, at: number): boolean {
  return uri.charAt(at) === "%" && isHex(uri.charAt(at + 1)) && isHex(uri.charAt(at + 2));
}

function isHex(digit: string): boolean {
  return /^[0-9A-Fa-f]$/.test(digit);
}

/** Neither a later byte of an escaped character (UTF-8: 80 to BF) nor the second half of a surrogate pair. */
function beginsCharacter(uri: string, at: number, escape: boolean): boolean {
  if (escape) return !/[89AaBb]/.test(uri.charAt(at + 1));
  const code = uri.charCodeAt(at);
  return code < 0xdc_00 || code > 0xdf_ff;
}
