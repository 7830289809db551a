import { describe, expect, it } from "vitest";
import { readDictionary } from "../../../scripts/neighbours/dictionary.ts";

/** A few synsets in the database's own form: offset, file, type, words, pointers, gloss. */
const NOUNS = `  1 a line of the licence
00000001 06 n 01 container 0 000 | holds things
00000002 06 n 02 folder 0 directory 0 001 @ 00000001 n 0000 | for files
00000003 06 n 01 box 0 001 @ 00000001 n 0000 | of wood
00000004 18 n 02 Clinton 0 Bill_Clinton 0 001 @i 00000005 n 0000 | a name
00000005 18 n 01 president 0 000 | an office
`;
const VERBS = `00000001 40 v 02 buy 0 purchase 0 001 ! 00000002 v 0101 01 + 08 00 | get by paying
00000002 40 v 02 sell 0 vend 0 001 ! 00000001 v 0101 01 + 08 00 | give for money
`;
const ADJECTIVES = `00000001 00 a 01 quick 0 000 | fast
00000002 00 s 01 speedy(p) 0 001 & 00000001 a 0000 | quick
`;
const dictionary = readDictionary(
  new Map([
    ["n", NOUNS],
    ["v", VERBS],
    ["a", ADJECTIVES],
  ]),
);

describe("the dictionary", () => {
  it("knows words and their regular forms, and tells names from words", () => {
    for (const word of ["folder", "folders", "boxes", "buying", "directories", "purchased"]) {
      expect(dictionary.isCommon(word)).toBe(true);
    }
    expect(dictionary.isCommon("clinton")).toBe(false);
    expect(dictionary.isName("clinton")).toBe(true);
    expect(dictionary.isName("folder")).toBe(false);
    expect(dictionary.isName("unheard")).toBe(false);
    expect(dictionary.isCommon("__proto__")).toBe(false);
  });

  it("joins antonyms by the very words that a pointer names, in any form", () => {
    expect(dictionary.areAntonyms("buy", "sell")).toBe(true);
    expect(dictionary.areAntonyms("selling", "buys")).toBe(true);
    expect(dictionary.areAntonyms("purchase", "vend")).toBe(false);
  });

  it("tells how two words are related", () => {
    expect(dictionary.relationOf("folders", "directory")).toBe("synonyms");
    expect(dictionary.relationOf("box", "container")).toBe("kind");
    expect(dictionary.relationOf("container", "folder")).toBe("kind");
    expect(dictionary.relationOf("box", "folder")).toBe("siblings");
    expect(dictionary.relationOf("quick", "speedy")).toBe("kind");
    expect(dictionary.relationOf("box", "buy")).toBe("none");
    expect(dictionary.relationOf("unheard", "unheard")).toBe("none");
  });
});
