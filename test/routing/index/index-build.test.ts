import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_DESCRIPTION_MAX_TOKENS, ROUTING_PARAMETERS_MAX_TOKENS } from "../../../src/limits.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import {
  analyseDocument,
  type AnalysedDocument,
  type RoutingDocument,
} from "../../../src/routing/document/analyse-document.ts";
import { exactKeys } from "../../../src/routing/index/exact-name.ts";
import { buildIndex, packIndex } from "../../../src/routing/index/index-build.ts";
import { openIndex } from "../../../src/routing/index/open-index.ts";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import { CATALOG } from "../catalog.ts";
import { anyDocuments, anyText, indexOf, plainDocument } from "../support.ts";

function packed(documents: readonly RoutingDocument[]): Uint8Array {
  const bytes = packIndex(documents.map(analyseDocument));
  if (!bytes.ok) throw new Error(bytes.reason.reason);
  return bytes.value;
}

/** What went into an index, by id. */
function readBack(index: RoutingIndex): Map<string, AnalysedDocument> {
  const found = new Map<string, { id: string; name: string; terms: string[]; weights: number[] }>();
  for (let at = 0; at < index.documentCount; at += 1) {
    found.set(index.id(at), { id: index.id(at), name: index.name(at), terms: [], weights: [] });
  }
  for (let term = 0; term < index.termCount; term += 1) {
    for (let at = index.starts[term] ?? 0; at < (index.starts[term + 1] ?? 0); at += 1) {
      const document = found.get(index.id(index.documents[at] ?? -1));
      document?.terms.push(index.term(term));
      document?.weights.push(index.weights[at] ?? 0);
    }
  }
  return found;
}

describe("index", () => {
  it("is the same bytes whatever the order of the tools", () => {
    expect(packed(CATALOG.toReversed())).toEqual(packed(CATALOG));
    fc.assert(
      fc.property(
        anyDocuments.chain((documents) =>
          fc.tuple(fc.constant(documents), fc.shuffledSubarray(documents, { minLength: documents.length })),
        ),
        ([documents, shuffled]) => {
          expect(packed(shuffled)).toEqual(packed(documents));
        },
      ),
    );
  });

  it("is made of documents that survive JSON, as which they are kept", () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const analysed = documents.map(analyseDocument);
        const kept: unknown = JSON.parse(JSON.stringify(analysed));
        expect(kept).toEqual(analysed);
      }),
    );
  });

  it("gives back every document: its id, its name to the letter, its words and how often each counts", () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const analysed = documents.map(analyseDocument);
        const index = indexOf(documents);
        expect(readBack(index)).toEqual(new Map(analysed.map((document) => [document.id, document])));
        const ids = Array.from({ length: index.documentCount }, (_, at) => index.id(at));
        expect(ids).toEqual(ids.toSorted(compareCodePoints));
        const terms = Array.from({ length: index.termCount }, (_, at) => index.term(at));
        expect(terms).toEqual([...new Set(terms)].sort(compareCodePoints));
        for (const [place, term] of terms.entries()) {
          expect(index.findTerm(term)).toBe(place);
          expect(index.firstTermFrom(term)).toBe(place);
          expect(index.termBytes(place)).toBe(new TextEncoder().encode(term).length);
          expect(index.findTerm(`${term}\uFFFF`)).toBe(-1);
        }
      }),
    );
  });

  it("finds documents by lower-cased names, lone surrogates and all", () => {
    fc.assert(
      fc.property(anyDocuments, anyText, (documents, asked) => {
        const index = indexOf(documents);
        const keys = [asked, ...documents.flatMap(({ id, name }) => exactKeys(id, name))];
        for (const key of keys) {
          const expected = Array.from({ length: index.documentCount }, (_, at) => at).filter((at) =>
            exactKeys(index.id(at), index.name(at)).includes(key),
          );
          expect(index.exactDocuments(key)).toEqual(expected);
        }
      }),
    );
  });

  it("has well-formed postings: every list ascending, every weight a positive integer", () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const { termCount, documentCount, starts, documents: postings, weights } = indexOf(documents);
        expect(starts.length).toBe(termCount + 1);
        expect(starts[termCount]).toBe(postings.length);
        expect(weights.length).toBe(postings.length);
        expect(Array.from(weights).every((weight) => Number.isSafeInteger(weight) && weight > 0)).toBe(true);
        for (let term = 0; term < termCount; term += 1) {
          const list = Array.from(postings).slice(starts[term], starts[term + 1]);
          expect(list).toEqual([...new Set(list)].sort((left, right) => left - right));
          expect(list.every((document) => document >= 0 && document < documentCount)).toBe(true);
        }
      }),
    );
  });

  it("words that are parts of every object are words", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const index = indexOf(names.map((name) => plainDocument(name)));
    for (const name of names) expect(rank(index, name, { topK: 1 }).hits[0]?.id).toBe(plainDocument(name).id);
    expect(rank(index, "proto", { topK: 9 }).total).toBe(1);
  });

  it("has room for more documents than two bytes number", () => {
    const documents = Array.from({ length: 0x1_00_04 }, (_, at) => {
      const id = `n:${at.toString(36).padStart(6, "0")}`;
      return {
        id,
        name: at % 2 === 0 ? "even" : "odd",
        terms: ["all", at > 0xff_ff ? "late" : "soon"],
        weights: [7, 9],
      };
    });
    const bytes = packIndex(documents);
    const opened = openIndex(bytes.ok ? bytes.value : new Uint8Array());
    if (!opened.ok) throw new Error(opened.reason.reason);
    const index = opened.value;
    const late = index.findTerm("late");
    const places = Array.from(index.documents).slice(index.starts[late], index.starts[late + 1]);
    expect(places).toEqual([0x1_00_00, 0x1_00_01, 0x1_00_02, 0x1_00_03]);
    expect(index.exactDocuments("odd").at(-1)).toBe(0x1_00_03);
    expect(index.id(0x1_00_03)).toBe(documents.at(-1)?.id);
  });

  it("an id that comes twice is refused", () => {
    const [first] = CATALOG;
    expect(buildIndex([...CATALOG, ...(first === undefined ? [] : [first])])).toEqual({
      ok: false,
      reason: { reason: "duplicate_id", id: first?.id },
    });
  });

  it("a description of a megabyte buys no more postings than a long one", () => {
    const words = Array.from({ length: 150_000 }, (_, at) => `w${at.toString(36)}`).join(" ");
    expect(words.length).toBeGreaterThan(600_000);
    const { terms } = analyseDocument({ ...plainDocument("tool"), description: words });
    expect(terms.length).toBeLessThan(2 * ROUTING_DESCRIPTION_MAX_TOKENS);
  });

  it("thousands of parameters buy no more postings than many", () => {
    const parameterDescriptions = Array.from({ length: 5_000 }, (_, at) => `alpha${at} beta${at}`);
    const { terms } = analyseDocument({ ...plainDocument("tool"), parameterDescriptions });
    expect(terms.length).toBeLessThan(2 * ROUTING_PARAMETERS_MAX_TOKENS);
  });
});
