import { describe, expect, it } from "vitest";
import { mergeNeighbours } from "../../../scripts/neighbours/merge.ts";
import { readGroups, readTranslations } from "../../../scripts/neighbours/word-lists.ts";
import { fold } from "../../../src/routing/text/tokenise.ts";

const likest = (pairs: readonly (readonly [string, number])[] | undefined) => pairs?.map(([word]) => word);

describe("the word lists", () => {
  it("are read line by line, lower-cased and in compatibility form, without comments", () => {
    expect(readGroups("# groups\n\nDelete  remove\nﬁle document\n")).toEqual([
      ["delete", "remove"],
      ["file", "document"],
    ]);
    expect(readTranslations("# german\nDatei: file document\nＡ: b\ndatei: record\n")).toEqual(
      new Map([
        ["datei", ["file", "document", "record"]],
        ["a", ["b"]],
      ]),
    );
  });

  it.each(["no colon", ": file", "two words: file"])(
    "refuse a line that translates no single word: %s",
    (line) => {
      expect(() => readTranslations(line)).toThrow(line);
    },
  );

  it.each([
    ["löschen", "loschen"],
    ["größe", "grosse"],
    ["æble", "aeble"],
    ["άρθρο", "αρθρο"],
    ["文件", "文件"],
    ["हिन्दी", "हिन्दी"],
    ["ガイド", "ガイド"],
  ])("give %s without accents as %s", (word, plain) => {
    expect(fold(word)).toBe(plain);
  });
});

describe("merging", () => {
  const words = ["folders", "file", "red"];
  const none = words.map(() => []);

  it("puts what a person wrote before what vectors say, in one row a stem, cut to the nearest", () => {
    const merged = mergeNeighbours(
      words,
      [[{ word: 1, likeness: 0.7 }], [], []],
      { synonyms: [["folder", "directory", "dir"]], translations: [], derivations: [], everyday: new Map() },
      2,
    );
    expect(merged.get("folders")).toEqual([
      ["dir", 0.8],
      ["directory", 0.8],
    ]);
    expect(merged.get("folder")).toBeUndefined();
    expect(likest(merged.get("dir"))).toEqual(["directory", "folders"]);
  });

  it("makes words of other languages keys, never neighbours, the first meaning likest", () => {
    const translations = [new Map([["datei", ["file", "folder"]]]), new Map([["añadir", ["add"]]])];
    const merged = mergeNeighbours(
      words,
      none,
      { synonyms: [], translations, derivations: [], everyday: new Map() },
      16,
    );
    expect(merged.get("datei")).toEqual([
      ["file", 0.9],
      ["folders", 0.8],
    ]);
    expect(merged.get("añadir")).toEqual([["add", 0.9]]);
    expect(merged.get("anadir")).toEqual([["add", 0.9]]);
    expect(merged.has("file")).toBe(false);
  });

  it("leaves a spelling to the English word, and to the word that has it by right", () => {
    const translations = [
      new Map([
        ["red", ["network"]],
        ["rêd", ["dream"]],
        ["thêm", ["add"]],
        ["año", ["year"]],
        ["ano", ["ring"]],
      ]),
    ];
    const merged = mergeNeighbours(
      words,
      none,
      { synonyms: [], translations, derivations: [], everyday: new Map() },
      16,
    );
    expect(merged.has("red")).toBe(false);
    expect(likest(merged.get("rêd"))).toEqual(["dream"]);
    expect(likest(merged.get("thêm"))).toEqual(["add"]);
    expect(merged.has("them")).toBe(false);
    expect(likest(merged.get("ano"))).toEqual(["ring"]);
  });

  it("makes a word and what is derived from it neighbours both ways, where the table knows both", () => {
    const derivations = [["file", "folder"] as const, ["file", "filing"] as const];
    const merged = mergeNeighbours(
      words,
      none,
      { synonyms: [], translations: [], derivations, everyday: new Map() },
      16,
    );
    expect(merged.get("file")).toEqual([["folders", 0.92]]);
    expect(merged.get("folders")).toEqual([["file", 0.92]]);
    expect(merged.has("filing")).toBe(false);
  });

  it("leads from what people say to the words of tools, the first likest, and not back", () => {
    const everyday = new Map([["stash", ["file", "folder"]]]);
    const merged = mergeNeighbours(
      words,
      none,
      { synonyms: [], translations: [], derivations: [], everyday },
      16,
    );
    expect(merged.get("stash")).toEqual([
      ["file", 0.8],
      ["folders", 0.75],
    ]);
    expect(merged.has("file")).toBe(false);
  });

  it("keeps both meanings of a spelling that English hardly uses", () => {
    const many = [...Array.from({ length: 10_000 }, (_, index) => `w${index}`), "dossier"];
    const merged = mergeNeighbours(
      many,
      many.map((_, index) => (index === 10_000 ? [{ word: 0, likeness: 0.7 }] : [])),
      {
        synonyms: [],
        translations: [new Map([["dossier", ["folder"]]])],
        derivations: [],
        everyday: new Map(),
      },
      16,
    );
    expect(merged.get("dossier")).toEqual([
      ["w0", 0.7],
      ["folder", 0.6],
    ]);
  });
});
