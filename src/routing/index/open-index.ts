import { type Lists, openLists, rangeOf } from "../../packed/lists.ts";
import { numbersOf } from "../../packed/numbers.ts";
import { damaged, openSections, type PackedFault } from "../../packed/sections.ts";
import { Slices } from "../../packed/slices.ts";
import { ok, type Result } from "../../result.ts";
import { INDEX_FORM, LIKENESS_MAX } from "./index-form.ts";
import type { RoutingIndex } from "./routing-index.ts";

/** The parts of a packed index as views over its bytes. */
export interface IndexParts {
  readonly ids: Slices;
  readonly names: Slices;
  /** Documents of each lower-cased name. */
  readonly exact: Lists;
  /** Documents of each term, and the weight of each. */
  readonly postings: Lists;
  readonly weights: ArrayLike<number>;
  /** Terms of each word, and the likeness of each. */
  readonly meanings: Lists;
  readonly likeness: Uint8Array;
  /** The sections as they stand in the bytes. */
  readonly sections: readonly Uint8Array[];
}

/** Opens without copying or decoding. */
export function openParts(bytes: Uint8Array): Result<IndexParts, PackedFault> {
  const opened = openSections(INDEX_FORM, bytes);
  if (!opened.ok) return opened;
  const sections = opened.value;
  const section = (at: number): Uint8Array => sections[at] ?? new Uint8Array();
  const [ids, names] = [Slices.open(section(0)), Slices.open(section(1))];
  if (ids === undefined || names?.count !== ids.count) return damaged("ids");
  const exact = openLists(sections, 2, ids.count);
  if (exact === undefined) return damaged("names");
  const postings = openLists(sections, 5, ids.count);
  const weights = numbersOf(section(8), 2);
  if (postings === undefined || weights?.length !== postings.numbers.length) return damaged("postings");
  const meanings = openLists(sections, 9, postings.keys.count);
  const likeness = section(12);
  if (meanings?.numbers.length !== likeness.length) return damaged("neighbours");
  return ok({ ids, names, exact, postings, weights, meanings, likeness, sections });
}

/** The index that the ranking works on, over opened parts. */
export function indexOver({
  ids,
  names,
  exact,
  postings,
  weights,
  meanings,
  likeness,
}: IndexParts): RoutingIndex {
  const { keys: terms, starts, numbers: documents } = postings;
  return {
    documentCount: ids.count,
    termCount: terms.count,
    starts,
    documents,
    weights,
    id: (document) => ids.text(document),
    name: (document) => names.text(document),
    term: (place) => terms.text(place),
    termBytes: (place) => terms.size(place),
    findTerm: (term) => terms.find(term),
    firstTermFrom: (text) => terms.lowerBound(text),
    exactDocuments: (key) => {
      const { from, to } = rangeOf(exact, key);
      return Array.from({ length: to - from }, (_, more) => exact.numbers[from + more] ?? 0);
    },
    neighbours: (word) => {
      const { from, to } = rangeOf(meanings, word);
      return Array.from({ length: to - from }, (_, more) => ({
        term: meanings.numbers[from + more] ?? 0,
        likeness: (likeness[from + more] ?? 0) / LIKENESS_MAX,
      }));
    },
  };
}

/** The index over bytes that `packIndex` gave: views, nothing copied; a reason for any other bytes. */
export function openIndex(bytes: Uint8Array): Result<RoutingIndex, PackedFault> {
  const parts = openParts(bytes);
  return parts.ok ? ok(indexOver(parts.value)) : parts;
}
