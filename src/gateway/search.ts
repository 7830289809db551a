import type { Catalog } from "../catalog/catalog.ts";
import { type Card, withScore } from "../catalog/cards/card.ts";
import type { BrowseCard } from "../principal/browse-state.ts";
import type { RequestContext } from "./request-context.ts";

/** What a query found among the tools that exist for the caller, best first. */
export interface SearchFound {
  readonly cards: readonly BrowseCard[];
  /** Matches before the limit. */
  readonly total: number;
  readonly ambiguous: boolean;
  readonly weak: boolean;
  /** Where nothing matched: all namespaces there are, sorted. */
  readonly unmatched?: readonly string[];
}

/** Ranks, for every face that answers queries: what one of them finds, all do. */
export function search(
  query: string,
  topK: number,
  catalog: Catalog,
  sees: RequestContext["sees"],
): SearchFound {
  const { hits, total, ambiguous, weak } = catalog.search(query, topK, sees);
  const cards = hits.flatMap(({ id, score }) => {
    const tool = catalog.find(id);
    return tool === undefined ? [] : [browseCard(withScore(tool.card, score), tool.line)];
  });
  if (cards.length > 0) return { cards, total, ambiguous, weak };
  const namespaces = catalog.namespaces(sees).map(({ namespace }) => namespace);
  return { cards, total: 0, ambiguous: false, weak: false, unmatched: namespaces };
}

export function browseCard(card: Card, line: string): BrowseCard {
  return { id: card.id, kind: card.kind, json: JSON.stringify(card), line };
}
