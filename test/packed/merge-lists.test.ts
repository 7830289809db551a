import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Lists, NO_LISTS, openLists } from "../../src/packed/lists.ts";
import { Collected, type MergedLists, mergeLists } from "../../src/packed/merge-lists.ts";
import { numbersOf } from "../../src/packed/numbers.ts";

/** A document by its number for ever, and the weight of each of its keys. */
interface Document {
  readonly name: number;
  readonly keys: Readonly<Record<string, number>>;
}

const KEYS = ["", "a", "aa", "b", "é", "\u{1F600}", "\u{D800}", "zz"];
const documents = fc
  .uniqueArray(
    fc.record({
      name: fc.nat({ max: 40 }),
      keys: fc.dictionary(fc.constantFrom(...KEYS), fc.nat({ max: 70_000 }), { maxKeys: 4 }),
    }),
    { selector: ({ name }) => name, maxLength: 12 },
  )
  .map((all): Document[] => [...all].sort((left, right) => left.name - right.name));

function collect(all: readonly Document[], isNew: (document: Document) => boolean): Collected {
  const collected = new Collected();
  for (const [place, document] of all.entries()) {
    if (!isNew(document)) continue;
    for (const [key, weight] of Object.entries(document.keys)) collected.add(key, place, weight);
  }
  return collected;
}

/** As the platform gives it: a section begins where a number may. */
const aligned = (section: Uint8Array) => section.slice();

function opened({ sections, weights }: MergedLists, count: number): Lists & { weights: ArrayLike<number> } {
  const lists = openLists(sections.map(aligned), 0, count);
  const numbers = numbersOf(aligned(weights), 2);
  if (lists === undefined || numbers === undefined) throw new Error("not lists");
  return { ...lists, weights: numbers };
}

describe("lists that documents come to and go from", () => {
  it("are, to the byte, those of a start from nothing, and say where each key has gone", () => {
    fc.assert(
      fc.property(documents, documents, (before, changed) => {
        // Of those that both have, some are as they were.
        const old = new Map(before.map((document) => [document.name, document]));
        const after = changed.map((document) =>
          document.name % 3 === 0 ? document : (old.get(document.name) ?? document),
        );
        const stays = (document: Document): boolean => old.get(document.name) === document;
        const first = mergeLists(
          NO_LISTS,
          new Int32Array(),
          collect(before, () => true),
          before.length,
        );
        const lists = opened(first, before.length);
        const moved = Int32Array.from(before, (document) => after.indexOf(document));
        const merged = mergeLists(
          lists,
          moved,
          collect(after, (document) => !stays(document)),
          after.length,
        );
        const anew = mergeLists(
          NO_LISTS,
          new Int32Array(),
          collect(after, () => true),
          after.length,
        );
        expect(merged.sections).toEqual(anew.sections);
        expect(merged.weights).toEqual(anew.weights);
        const { keys } = opened(merged, after.length);
        const were = Array.from({ length: lists.keys.count }, (_, at) => lists.keys.text(at));
        expect([...merged.keys.moved]).toEqual(were.map((key) => keys.find(key)));
        expect(merged.keys.count).toBe(keys.count);
        const added = Array.from({ length: keys.count }, (_, place) => ({ key: keys.text(place), place }));
        expect(merged.keys.added).toEqual(added.filter(({ key }) => !were.includes(key)));
      }),
      { numRuns: 1000 },
    );
  });
});
