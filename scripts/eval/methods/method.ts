/** What a method answers to a query. */
export interface Answer {
  /** All that matched, best first. */
  readonly ids: readonly string[];
}

/** What the gateway says of its answer besides. */
export interface JudgedAnswer extends Answer {
  /** Nothing matched, or nothing matched well. */
  readonly flagged: boolean;
  readonly ambiguous: boolean;
}
