import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { thingsOf } from "../../../src/routing/rank/things.ts";
import { stem } from "../../../src/routing/text/stem.ts";
import { anyText } from "../support.ts";

const namedIn = (sentence: string): string[] => [...thingsOf(sentence)].sort();
const stems = (words: string): string[] => words.split(" ").map(stem).sort();

describe("the things that a sentence names", () => {
  it("stand behind an article, a preposition, a possessive, a quantity or an order", () => {
    expect(namedIn("water the roses behind my neighbour's fence with two buckets")).toEqual(
      stems("roses neighbour fence buckets"),
    );
    expect(namedIn("send parcels to a warehouse")).toEqual(stems("parcels warehouse"));
    expect(namedIn("compare tyre prices in the city and book the cheapest garage")).toEqual(
      stems("tyre prices city cheapest garage"),
    );
  });

  it("are no verbs, adverbs or pronouns, and no times", () => {
    expect(namedIn("please carefully check whether it slowly dries")).toEqual([]);
    expect(namedIn("I will be there in the morning, two hours after everybody else")).toEqual([]);
    expect(namedIn("to open and to close and then delete it is what we do")).toEqual([]);
  });

  it("are no names that somebody gave, quotations, paths or identifiers", () => {
    expect(namedIn("open the page called sunrise and the one titled dusk")).toEqual(stems("page"));
    expect(namedIn("wait for 'the green light' on the “big red panel”")).toEqual([]);
    expect(namedIn("copy the report.txt to /var/log for Amanda with the parseDuration of #12")).toEqual([]);
  });

  it("are those of English alone", () => {
    expect(namedIn("die Rosen hinter dem Zaun")).toEqual([]);
    expect(namedIn("la liste des fichiers du répertoire")).toEqual([]);
    expect(namedIn("東京の天気 in the city")).toEqual([]);
    expect(namedIn("unresolved tickets")).toEqual([]);
  });

  it("are words of the sentence, whatever it is, and the same in other spacing", () => {
    const sentence = fc.array(
      fc.oneof(
        anyText,
        fc.constantFrom("the", "of", "and", "roses", "water", "aren't", "'", "-", "well-known"),
      ),
      { maxLength: 12 },
    );
    const quoting = (length: number): string => `the roses 'the ${"water ".repeat(length)}'`;
    for (const length of [12, 13])
      expect(thingsOf(quoting(length).replaceAll(" ", "  "))).toEqual(thingsOf(quoting(length)));
    let named = 0;
    fc.assert(
      fc.property(sentence, (pieces) => {
        const text = pieces.join(" ");
        const things = thingsOf(text);
        named += things.size;
        const words = new Set((text.toLowerCase().match(/[a-z]+/g) ?? []).map(stem));
        expect([...things].filter((thing) => !words.has(thing))).toEqual([]);
        expect(thingsOf(`  ${text.replaceAll(" ", "  ")} `)).toEqual(things);
      }),
      { numRuns: 500 },
    );
    expect(named).toBeGreaterThan(100);
  });
});
