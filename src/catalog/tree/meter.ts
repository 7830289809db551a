/** Counts the words and characters that building looks at, so that a test can hold the cost without a clock. */
export interface Meter {
  steps: number;
}
