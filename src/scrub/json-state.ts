import type { RedactingFilter } from "./redaction.ts";

/**
 * Where a scalar went: its pieces of the output and where it begins in the input, both counted from the beginning of all
 * documents, and how many secrets it was found to hold.
 */
export interface Place {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly count: number;
}

/** What may come next. */
export type Expected =
  | "document"
  | "value"
  | "value or end"
  | "name"
  | "name or end"
  | "colon"
  | "comma or end";

/** A string that is too long to hold, while its content goes by. */
export type LongString = { readonly filter: RedactingFilter } | "hidden";
