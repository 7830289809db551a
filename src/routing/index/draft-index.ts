import { compareCodePoints } from "../../code-points.ts";
import { ROUTING_DOCUMENTS_PER_STEP_COUNT } from "../../limits.ts";
import { NO_LISTS } from "../../packed/lists.ts";
import { Collected, mergeLists } from "../../packed/merge-lists.ts";
import { arrayFor, bytesOf } from "../../packed/numbers.ts";
import { type Packed, sectionsOf } from "../../packed/sections.ts";
import { SliceWriter } from "../../packed/slice-writer.ts";
import { packTexts, Slices } from "../../packed/slices.ts";
import { fail, ok, type Result } from "../../result.ts";
import { type AnalysedDocument, isPairTerm } from "../document/analyse-document.ts";
import { intersectNeighbours } from "../neighbours/expansions.ts";
import { meaningsOf, reviseExpansions } from "../neighbours/revise-expansions.ts";
import type { NeighbourTable } from "../neighbours/table.ts";
import { exactKeys } from "./exact-name.ts";
import { INDEX_FORM } from "./index-form.ts";
import type { IndexParts } from "./open-index.ts";

export interface DuplicateId {
  readonly reason: "duplicate_id";
  readonly id: string;
}

/** Why there is no index. */
export type IndexFault = DuplicateId | { readonly reason: "missing_document"; readonly id: string };

/** A document of the index to be: one that the index before has, by its place there, or a new one. */
export type DraftDocument =
  | { readonly id: string; readonly before: number }
  | { readonly id: string; readonly read: () => AnalysedDocument | undefined };

/**
 * Where the meanings of words come from: all from a table; or from the index before, which had them from the same table, and
 * those of new terms from that.
 */
export type MeaningsSource =
  | { readonly all: NeighbourTable | undefined }
  | { readonly ofNewTerms: NeighbourTable | undefined };

/** An index whose postings are merged; what its words mean is still open. */
export interface IndexDraft {
  /** Whether a term is new that a table may know: without, the meanings of the index before say all, and no table need be read. */
  readonly hasNewWords: boolean;
  /** The index, to be packed where it shall stand. */
  pack(meanings: MeaningsSource): Packed;
}

const NO_EXPANSIONS = [packTexts([]), bytesOf(new Uint32Array(1)), new Uint8Array(), new Uint8Array()];

function textsOf(section: Uint8Array): string[] {
  const texts = Slices.open(section) ?? Slices.none;
  return Array.from({ length: texts.count }, (_, place) => texts.text(place));
}

function packExpansions(table: NeighbourTable, terms: readonly string[]): Uint8Array[] {
  const { keys, starts, terms: places, likeness } = intersectNeighbours(table, terms);
  const narrow = arrayFor(terms.length, places.length);
  narrow.set(places);
  return [packTexts(keys), bytesOf(starts), bytesOf(narrow), likeness];
}

/**
 * Drafts the index of the documents, by id in code point order, on that before: one pass over its postings, and only new
 * documents are read. The bytes are those of a start from nothing. Yields now and then, so that others may have a turn.
 */
export function* draftIndex(
  documents: readonly DraftDocument[],
  before?: IndexParts,
): Generator<void, Result<IndexDraft, IndexFault>> {
  const moved = new Int32Array(before?.ids.count ?? 0).fill(-1);
  const [terms, exact] = [new Collected(), new Collected()];
  const [ids, names] = [new SliceWriter(), new SliceWriter()];
  for (const [place, document] of documents.entries()) {
    const { id } = document;
    const last = documents[place - 1]?.id;
    if (last !== undefined && compareCodePoints(last, id) >= 0) return fail({ reason: "duplicate_id", id });
    if ("before" in document) {
      moved[document.before] = place;
      ids.text(id);
      names.bytes(before?.names.bytes(document.before) ?? new Uint8Array());
      continue;
    }
    const analysed = document.read();
    if (analysed === undefined) return fail({ reason: "missing_document", id });
    ids.text(id);
    names.text(analysed.name);
    for (const key of exactKeys(id, analysed.name)) exact.add(key, place, 0);
    for (const [at, term] of analysed.terms.entries()) terms.add(term, place, analysed.weights[at] ?? 0);
    if (place % ROUTING_DOCUMENTS_PER_STEP_COUNT === 0) yield;
  }
  const named = mergeLists(before?.exact ?? NO_LISTS, moved, exact, documents.length);
  yield;
  const postings = before === undefined ? NO_LISTS : { ...before.postings, weights: before.weights };
  const merged = mergeLists(postings, moved, terms, documents.length);
  yield;
  const expansionsFrom = (meanings: MeaningsSource): readonly Uint8Array[] => {
    if ("all" in meanings) {
      return meanings.all === undefined
        ? NO_EXPANSIONS
        : packExpansions(meanings.all, textsOf(merged.sections[0]));
    }
    const { ofNewTerms: table } = meanings;
    const fresh = table === undefined ? [] : meaningsOf(table, merged.keys.added);
    if (before === undefined) return NO_EXPANSIONS;
    const [texts = new Uint8Array(), starts = new Uint8Array()] = before.sections.slice(9);
    return reviseExpansions({ ...before, texts, starts }, merged.keys, fresh);
  };
  return ok({
    hasNewWords: merged.keys.added.some(({ key }) => !isPairTerm(key)),
    pack: (meanings) => {
      const expansions = expansionsFrom(meanings);
      return sectionsOf(INDEX_FORM, [
        ids.packed(),
        names.packed(),
        ...named.sections,
        ...merged.sections,
        merged.weights,
        ...expansions,
      ]);
    },
  });
}
