import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_DESCRIPTION_MAX_TOKENS, ROUTING_PARAMETERS_MAX_TOKENS } from "../../src/limits.ts";
import { analyseDocument } from "../../src/routing/analyse-document.ts";
import { assembleIndex, buildIndex } from "../../src/routing/index-build.ts";
import { rank } from "../../src/routing/rank.ts";
import { CATALOG } from "./catalog.ts";
import { anyDocuments, indexOf, plainDocument } from "./support.ts";

describe("index", () => {
  it("is the same bytes whatever the order of the tools", () => {
    const forwards = JSON.stringify(indexOf(CATALOG));
    expect(JSON.stringify(indexOf(CATALOG.toReversed()))).toBe(forwards);
    fc.assert(
      fc.property(
        anyDocuments.chain((documents) =>
          fc.tuple(fc.constant(documents), fc.shuffledSubarray(documents, { minLength: documents.length })),
        ),
        ([documents, shuffled]) => {
          expect(JSON.stringify(indexOf(shuffled))).toBe(JSON.stringify(indexOf(documents)));
        },
      ),
    );
  });

  it("survives JSON", () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const index = indexOf(documents);
        expect(JSON.parse(JSON.stringify(index))).toEqual(index);
      }),
    );
  });

  it("is the same from documents read before", () => {
    const kept: unknown = JSON.parse(JSON.stringify(CATALOG.map(analyseDocument)));
    expect(kept).toEqual(CATALOG.map(analyseDocument));
    expect(assembleIndex(CATALOG.map(analyseDocument))).toEqual(buildIndex(CATALOG));
  });

  it("has well-formed postings: every list ascending, every weight a positive integer", () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const { ids, terms, starts, documents: postings, weights } = indexOf(documents);
        expect(starts).toHaveLength(terms.length + 1);
        expect(starts.at(-1)).toBe(postings.length);
        expect(weights).toHaveLength(postings.length);
        expect(weights.every((weight) => Number.isSafeInteger(weight) && weight > 0)).toBe(true);
        expect(postings.every((document) => document >= 0 && document < ids.length)).toBe(true);
        for (const [at, from] of starts.slice(0, -1).entries()) {
          const list = postings.slice(from, starts[at + 1]);
          expect(list).toEqual([...new Set(list)].sort((left, right) => left - right));
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
