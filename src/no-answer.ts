/** What is wrong with results that would pass for an answer, in words for everybody: no word of a server's is among them. */
export const NO_ANSWER = {
  empty: "the upstream server answered with no contents",
  error: "the upstream server marked its result as an error",
} as const;

const MESSAGES: ReadonlySet<string> = new Set(Object.values(NO_ANSWER));

/** The message for a failure of this detail, where the detail is one of these. */
export function noAnswerMessage(detail: string): { readonly message?: string } {
  return MESSAGES.has(detail) ? { message: detail } : {};
}
