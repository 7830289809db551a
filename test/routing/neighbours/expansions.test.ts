import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../../src/code-points.ts";
import { type Expansions, intersectNeighbours } from "../../../src/routing/neighbours/expansions.ts";
import { stem } from "../../../src/routing/text/stem.ts";
import { anyTable as tables, anyVocabulary as vocabularies, type Rows, tableOf } from "./tables.ts";

/** What each key expands to, by the term's name. */
function named(expansions: Expansions, vocabulary: readonly string[]): Record<string, [string, number][]> {
  return Object.fromEntries(
    expansions.keys.map((key, index) => {
      const [start, end] = [expansions.starts[index] ?? 0, expansions.starts[index + 1] ?? 0];
      return [
        key,
        Array.from({ length: end - start }, (_, at): [string, number] => [
          vocabulary[expansions.terms[start + at] ?? -1] ?? "outside",
          expansions.likeness[start + at] ?? 0,
        ]),
      ];
    }),
  );
}

const expand = (table: ReturnType<typeof tableOf>, vocabulary: readonly string[]) =>
  named(intersectNeighbours(table, vocabulary), vocabulary);

describe("the expansions of a catalog", () => {
  const table = tableOf({
    delete: [
      ["remove", 1],
      ["erase", 0.6],
    ],
    deleting: [
      ["erase", 0.8],
      ["deletion", 1],
    ],
    folder: [["directories", 0.8]],
    datei: [["file", 0.9]],
    文件: [
      ["file", 0.9],
      ["documents", 0.8],
    ],
  });

  it("hold the stems of neighbours that the vocabulary has, under stemmed keys, likest first", () => {
    const vocabulary = ["delet", "directory", "document", "eras", "file", "remov"];
    expect(expand(table, vocabulary)).toEqual({
      datei: [["file", 231]],
      delet: [
        ["remov", 255],
        ["eras", 202],
      ],
      folder: [["directory", 202]],
      文件: [
        ["file", 231],
        ["document", 202],
      ],
    });
  });

  it("hold no key without a neighbour in the vocabulary", () => {
    expect(expand(table, ["remov"])).toEqual({ delet: [["remov", 255]] });
    expect(intersectNeighbours(table, [])).toMatchObject({ keys: [], starts: new Uint32Array(1) });
  });

  it("take names of the language for words", () => {
    const rows: Rows = Object.fromEntries([
      ["__proto__", [["constructor", 1]]],
      ["toString", [["__proto__", 1]]],
    ]);
    const table = tableOf(rows);
    const { keys } = intersectNeighbours(table, ["__proto__", "constructor"]);
    expect(keys).toEqual(["__proto__", "toString"]);
  });
});

describe("for any table and vocabulary", () => {
  it("a part of the vocabulary expands to that part of what the whole expands to", () => {
    fc.assert(
      fc.property(tables, vocabularies, fc.infiniteStream(fc.boolean()), (table, whole, kept) => {
        const part = whole.filter(() => kept.next().value === true);
        const inPart = new Set(part);
        const restricted = Object.entries(expand(table, whole))
          .map(([key, list]) => [key, list.filter(([term]) => inPart.has(term))] as const)
          .filter(([, list]) => list.length > 0);
        expect(expand(table, part)).toEqual(Object.fromEntries(restricted));
      }),
    );
  });

  it("keys are in code point order, each once; a key's terms are others than itself, each once, by likeness", () => {
    fc.assert(
      fc.property(tables, vocabularies, (table, vocabulary) => {
        const expansions = intersectNeighbours(table, vocabulary);
        expect(expansions.keys).toEqual([...new Set(expansions.keys)].sort(compareCodePoints));
        expect(expansions.starts.at(-1)).toBe(expansions.terms.length);
        for (const [key, list] of Object.entries(named(expansions, vocabulary))) {
          const terms = list.map(([term]) => term);
          expect(terms.length).toBeGreaterThan(0);
          expect(new Set(terms).size).toBe(terms.length);
          expect(terms).not.toContain(key);
          expect(terms).not.toContain("outside");
          const likeness = list.map(([, value]) => value);
          expect(likeness).toEqual([...likeness].sort((left, right) => right - left));
          expect(likeness.every((value) => value >= 1)).toBe(true);
        }
      }),
    );
  });

  it("words of one stem give each term its highest likeness", () => {
    fc.assert(
      fc.property(tables, vocabularies, (table, vocabulary) => {
        const highest = new Map<string, number>();
        for (const [index, word] of table.words.entries()) {
          for (let at = table.starts[index] ?? 0; at < (table.starts[index + 1] ?? 0); at += 1) {
            const pair = `${stem(word)} ${stem(table.words[table.neighbours[at] ?? 0] ?? "")}`;
            highest.set(pair, Math.max(highest.get(pair) ?? 0, table.likeness[at] ?? 0));
          }
        }
        for (const [key, list] of Object.entries(expand(table, vocabulary))) {
          for (const [term, likeness] of list) expect(likeness).toBe(highest.get(`${key} ${term}`));
        }
      }),
    );
  });
});
