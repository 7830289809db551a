import type { TextFilter } from "./scrub-stream.ts";
import type { RedactedText } from "./secret-shapes.ts";

/** A JSON value without what was taken out of it, and how many secrets that were; itself where nothing was found. */
export interface RedactedValue {
  readonly value: unknown;
  readonly count: number;
}

/** A text that comes in pieces; `count` says how many secrets were taken out so far. */
export interface RedactingFilter extends TextFilter {
  readonly count: () => number;
}

/** How the strings of a JSON text are redacted: whole, and those too long to hold. */
export interface StringRedaction {
  readonly whole: (text: string) => RedactedText;
  /** `isCursor`: see `redactSecrets`. */
  readonly inPieces: (isCursor: boolean) => RedactingFilter;
}
