import type { Selector } from "../view/selector.ts";

export type SummaryKind =
  | "json"
  | "ndjson"
  | "csv"
  | "tsv"
  | "table"
  | "markdown"
  | "html"
  | "xml"
  | "diff"
  | "log"
  | "trace"
  | "code"
  | "commits"
  | "plan"
  | "run"
  | "blocks"
  | "text";

/** What is known of a text before it is read. A media type may lie; the text decides. */
export interface SummaryHint {
  readonly mediaType?: string | undefined;
  /** A file's name, a path or an address. */
  readonly name?: string | undefined;
  /** Whether it is put together of several texts, so that what one of them looks like says nothing of the whole. */
  readonly isPlain?: boolean;
}

/** A selector worth trying, and what it shows in a few words. */
export interface ProposedView {
  readonly selector: Selector;
  readonly label: string;
}

export interface Summary {
  readonly kind: SummaryKind;
  /** Bounded; see `summariser.ts`. */
  readonly text: string;
  /** At most `SUMMARY_VIEWS_MAX_COUNT`, the most useful first. */
  readonly views: readonly ProposedView[];
}

/**
 * Reads a text of one kind piece by piece, in bounded memory and linear time. How the text is cut into pieces changes
 * nothing; a piece may end inside a surrogate pair or a CRLF.
 */
export interface Analyser {
  push(piece: string): void;
  /** What it holds of the text, in UTF-16 units. */
  readonly retainedChars: number;
  /** Nothing where the text was not what it seemed, so that it is summarised as plain text. */
  finish(): Summary | undefined;
}
