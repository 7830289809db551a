import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordsInRun } from "../../../src/routing/neighbours/runs.ts";

const among = (...words: string[]) => {
  const known = new Set(words);
  return (word: string) => known.has(word);
};

describe("the words in a run without spaces", () => {
  it("are the longest known from the left, and do not overlap", () => {
    expect(wordsInRun("删除文件夹", among("删除", "文件", "文件夹", "夹"), 3)).toEqual(["删除", "文件夹"]);
    expect(wordsInRun("ファイルを削除", among("ファイル", "削除", "イル"), 4)).toEqual(["ファイル", "削除"]);
    expect(wordsInRun("文件夹", among("文件夹", "文件"), 2)).toEqual(["文件"]);
    expect(wordsInRun("文件", among(), 8)).toEqual([]);
    expect(wordsInRun("", among(""), 8)).toEqual([]);
  });

  it("stand in the run in order, are known and no longer than asked for, and the work is bounded", () => {
    const run = fc.string({ unit: fc.constantFrom("文", "件", "夹", "𠮷", "\ud842"), maxLength: 40 });
    fc.assert(
      fc.property(run, fc.uniqueArray(run), fc.nat(8), (run, words, maxChars) => {
        const known = among(...words);
        let asked = 0;
        const found = wordsInRun(run, (word) => ((asked += 1), known(word)), maxChars);
        let at = 0;
        for (const word of found) {
          const position = run.indexOf(word, at);
          expect(known(word) && word.length <= maxChars && position >= at).toBe(true);
          at = position + word.length;
        }
        expect(asked).toBeLessThanOrEqual(run.length * maxChars);
      }),
    );
  });
});
