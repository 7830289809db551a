import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rank, type Ranking } from "../../../src/routing/rank/rank.ts";
import { CATALOG } from "../catalog.ts";
import { documentsWhere } from "../../support/documents-where.ts";
import { indexOf, maybeTable, plainDocument, tangledDocuments, tangledQuery } from "../support.ts";

const NOTHING: Ranking = { hits: [], total: 0, ambiguous: false, weak: false };

describe("a weak answer", () => {
  it("is none where nothing matched, and none where a tool is asked for by name", () => {
    const strange = fc
      .array(fc.stringMatching(/^[qxz]{5,12}$/), { maxLength: 9 })
      .map((words) => words.join(" "));
    fc.assert(
      fc.property(tangledDocuments, strange, maybeTable, (documents, query, table) => {
        const index = indexOf(documents, table);
        expect(rank(index, query, { topK: 5 })).toEqual(NOTHING);
        for (const { name, id } of documents) {
          expect(rank(index, name, { topK: 5 }).weak).toBe(false);
          expect(rank(index, id, { topK: 5 }).weak).toBe(false);
        }
      }),
    );
  });

  it("is what strange words make of a sure one, and its own words never do", () => {
    const own = ["glacier", "harbour", "lantern", "meadow", "orchard", "puddle"];
    const other = ["anchor", "basket", "candle", "dolphin"];
    const common = Array.from({ length: 30 }, (_, at) => plainDocument(`${other.join("_")}_${at}`));
    const index = indexOf([plainDocument(own.join("_")), ...common]);
    const strange = fc.array(fc.stringMatching(/^[qxz]{6,9}$/), { maxLength: 110, size: "max" });
    let weak = 0;
    fc.assert(
      fc.property(fc.shuffledSubarray(own, { minLength: 2 }), strange, ([added = "", ...words], noise) => {
        const asked = [...words, ...noise];
        const before = rank(index, asked.join(" "), { topK: 1 });
        const after = rank(index, [...asked, added].join(" "), { topK: 1 });
        const further = rank(index, [...asked, "zzzzxq"].join(" "), { topK: 1 });
        weak += before.weak ? 1 : 0;
        expect(after.weak && !before.weak).toBe(false);
        expect(before.weak && !further.weak).toBe(false);
      }),
      { numRuns: 500 },
    );
    expect(weak).toBeGreaterThan(20);
    expect(rank(index, own.join(" "), { topK: 1 }).weak).toBe(false);
  });

  it("is what shares an everyday word with a question about another subject", () => {
    const index = indexOf(CATALOG);
    const elsewhere = [
      "show the bakery on the corner between the church and the river",
      "move the sofa behind the curtain and put the lamp on the shelf",
      "add a pinch of pepper to the soup in the kitchen and stir it with a spoon",
      "create a knitting pattern for a sweater with a collar of merino wool",
    ];
    for (const query of elsewhere) {
      const { hits, weak } = rank(index, query, { topK: 1 });
      expect([query, hits.length, weak]).toEqual([query, 1, true]);
    }
  });

  it("is none for what is named beside the question: names given, quotations, files, times", () => {
    const index = indexOf(CATALOG);
    const told = [
      "create an issue called Pepper Soup Kitchen Spoon in the project Bakery",
      "create an issue with 'the pepper in the soup of the kitchen and a spoon'",
      "add a comment about pepper.md, soup.md, kitchen.md, spoon.md and bakery.md",
      "list the issues of the last week, of this month, of the year and of the night before",
    ];
    for (const query of told) expect([query, rank(index, query, { topK: 1 }).weak]).toEqual([query, false]);
  });

  it("is none where a tool has all that is asked, however many others have it too", () => {
    const crowd = (count: number, lead: string) =>
      indexOf(Array.from({ length: count }, (_, at) => plainDocument(`entry_${at}`, lead)));
    for (const count of [1, 30, 1_000, 10_000]) {
      const index = crowd(count, "Sends letters to a customer.");
      for (const query of ["letters", "letters to customers", "send a letter to the customer"]) {
        expect([count, query, rank(index, query, { topK: 1 }).weak]).toEqual([count, query, false]);
      }
    }
  });

  it("is what the catalog of the allowed tools alone would be told", () => {
    const documents = [
      ...CATALOG,
      plainDocument("bakery", "The bakery on the corner between the church and the river."),
    ];
    const index = indexOf(documents);
    const query = "show the bakery on the corner between the church and the river";
    const allow = documentsWhere(index, (id) => !id.startsWith("plain:"));
    expect(rank(index, query, { topK: 1 }).weak).toBe(false);
    expect(rank(index, query, { topK: 1, allow })).toEqual(rank(indexOf(CATALOG), query, { topK: 1 }));
    expect(rank(index, query, { topK: 1, allow }).weak).toBe(true);
  });
});

describe("an ambiguous answer", () => {
  it("is what twins give to any question that finds them first, whichever way round", () => {
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
        const twins = documents.flatMap((document) => [document, { ...document, id: `${document.id}2` }]);
        const [one, other] = [twins, twins.toReversed()].map((all) =>
          rank(indexOf(all, table), query, { topK: 2 }),
        );
        expect(other).toEqual(one);
        const [first, second] = one?.hits ?? [];
        // Two of one name are two, but the id of one is the name of no other.
        const isById = first !== undefined && first.score >= 1;
        expect(isById || second?.score === first?.score).toBe(true);
        expect(isById || one?.ambiguous === (first !== undefined)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("is said of the first two, however few are wanted", () => {
    const index = indexOf(CATALOG);
    for (const query of ["emails", "cancel subscription", "create_issue", "folder", "number", "place"]) {
      const flags = [0, 1, 2, 5, 50].map((topK) => rank(index, query, { topK }).ambiguous);
      expect(new Set(flags).size).toBe(1);
      const [first, second] = rank(index, query, { topK: 2 }).hits;
      expect(flags[0] === true && (second?.score ?? 0) < 0.9 * (first?.score ?? 0)).toBe(false);
    }
  });

  it("is none where one tool alone matches", () => {
    const index = indexOf([plainDocument("glacier"), plainDocument("meadow")]);
    expect(rank(index, "glacier ice", { topK: 5 })).toMatchObject({ total: 1, ambiguous: false });
  });
});
