import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evidenceFor } from "../../../src/routing/rank/evidence.ts";
import { postingIn, postingsOf } from "../../../src/routing/rank/postings.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { resolveQuery } from "../../../src/routing/rank/resolve.ts";
import { indexOf, maybeTable, plainDocument, tangledDocuments, tangledQuery } from "../support.ts";

describe("evidence", () => {
  it("is there for a document that has a word of the query, and for no other", () => {
    fc.assert(
      fc.property(tangledDocuments, tangledQuery, maybeTable, (documents, query, table) => {
        const index = indexOf(documents, table);
        const sentences = resolveQuery(index, readQuery(query), undefined);
        for (let document = 0; document < index.documentCount; document += 1) {
          const { nats, share, missed } = evidenceFor(index, sentences, document);
          const lists = sentences.flatMap(({ words }) =>
            words.flatMap(({ variants }) => variants.map(({ postings }) => postings)),
          );
          const has = lists.some(({ from, to }) =>
            Array.from({ length: to - from }, (_, at) => index.documents[from + at]).includes(document),
          );
          expect([nats > 0, share > 0]).toEqual([has, has]);
          expect(share).toBeLessThanOrEqual(1);
          expect([...missed.values()].every((lack) => lack > 0 && lack <= 1)).toBe(true);
        }
      }),
    );
  });

  it("is taken from the sentence that gives most by its weight, and lacks the things of that one alone", () => {
    const index = indexOf([plainDocument("send_letter", "Sends a letter to a customer.")]);
    const query = "send the letter to the customer with a stamp. The lighthouse on the island is closed";
    const { missed, share } = evidenceFor(index, resolveQuery(index, readQuery(query), undefined), 0);
    expect([...missed]).toEqual([["stamp", 1]]);
    expect(share).toBeGreaterThan(0.2);
  });
});

describe("a document's place among postings", () => {
  it("is where it stands, and -1 where it does not", () => {
    fc.assert(
      fc.property(tangledDocuments, (documents) => {
        const index = indexOf(documents);
        for (let term = 0; term < index.termCount; term += 1) {
          const postings = postingsOf(index, index.term(term), undefined);
          if (postings === undefined) throw new Error("a term of the index has postings");
          for (let document = 0; document < index.documentCount; document += 1) {
            const all = Array.from(index.documents).slice(postings.from, postings.to);
            const place = all.indexOf(document);
            expect(postingIn(index, postings, document)).toBe(place < 0 ? -1 : postings.from + place);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
