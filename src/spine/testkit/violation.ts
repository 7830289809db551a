/** One breach of a law, in words for whoever reads a failed test. */
export type Violation = string;

/** What a host's code gives, or that it throws: a law tells, and does not end the test that it is asked in. */
export function told(answer: () => string): string {
  try {
    return answer();
  } catch (error) {
    return thrown(error);
  }
}

export function thrown(error: unknown): string {
  return `threw ${String(error)}`;
}
