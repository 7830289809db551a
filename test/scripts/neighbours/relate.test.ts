import { describe, expect, it } from "vitest";
import { readDictionary } from "../../../scripts/neighbours/dictionary.ts";
import { joinForms } from "../../../scripts/neighbours/families.ts";
import { nearestWords } from "../../../scripts/neighbours/nearest.ts";
import { relateWords } from "../../../scripts/neighbours/relate.ts";
import { normalise, readVectors, type Vectors } from "../../../scripts/neighbours/vectors.ts";

function vectorsOf(rows: Readonly<Record<string, readonly [number, number]>>): Vectors {
  const words = Object.keys(rows);
  return {
    words,
    dimensions: 2,
    rows: Float32Array.from(Object.values(rows).flatMap((row) => normalise(row))),
  };
}

const at = (degrees: number): [number, number] => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
];
const names = (vectors: Vectors, list: readonly { readonly word: number }[] | undefined) =>
  list?.map(({ word }) => vectors.words[word]);

describe("reading vectors", () => {
  const json = {
    dimensions: 2,
    words: ["the", "folder", "x"],
    vectors: { the: [1, 1, 1.4, 0], folder: [3, 4, 5, 1], x: [0, 0, 0, 2] },
  };

  it("takes the wanted words in order, each vector made of length 1", () => {
    const ranks: number[] = [];
    const vectors = readVectors(json, (word, rank) => (ranks.push(rank), word !== "the"));
    expect(ranks).toEqual([0, 1, 2]);
    expect(vectors.words).toEqual(["folder", "x"]);
    expect([...vectors.rows].map((value) => value.toFixed(3))).toEqual(["0.600", "0.800", "0.000", "0.000"]);
  });

  it("refuses another form of file", () => {
    expect(() => readVectors({}, () => true)).toThrow(TypeError);
    expect(() => readVectors({ ...json, vectors: {} }, () => true)).toThrow("the");
  });
});

describe("joining the forms of a word", () => {
  it("makes one row of forms that are alike, named by the most frequent, and leaves strangers apart", () => {
    const vectors = vectorsOf({ new: at(0), folders: at(90), folder: at(100), news: at(80) });
    const joined = joinForms(vectors, 10, () => false);
    expect(joined.words).toEqual(["new", "folders", "news"]);
    expect(joined.rows[3]).toBeGreaterThan(joined.rows[2] ?? 1);
    expect(Math.hypot(joined.rows[2] ?? 0, joined.rows[3] ?? 0)).toBeCloseTo(1, 5);
  });

  it("makes the most frequent rows alone, and those of needed words", () => {
    const vectors = vectorsOf({ one: at(0), two: at(10), rare: at(20), json: at(30) });
    expect(joinForms(vectors, 2, (word) => word === "json").words).toEqual(["one", "two", "json"]);
  });
});

describe("the nearest words", () => {
  it("are those of the highest cosine among all, nearest first, the word itself left out", () => {
    // More words than fit one block, so that blocks are compared with each other.
    const rows = Array.from({ length: 700 }, (_, index) => [`w${index}`, at(index / 4)] as const);
    const vectors = vectorsOf(Object.fromEntries(rows));
    const nearest = nearestWords(vectors, 3, 0.5);
    expect(names(vectors, nearest[0])).toEqual(["w1", "w2", "w3"]);
    expect(names(vectors, nearest[256])?.slice(0, 2).sort()).toEqual(["w255", "w257"]);
    expect(nearest.every((list) => list.length === 3)).toBe(true);
  });

  it("are none below the least cosine", () => {
    expect(nearestWords(vectorsOf({ a: at(0), b: at(90) }), 3, 0.5)).toEqual([[], []]);
  });
});

describe("relating words", () => {
  const dictionary = readDictionary(
    new Map([
      [
        "v",
        "00000001 40 v 02 hot 0 warm 0 001 ! 00000002 v 0101 | x\n00000002 40 v 01 cold 0 001 ! 00000001 v 0101 | y\n",
      ],
    ]),
  );
  const relate = (vectors: Vectors, most = 8) =>
    relateWords(
      vectors.words,
      nearestWords(vectors, most, 0.35),
      dictionary,
      (left, right) => left.startsWith("day") && right.startsWith("day"),
      { most, least: 0.5 },
    );

  it("drops antonyms, members of one class and forms of the same stem", () => {
    const vectors = vectorsOf({
      hot: at(0),
      cold: at(1),
      dayone: at(2),
      daytwo: at(3),
      sort: at(4),
      sorted: at(5),
    });
    const [hot, cold, one, two, sort] = relate(vectors).map((list) => names(vectors, list));
    expect(hot).not.toContain("cold");
    expect(cold).not.toContain("hot");
    expect(one).not.toContain("daytwo");
    expect(two).toContain("sort");
    expect(sort).not.toContain("sorted");
  });

  it("puts a synonym before a word that is as near", () => {
    const vectors = vectorsOf({ hot: at(0), mild: at(60), warm: at(-60) });
    expect(names(vectors, relate(vectors)[0])?.[0]).toBe("warm");
  });

  it("leaves out a word that does not count this one among its nearest", () => {
    const crowd = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`crowd${index}`, at(index)]));
    const vectors = vectorsOf({ loner: at(50), ...crowd });
    expect(relate(vectors, 3)[0]).toEqual([]);
  });
});
