import { SATURATION } from "../../../src/routing/document/fields.ts";
import { readFields, type RoutingDocument } from "../../../src/routing/document/analyse-document.ts";
import { occurrencesOf } from "../../../src/routing/document/posting-weight.ts";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import {
  type ResolvedSentence,
  type ResolvedWord,
  resolveQuery,
  type Variant,
} from "../../../src/routing/rank/resolve.ts";

/** A term that stands for a word of the query. */
export interface ExplainedVariant {
  readonly term: string;
  readonly likeness: number;
  /** In how many tools it is found. */
  readonly tools: number;
  /** What it gives a tool that has it without end. */
  readonly worth: number;
}

/** A word of the query; one without variants is missed by every tool. */
export interface ExplainedWord {
  readonly word: string;
  readonly importance: number;
  readonly variants: readonly ExplainedVariant[];
}

/** What one word or pair of the query gives one tool, and where in the tool its term stands. */
export interface ExplainedTerm {
  readonly word: string;
  /** The variant that gives most. */
  readonly term: string;
  readonly gain: number;
  /** By field: weighted occurrences, 1 for one in a field of weight 1 and usual length. */
  readonly fields: Readonly<Record<string, number>>;
}

export interface ExplainedHit {
  readonly id: string;
  readonly score: number;
  readonly terms: readonly ExplainedTerm[];
}

export interface Explanation {
  readonly words: readonly ExplainedWord[];
  /** The first of the ranking. */
  readonly hits: readonly ExplainedHit[];
}

/** How the first hits of a query came about, by the ranking's own reading of the query and of the tools. */
export function explain(
  index: RoutingIndex,
  documents: readonly RoutingDocument[],
  query: string,
  hits: number,
): Explanation {
  const sentences = resolveQuery(index, readQuery(query), undefined);
  const resolved = {
    words: sentences.flatMap(({ words }) => words),
    pairs: sentences.flatMap(({ pairs }) => pairs),
  };
  const byId = new Map(documents.map((document) => [document.id, document]));
  const places = new Map(Array.from({ length: index.documentCount }, (_, place) => [index.id(place), place]));
  return {
    words: resolved.words.map(({ word, importance, variants }) => ({
      word,
      importance,
      variants: variants.map(({ postings, likeness, worth }) => ({
        term: index.term(postings.place),
        likeness,
        tools: postings.tools,
        worth,
      })),
    })),
    hits: rank(index, query, { topK: hits }).hits.map(({ id, score }) => {
      const [document, place] = [byId.get(id), places.get(id)];
      const isKnown = document !== undefined && place !== undefined;
      return { id, score, terms: isKnown ? termsOf(index, resolved, document, place) : [] };
    }),
  };
}

function termsOf(
  index: RoutingIndex,
  { words, pairs }: Pick<ResolvedSentence, "words" | "pairs">,
  document: RoutingDocument,
  place: number,
) {
  const fields = readFields(document);
  const fieldsOf = (term: string): Record<string, number> =>
    Object.fromEntries(
      [...fields].flatMap(([field, terms]) => {
        const occurrences = terms.get(term);
        return occurrences === undefined ? [] : [[field, occurrences]];
      }),
    );
  const explained = words.flatMap((word): ExplainedTerm[] => {
    const best = bestOf(index, word, place);
    if (best === undefined) return [];
    const term = index.term(best.variant.postings.place);
    return [{ word: word.word, term, gain: word.importance * best.gain, fields: fieldsOf(term) }];
  });
  const paired = pairs.flatMap(({ postings, worth }): ExplainedTerm[] => {
    const occurrences = occurrencesIn(index, postings, place);
    if (occurrences === 0) return [];
    const term = index.term(postings.place);
    return [
      {
        word: term.trim(),
        term: term.trim(),
        gain: worth * Math.min(1, occurrences),
        fields: fieldsOf(term),
      },
    ];
  });
  return [...explained, ...paired].sort((left, right) => right.gain - left.gain);
}

function occurrencesIn(index: RoutingIndex, { from, to }: Variant["postings"], place: number): number {
  for (let posting = from; posting < to; posting += 1) {
    if (index.documents[posting] === place) return occurrencesOf(index.weights[posting] ?? 0);
  }
  return 0;
}

function bestOf(index: RoutingIndex, { variants }: ResolvedWord, place: number) {
  const gains = variants.map((variant) => {
    const occurrences = occurrencesIn(index, variant.postings, place);
    return { variant, gain: (variant.worth * occurrences) / (SATURATION + occurrences) };
  });
  return gains.filter(({ gain }) => gain > 0).sort((left, right) => right.gain - left.gain)[0];
}
