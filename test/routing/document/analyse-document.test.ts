import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ROUTING_DESCRIPTION_MAX_TOKENS,
  ROUTING_LEAD_MAX_CHARS,
  ROUTING_NAME_MAX_CHARS,
  ROUTING_NAME_MAX_TOKENS,
  ROUTING_PARAMETERS_MAX_TOKENS,
} from "../../../src/limits.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import {
  analyseDocument,
  readFields,
  type RoutingDocument,
} from "../../../src/routing/document/analyse-document.ts";
import { nameShareOf, occurrencesOf } from "../../../src/routing/document/posting-weight.ts";
import { anyDocuments, plainDocument, tangledDocuments } from "../support.ts";

function weightsOf(document: RoutingDocument): ReadonlyMap<string, number> {
  const { terms, weights } = analyseDocument(document);
  return new Map(terms.map((term, at) => [term, weights[at] ?? 0]));
}

const pairsOf = (document: RoutingDocument): string[] =>
  analyseDocument(document).terms.filter((term) => term.startsWith(" "));

describe("a document's terms", () => {
  it("stand in code point order, each once, with a weight of sixteen bits", () => {
    fc.assert(
      fc.property(fc.oneof(anyDocuments, tangledDocuments), (documents) => {
        for (const { terms, weights } of documents.map(analyseDocument)) {
          expect(terms).toEqual([...new Set(terms)].sort(compareCodePoints));
          expect(weights).toHaveLength(terms.length);
          expect(weights.every((weight) => Number.isInteger(weight) && weight > 0 && weight <= 0xff_ff)).toBe(
            true,
          );
        }
      }),
    );
  });

  it("are those of its fields, and weigh what these give, the heaviest of a pair", () => {
    fc.assert(
      fc.property(fc.oneof(anyDocuments, tangledDocuments), (documents) => {
        for (const document of documents) {
          const weights = weightsOf(document);
          const sums = new Map<string, number>();
          for (const counts of readFields(document).values()) {
            for (const [term, count] of counts) {
              const before = sums.get(term) ?? 0;
              sums.set(term, term.startsWith(" ") ? Math.max(before, count) : before + count);
            }
          }
          expect([...sums.keys()].sort(compareCodePoints)).toEqual([...weights.keys()]);
          for (const [term, weight] of weights) {
            expect(occurrencesOf(weight)).toBeCloseTo(
              Math.min(16.382, Math.max(0.002, sums.get(term) ?? 0)),
              2,
            );
          }
        }
      }),
    );
  });

  it("know their share of the name, each form of a word alike, function words where there is nothing else", () => {
    const share = (name: string, term: string): number =>
      nameShareOf(weightsOf(plainDocument(name, "issue")).get(term) ?? 0);
    expect(share("create_issue", "issu")).toBe(1 / 2);
    expect(share("create_issue", "creat")).toBe(1 / 2);
    expect(share("issue_the_issue", "issu")).toBe(1);
    expect(share("book_café", "cafe")).toBe(1 / 2);
    expect(share("createIssue", "createissu")).toBe(1 / 2);
    expect(share("a_b_c_d_e_f_g_h_i_j_k", "k")).toBe(1 / 7);
    expect(share("to_do", "to")).toBe(1);
    expect(share("nothing", "issu")).toBe(0);
  });
});

describe("pairs of words side by side", () => {
  it("are read from names, titles and first sentences, over function words", () => {
    const document = {
      ...plainDocument("close_issue", "Open the ticket of a project. Never quit early."),
      title: "Shut bug",
      parameterNames: ["first_word"],
      parameterDescriptions: ["second thing"],
      server: "two words",
    };
    expect(pairsOf(document)).toEqual([" clos issu", " open ticket", " shut bug", " ticket project"]);
  });

  it("join no two texts, and no name with what is written of it", () => {
    const document = { ...plainDocument("alpha", "beta. gamma"), title: "delta", parameterNames: ["x", "y"] };
    expect(pairsOf(document)).toEqual([]);
  });

  it("have no identifier whole, and nothing of a script without spaces", () => {
    const pairs = [" creat issu", " git hub", " hub page", " use git"];
    expect(pairsOf(plainDocument("createIssue", "Uses GitHub pages."))).toEqual(pairs);
    expect(pairsOf(plainDocument("a", "東京の天気 weather 電車 trains"))).toEqual([]);
  });

  it("are no words: no word of any text begins as they do", () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        for (const document of documents) {
          for (const pair of pairsOf(document)) expect(pair.split(" ")).toHaveLength(3);
        }
      }),
    );
  });
});

describe("hostile texts", () => {
  const words = Array.from({ length: 150_000 }, (_, at) => `w${at.toString(36)}`);
  const megabyte = words.join(" ");
  const FIELD_TERMS =
    2 *
    (2 * ROUTING_NAME_MAX_TOKENS + 2 * ROUTING_DESCRIPTION_MAX_TOKENS + 2 * ROUTING_PARAMETERS_MAX_TOKENS);
  const MOST_PAIRS = ROUTING_LEAD_MAX_CHARS + 2 * ROUTING_NAME_MAX_CHARS;

  it.each<readonly [string, Partial<RoutingDocument>]>([
    ["a description", { description: megabyte }],
    ["a description without a full stop or a space", { description: words.join("_") }],
    ["a description that is one word", { description: "q".repeat(1 << 20) }],
    ["a description of accents", { description: "á é ".repeat(1 << 18) }],
    ["a description of full stops", { description: ". ".repeat(1 << 19) }],
    ["a description of line ends", { description: "\n \n".repeat(1 << 18) }],
    ["a description without spaces", { description: "東京都".repeat(1 << 18) }],
    ["a name", { name: megabyte }],
    ["a title", { title: megabyte }],
    ["parameters", { parameterNames: words, parameterDescriptions: words }],
    ["a server", { server: megabyte }],
    [
      "all of them",
      { description: megabyte, name: megabyte, title: megabyte, parameterNames: words, server: megabyte },
    ],
  ])("of a megabyte buy no more terms than long ones: %s", (_, fields) => {
    const document = { ...plainDocument("tool"), ...fields };
    const { terms } = analyseDocument(document);
    expect(terms.length).toBeLessThanOrEqual(FIELD_TERMS);
    expect(pairsOf(document).length).toBeLessThanOrEqual(MOST_PAIRS);
  });
});
