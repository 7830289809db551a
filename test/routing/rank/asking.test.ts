import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_QUERY_MAX_TERMS } from "../../../src/limits.ts";
import { askingOf } from "../../../src/routing/rank/asking.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import { anyText, indexOf, plainDocument } from "../support.ts";

const kindsOf = (sentences: readonly string[]) => sentences.map((sentence) => askingOf(sentence, false));

describe("a sentence by its form", () => {
  it("asks where it orders, questions or requests, behind whatever stands before", () => {
    const asking = [
      "Close the issue",
      "then quickly convert the report",
      "reply to whoever wrote first",
      "I need the invoices of March",
      "We'd like to see the log",
      "The report is old, please make it again",
      "Could you look up the weather",
      "let's merge it",
      "which invoices are overdue",
      "For the top one, read its page",
      "Send the files that are in the folder",
    ];
    expect(kindsOf(asking)).toEqual(asking.map(() => "asks"));
    expect(askingOf("Our invoice", true)).toBe("asks");
  });

  it("states where it tells of somebody or something", () => {
    const stating = [
      "I closed the issue",
      "Honestly my report was late",
      "The files are in the folder",
      "Traffic was terrible",
      "What a week it has been",
      "Last week we merged everything",
      "On Thursdays nobody reads email",
    ];
    expect(kindsOf(stating)).toEqual(stating.map(() => "states"));
  });

  it("is open where neither shows, and in every other language", () => {
    const open = ["unresolved tickets", "", "東京の天気", "Alle Ordner auflisten", "in the folder", "!"];
    expect(kindsOf(open)).toEqual(open.map(() => "open"));
  });

  it("is told for any text", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, isQuestion) => {
        expect(["asks", "open", "states"]).toContain(askingOf(text, isQuestion));
      }),
    );
  });
});

const NOUNS = ["invoice", "ticket", "calendar", "photo", "recipe", "playlist", "contract", "garden"];
const index = indexOf(NOUNS.map((noun) => plainDocument(`archive_${noun}`)));
const nouns = fc.shuffledSubarray(NOUNS, { minLength: 2, maxLength: 5 });

describe("a query of several sentences", () => {
  it("finds what is ordered before what is only told of, wherever the order stands", () => {
    fc.assert(
      fc.property(nouns, fc.nat({ max: 5 }), ([asked = "", ...told], at) => {
        const story = told.map((noun) => `My sister has an archive ${noun}.`);
        const query = story.toSpliced(at, 0, `Archive the ${asked}.`).join(" ");
        expect(rank(index, query, { topK: 1 }).hits[0]?.id).toBe(`plain:archive_${asked}#00000000`);
      }),
    );
  });

  it("scores as ever where all its sentences are of one kind", () => {
    fc.assert(
      fc.property(nouns, (chosen) => {
        const weightsOf = (before: string) =>
          readQuery(chosen.map((noun) => `${before} ${noun}.`).join(" ")).map(({ weight }) => weight);
        for (const before of ["Archive the", "We archived the", "archived"]) {
          expect(weightsOf(before)).toEqual(chosen.map(() => 1));
        }
      }),
    );
  });

  it("has words left for the order behind a story of any length", () => {
    const story = Array.from({ length: 2 * ROUTING_QUERY_MAX_TERMS }, (_, at) => `My aunt${at} w${at}.`);
    const query = `${story.join(" ").slice(0, 4_000)}. Archive the recipe.`;
    expect(rank(index, query, { topK: 1 }).hits[0]?.id).toBe("plain:archive_recipe#00000000");
  });
});
