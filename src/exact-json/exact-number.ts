/** Known under one name to every copy of this module: the spine is published on its own, and bundlers copy. */
const EXACT_NUMBER = Symbol.for("loomgate.exact-number");

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/**
 * A JSON number whose source text JavaScript would not give back: `12345678901234567890`, `1.0`, `1e3`, `-0`, `1e999`.
 * Immutable, so that one may stand in many places. The constructor takes a JSON number (RFC 8259 §6) and throws on
 * anything else, since the text is written into JSON as it is.
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    if (!JSON_NUMBER.test(text)) throw new RangeError("not a JSON number");
    this.text = text;
  }

  get [EXACT_NUMBER](): true {
    return true;
  }

  /**
   * What `JSON.stringify` writes where nobody asked for exactness: the nearest number that JSON can say. Infinity would
   * become `null`, which is no number, so what is beyond the largest double is the largest double.
   */
  toJSON(): number {
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(this.text)));
  }
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === "object" && value !== null && EXACT_NUMBER in value;
}
