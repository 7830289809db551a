import { ROUTING_QUERY_MAX_CHARS, ROUTING_QUERY_MAX_TERMS } from "../limits.ts";
import { compareCodePoints } from "../code-points.ts";
import { tokenise } from "./tokenise.ts";

/** A term that may stand for a query word, and how well it does: 1 for the word itself. */
export interface Variant {
  readonly term: string;
  readonly likeness: number;
}

/** One distinct word of a query: the best of its variants counts, once. */
export type QueryWord = readonly Variant[];

/**
 * The distinct words of a query in code point order, so that the order in which they were asked changes no sum.
 * Function words count only where there is nothing else (`who am i`).
 */
export function readQuery(query: string): readonly QueryWord[] {
  // Every word is read before any is chosen: function words must not crowd out what follows them.
  const tokens = tokenise(query, {
    maxChars: ROUTING_QUERY_MAX_CHARS,
    maxTokens: ROUTING_QUERY_MAX_CHARS,
  });
  const content = tokens.filter(({ stopWord }) => !stopWord);
  const words = new Map<string, QueryWord>();
  for (const { term, folded } of content.length > 0 ? content : tokens) {
    if (words.size >= ROUTING_QUERY_MAX_TERMS) break;
    const variants = folded === undefined ? [term] : [term, folded];
    words.set(
      term,
      variants.map((term) => ({ term, likeness: 1 })),
    );
  }
  return [...words].sort(([left], [right]) => compareCodePoints(left, right)).map(([, word]) => word);
}
