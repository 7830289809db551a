import type { ExactNumber } from "../exact-json/exact-number.ts";

/** A JSONPath query (RFC 9535), parsed. */
export interface Query {
  readonly segments: readonly Segment[];
}

export interface Segment {
  /** `..`: of the nodes and everything below them. */
  readonly isDescendant: boolean;
  readonly selectors: readonly NodeSelector[];
  /** Where it ends in the query's text. */
  readonly end: number;
}

export type NodeSelector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "slice"; readonly start?: number; readonly end?: number; readonly step: number }
  | { readonly kind: "filter"; readonly test: Logical };

/** What is true or false of a node. */
export type Logical =
  | { readonly kind: "or" | "and"; readonly all: readonly Logical[] }
  | { readonly kind: "not"; readonly of: Logical }
  | { readonly kind: "exists"; readonly query: InnerQuery }
  | {
      readonly kind: "compare";
      readonly operator: Comparison;
      readonly left: Comparable;
      readonly right: Comparable;
    }
  | {
      readonly kind: "match" | "search";
      readonly value: Comparable;
      readonly pattern: Comparable;
    };

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** What has one value, or none. */
export type Comparable =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null | ExactNumber }
  | { readonly kind: "query"; readonly query: InnerQuery }
  | { readonly kind: "length"; readonly of: Comparable }
  | { readonly kind: "count" | "value"; readonly query: InnerQuery };

/** A query inside a filter, of the node at hand (`@`) or of the root (`$`). */
export interface InnerQuery extends Query {
  readonly isRelative: boolean;
}

/** At most one node, whatever the document: only names and indexes. */
export function isSingular({ segments }: Query): boolean {
  return segments.every(
    ({ isDescendant, selectors }) =>
      !isDescendant &&
      selectors.length === 1 &&
      (selectors[0]?.kind === "name" || selectors[0]?.kind === "index"),
  );
}
