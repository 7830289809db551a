import { SEARCH_WORDS_MAX_COUNT } from "../../../limits/records.ts";
import { fail, ok, type Result } from "../../../result.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { askedTerm, termsIn } from "../../search/terms.ts";

/** The different words of a question, as terms. Whatever else it has (quotes, operators, signs) only separates them. */
export function queryWords(q: string | undefined): Result<readonly string[], PdppProblem> {
  const words = new Set<string>();
  for (const term of termsIn(q ?? "")) {
    words.add(askedTerm(term));
    if (words.size > SEARCH_WORDS_MAX_COUNT) {
      return refused(
        `q has more than ${SEARCH_WORDS_MAX_COUNT} different words: ask with the rarest of them.`,
      );
    }
  }
  if (words.size > 0) return ok([...words]);
  return refused("q must have a word to look for: letters or digits. All its words must occur in a record.");
}

function refused(message: string) {
  return fail(problem("invalid_request", message, { param: "q" }));
}
