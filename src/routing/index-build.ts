import { fail, ok, type Result } from "../result.ts";
import { analyseDocument, type AnalysedDocument, type RoutingDocument } from "./analyse-document.ts";
import { compareCodePoints } from "../code-points.ts";
import { exactKeys } from "./exact-name.ts";

/**
 * An inverted index as plain JSON: parallel flat arrays and no object keyed by a foreign word. A document is its place
 * in `ids`; the postings of `terms[t]` are the places `starts[t]` to `starts[t + 1]` of `documents` and `weights`.
 */
export interface RoutingIndex {
  readonly format: 1;
  /** Tool ids in code point order. */
  readonly ids: readonly string[];
  /** Upstream names, by document. */
  readonly names: readonly string[];
  /** Lower-cased names in code point order, and the document that each belongs to. */
  readonly exactKeys: readonly string[];
  readonly exactDocuments: readonly number[];
  /** Terms in code point order. */
  readonly terms: readonly string[];
  readonly starts: readonly number[];
  readonly documents: readonly number[];
  /** Weighted occurrences in thousandths. */
  readonly weights: readonly number[];
}

export interface DuplicateId {
  readonly reason: "duplicate_id";
  readonly id: string;
}

interface Postings {
  readonly documents: number[];
  readonly weights: number[];
}

function invert(analysed: readonly AnalysedDocument[]): [string, Postings][] {
  const byTerm = new Map<string, Postings>();
  for (const [document, { terms, weights }] of analysed.entries()) {
    for (const [at, term] of terms.entries()) {
      let postings = byTerm.get(term);
      if (postings === undefined) byTerm.set(term, (postings = { documents: [], weights: [] }));
      postings.documents.push(document);
      postings.weights.push(weights[at] ?? 0);
    }
  }
  return [...byTerm].sort(([left], [right]) => compareCodePoints(left, right));
}

/** The index over documents read before; their order does not matter. Ids must differ. */
export function assembleIndex(documents: readonly AnalysedDocument[]): Result<RoutingIndex, DuplicateId> {
  const sorted = [...documents].sort((left, right) => compareCodePoints(left.id, right.id));
  for (const [at, { id }] of sorted.entries()) {
    if (at > 0 && sorted[at - 1]?.id === id) return fail({ reason: "duplicate_id", id });
  }
  const inverted = invert(sorted);
  const starts = [0];
  const flat: Postings = { documents: [], weights: [] };
  for (const [, { documents, weights }] of inverted) {
    for (const document of documents) flat.documents.push(document);
    for (const weight of weights) flat.weights.push(weight);
    starts.push(flat.documents.length);
  }
  const exact = sorted
    .flatMap(({ id, name }, document) => exactKeys(id, name).map((key) => ({ key, document })))
    .sort((left, right) => compareCodePoints(left.key, right.key) || left.document - right.document);
  return ok({
    format: 1,
    ids: sorted.map(({ id }) => id),
    names: sorted.map(({ name }) => name),
    exactKeys: exact.map(({ key }) => key),
    exactDocuments: exact.map(({ document }) => document),
    terms: inverted.map(([term]) => term),
    starts,
    ...flat,
  });
}

/** The index over a catalog's tools: the same bytes as JSON whatever their order. Ids must differ. */
export function buildIndex(documents: readonly RoutingDocument[]): Result<RoutingIndex, DuplicateId> {
  return assembleIndex(documents.map(analyseDocument));
}
