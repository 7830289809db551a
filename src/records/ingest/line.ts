/** A line that may be written. `line` counts from 1, blank lines too. */
export type IngestLine = DataLine | DeleteLine;

export interface DataLine {
  readonly kind: "data";
  readonly line: number;
  readonly key: string;
  /** As it came; `canonicalTime` reads it. */
  readonly emittedAt: string;
  /** The body as exact JSON. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The body's text as it is stored, and its length in UTF-8. */
  readonly text: string;
  readonly bytes: number;
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string;
}

export interface DeleteLine {
  readonly kind: "delete";
  readonly line: number;
  readonly key: string;
  readonly emittedAt: string | null;
}

export type LineStatus = "created" | "updated" | "unchanged" | "deleted" | "absent";

/** What became of a line. */
export interface LineReport {
  readonly line: number;
  readonly status: LineStatus;
}

export type RejectionCode =
  | "invalid_json"
  | "duplicate_member"
  | "invalid_line"
  | "unknown_member"
  | "invalid_key"
  | "invalid_data"
  | "invalid_deleted"
  | "invalid_emitted_at"
  | "too_deep";

/** In a batch with a bad line nothing is written, and the good lines are `skipped`. */
export type LineRefusal =
  | {
      readonly line: number;
      readonly status: "rejected";
      readonly code: RejectionCode;
      readonly message: string;
    }
  | { readonly line: number; readonly status: "skipped" };
