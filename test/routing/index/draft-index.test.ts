import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../../src/code-points.ts";
import { bytesOfPacked } from "../../../src/packed/sections.ts";
import { analyseDocument, type AnalysedDocument } from "../../../src/routing/document/analyse-document.ts";
import { type DraftDocument, draftIndex, type IndexDraft } from "../../../src/routing/index/draft-index.ts";
import { packIndex, runToEnd } from "../../../src/routing/index/index-build.ts";
import { openParts } from "../../../src/routing/index/open-index.ts";
import type { NeighbourTable } from "../../../src/routing/neighbours/table.ts";
import { anyTable, anyVocabulary } from "../neighbours/tables.ts";
import { anyDocuments } from "../support.ts";

const TABLE = {
  words: ["create", "lorem", "make", "the"],
  starts: Uint32Array.of(0, 1, 2, 3, 4),
  neighbours: Uint32Array.of(2, 3, 0, 1),
  likeness: Uint8Array.of(200, 100, 200, 100),
  digest: new Uint8Array(32),
};

function packed(documents: readonly AnalysedDocument[], table: NeighbourTable = TABLE): Uint8Array {
  const bytes = packIndex(documents, table);
  if (!bytes.ok) throw new Error(bytes.reason.reason);
  return bytes.value;
}

/** Goes from one set of documents to the next over the packed index, reading only what is new or changed. */
function step(
  before: Uint8Array,
  known: readonly AnalysedDocument[],
  next: readonly AnalysedDocument[],
): { readonly draft: IndexDraft; readonly read: number } {
  const parts = openParts(before);
  if (!parts.ok) throw new Error(parts.reason.reason);
  const places = new Map(
    [...known]
      .sort((left, right) => compareCodePoints(left.id, right.id))
      .map((document, at) => [document, at]),
  );
  let read = 0;
  const documents = [...next]
    .sort((left, right) => compareCodePoints(left.id, right.id))
    .map((document): DraftDocument => {
      const place = places.get(document);
      if (place !== undefined) return { id: document.id, before: place };
      const reading = (): AnalysedDocument => {
        read += 1;
        return document;
      };
      return { id: document.id, read: reading };
    });
  const draft = runToEnd(draftIndex(documents, parts.value));
  if (!draft.ok) throw new Error(draft.reason.reason);
  return { draft: draft.value, read };
}

/** Documents as they are one refresh after the other: some go, some come, some change under their id. */
const histories = anyDocuments.chain((documents) =>
  fc.array(fc.tuple(fc.subarray(documents), fc.subarray(documents), fc.string({ maxLength: 20 })), {
    minLength: 1,
    maxLength: 4,
  }),
);

describe("an index on top of the one before", () => {
  it("has the bytes of one from nothing, after any coming, going and changing", () => {
    fc.assert(
      fc.property(histories, (history) => {
        let known: readonly AnalysedDocument[] = [];
        let bytes = packed(known);
        for (const [present, changed, words] of history) {
          const byId = new Map(known.map((document) => [document.id, document]));
          const next = present.map((document) => {
            const kept = byId.get(document.id);
            if (kept !== undefined && !changed.includes(document)) return kept;
            return analyseDocument({ ...document, description: `${document.description} ${words}` });
          });
          const { draft, read } = step(bytes, known, next);
          expect(read).toBe(next.filter((document) => !known.includes(document)).length);
          bytes = bytesOfPacked(draft.pack({ ofNewTerms: draft.hasNewWords ? TABLE : undefined }));
          expect(bytes).toEqual(packed(next));
          known = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  it("has the meanings that a whole table gives, with the table asked for new words alone", () => {
    const histories = fc.array(fc.array(fc.tuple(anyVocabulary, fc.boolean()), { maxLength: 4 }), {
      minLength: 2,
      maxLength: 5,
    });
    fc.assert(
      fc.property(anyTable, histories, (table, history) => {
        let known: readonly AnalysedDocument[] = [];
        let bytes = packed(known, table);
        for (const each of history) {
          const next = each.flatMap(([terms, isThere], at): AnalysedDocument[] => {
            const id = String(at);
            return isThere ? [{ id, name: id, terms, weights: terms.map(() => 1) }] : [];
          });
          const { draft } = step(bytes, known, next);
          bytes = bytesOfPacked(draft.pack({ ofNewTerms: draft.hasNewWords ? table : undefined }));
          expect(bytes).toEqual(packed(next, table));
          known = next;
        }
      }),
      { numRuns: 200 },
    );
  });

  it("knows whether it has a word that the one before had not: two known ones side by side are none", () => {
    const one = analyseDocument({
      id: "a",
      name: "open_door",
      description: "",
      parameterNames: [],
      parameterDescriptions: [],
      server: "s",
    });
    const more = { ...one, weights: one.weights.map((weight) => weight + 1) };
    const paired = analyseDocument({
      ...one,
      description: "Door, open!",
      parameterNames: [],
      parameterDescriptions: [],
      server: "s",
    });
    const other = { ...one, terms: [...one.terms, "zzz"], weights: [...one.weights, 1] };
    const before = packed([one]);
    expect(paired.terms.some((term) => !one.terms.includes(term))).toBe(true);
    for (const next of [[one], [more], [paired], []]) {
      expect(step(before, [one], next).draft.hasNewWords).toBe(false);
    }
    expect(step(before, [one], [other]).draft.hasNewWords).toBe(true);
    expect(step(packed([other]), [other], [one]).draft.hasNewWords).toBe(false);
  });

  it("is refused where documents are not in the order of their ids", () => {
    const documents = ["b", "a"].map((id) => ({
      id,
      read: () => ({ id, name: id, terms: [], weights: [] }),
    }));
    expect(runToEnd(draftIndex(documents))).toMatchObject({ ok: false, reason: { reason: "duplicate_id" } });
  });
});
