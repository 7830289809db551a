import { describe, expect, it } from "vitest";
import { isLightWord } from "../../../src/routing/text/light-words.ts";
import { stem } from "../../../src/routing/text/stem.ts";
import { isStopWord } from "../../../src/routing/text/stop-words.ts";

describe("words that say little", () => {
  it("are known in every form that stems alike", () => {
    for (const word of [
      "get",
      "gets",
      "getting",
      "take",
      "takes",
      "taking",
      "several",
      "things",
      "possible",
    ]) {
      expect([word, isLightWord(stem(word))]).toEqual([word, true]);
    }
  });

  it("are not those that tools do things with or to", () => {
    const telling =
      "create delete search list send read write update file issue message user query report weather";
    for (const word of telling.split(" ")) expect([word, isLightWord(stem(word))]).toEqual([word, false]);
    for (const word of ["__proto__", "constructor", "", "get ", "GET"]) expect(isLightWord(word)).toBe(false);
  });

  it("are looked up, where function words are not", () => {
    for (const word of ["the", "of", "and", "please"]) expect(isStopWord(word)).toBe(true);
    for (const word of ["get", "last", "between", "who"]) expect(isStopWord(word)).toBe(false);
  });
});
