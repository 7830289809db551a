import { readFields, type RoutingDocument } from "../../../src/routing/document/analyse-document.ts";
import { occurrencesOf } from "../../../src/routing/document/posting-weight.ts";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
import { bestVariant, evidenceFor } from "../../../src/routing/rank/evidence.ts";
import { postingIn } from "../../../src/routing/rank/postings.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import { type ResolvedSentence, resolveQuery } from "../../../src/routing/rank/resolve.ts";

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

/** What `weak` is judged by: see `Evidence`. */
export interface ExplainedEvidence {
  readonly nats: number;
  readonly share: number;
  readonly missed: Readonly<Record<string, number>>;
}

export interface Explanation {
  readonly words: readonly ExplainedWord[];
  /** Of the first hit; null where there is none. */
  readonly evidence: ExplainedEvidence | null;
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
  const found = rank(index, query, { topK: hits }).hits;
  const first = places.get(found[0]?.id ?? "");
  return {
    evidence: first === undefined ? null : evidenceOf(index, sentences, first),
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
    hits: found.map(({ id, score }) => {
      const [document, place] = [byId.get(id), places.get(id)];
      const isKnown = document !== undefined && place !== undefined;
      return { id, score, terms: isKnown ? termsOf(index, resolved, document, place) : [] };
    }),
  };
}

function evidenceOf(index: RoutingIndex, sentences: readonly ResolvedSentence[], place: number) {
  const { missed, ...figures } = evidenceFor(index, sentences, place);
  return { ...figures, missed: Object.fromEntries(missed) };
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
    const best = bestVariant(index, word, place);
    if (best === undefined) return [];
    const term = index.term(best.variant.postings.place);
    return [{ word: word.word, term, gain: word.importance * best.gain, fields: fieldsOf(term) }];
  });
  const paired = pairs.flatMap(({ postings, worth }): ExplainedTerm[] => {
    const posting = postingIn(index, postings, place);
    if (posting < 0) return [];
    const term = index.term(postings.place);
    return [
      {
        word: term.trim(),
        term: term.trim(),
        gain: worth * Math.min(1, occurrencesOf(index.weights[posting] ?? 0)),
        fields: fieldsOf(term),
      },
    ];
  });
  return [...explained, ...paired].sort((left, right) => right.gain - left.gain);
}
