/** A term that may stand for another word, and how well it does: above 0, at most 1. */
export interface Neighbour {
  /** Place of the term in the index. */
  readonly term: number;
  readonly likeness: number;
}

/**
 * An inverted index as the ranking sees it. A document is its place among the ids in code point order, a term its place
 * among the terms in code point order; the postings of term `t` are the places `starts[t]` to `starts[t + 1]` of
 * `documents` (ascending in each term) and `weights`.
 */
export interface RoutingIndex {
  readonly documentCount: number;
  readonly termCount: number;
  readonly starts: ArrayLike<number>;
  readonly documents: ArrayLike<number>;
  /** What the term counts in the document, 16 bits: see `packWeight`. */
  readonly weights: ArrayLike<number>;
  id(document: number): string;
  /** The upstream's name to the letter; empty if nobody could ask by it. */
  name(document: number): string;
  term(place: number): string;
  /** A term's length in UTF-8 bytes, without decoding it. */
  termBytes(place: number): number;
  /** The first place whose term is not before `text` by code point: terms with one beginning stand together. */
  firstTermFrom(text: string): number;
  /** The place of a term; -1 for one that no document has. */
  findTerm(term: string): number;
  /** Documents that have this lower-cased name (see `exactKeys`), ascending. */
  exactDocuments(key: string): readonly number[];
  /** Terms of this index that mean nearly what the word means, a stemmed word; it need not be in the index. */
  neighbours(word: string): readonly Neighbour[];
}
