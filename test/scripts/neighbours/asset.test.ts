import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSources } from "../../../scripts/neighbours/sources.ts";
import { ROUTING_NEIGHBOURS_MAX_BYTES } from "../../../src/limits.ts";
import { openNeighbours } from "../../../src/routing/neighbours/table.ts";
import { stem } from "../../../src/routing/text/stem.ts";

const MOST_NEIGHBOURS = 16;

const bytes = readFileSync(join(import.meta.dirname, "../../../assets/neighbours.bin"));
const opened = openNeighbours(bytes);
if (!opened.ok) throw new Error(opened.reason.kind);
const table = opened.value;
const sources = readSources();

/** The stems of every stem's neighbours, and how many each of its rows has. */
const related = new Map<string, Set<string>>();
const fullRows = new Set<string>();
const stems = table.words.map((word) => stem(word));
for (const [index, key] of stems.entries()) {
  const neighbours = table.neighbours.subarray(table.starts[index], table.starts[index + 1]);
  const names = related.get(key) ?? new Set();
  for (const other of neighbours) names.add(stems[other] ?? "");
  related.set(key, names);
  if (neighbours.length === MOST_NEIGHBOURS) fullRows.add(key);
}
const relates = (word: string, other: string) => related.get(stem(word))?.has(stem(other)) === true;

describe("the committed neighbour table", () => {
  it("fits its budget", () => {
    expect(bytes.length).toBeLessThanOrEqual(ROUTING_NEIGHBOURS_MAX_BYTES);
  });

  it("was made with the word lists as they are: run `npm run neighbours` after changing one", () => {
    expect(Buffer.from(table.digest).toString("hex")).toBe(Buffer.from(sources.digest).toString("hex"));
  });

  it("holds words as the tokenizer gives them, each with 16 different neighbours at most and never itself", () => {
    for (const [index, word] of table.words.entries()) {
      expect(word).toBe(word.normalize("NFKC").toLowerCase());
      expect(word).not.toMatch(/\s/);
      const neighbours = table.neighbours.subarray(table.starts[index], table.starts[index + 1]);
      expect(neighbours.length).toBeLessThanOrEqual(MOST_NEIGHBOURS);
      expect(new Set(neighbours).size).toBe(neighbours.length);
      expect([...neighbours].some((other) => stems[other] === stems[index])).toBe(false);
    }
  });

  it("names English words alone as neighbours", () => {
    for (const other of new Set(table.neighbours)) expect(table.words[other]).toMatch(/^[\d a-z+#.-]+$/);
  });

  it("has every pair of every group of synonyms", () => {
    // A word of many groups keeps its nearest sixteen.
    const missing = sources.synonyms.flatMap((group) =>
      group
        .filter((word) => !fullRows.has(stem(word)))
        .flatMap((word) =>
          group
            .filter((other) => stem(other) !== stem(word) && !relates(word, other))
            .map((other) => `${word} ${other}`),
        ),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    ["delete", "remove"],
    ["folder", "directory"],
    ["weather", "forecast"],
    ["movie", "film"],
    ["datei", "file"],
    ["archivo", "file"],
    ["文件", "file"],
    ["ファイル", "file"],
    ["löschen", "delete"],
    ["loschen", "delete"],
  ])("knows that %s may mean %s", (word, other) => {
    expect(relates(word, other)).toBe(true);
  });

  it.each([
    ["spring", "winter"],
    ["two", "three"],
    ["red", "blue"],
    ["north", "south"],
    ["buy", "sell"],
    ["upload", "download"],
    ["dollar", "euro"],
    ["parent", "child"],
    ["issue", "weather"],
  ])("does not take %s for %s, nor the reverse", (word, other) => {
    expect(related.has(stem(word)) && related.has(stem(other))).toBe(true);
    expect(relates(word, other) || relates(other, word)).toBe(false);
  });
});
