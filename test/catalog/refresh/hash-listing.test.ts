import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { digestLists, hashListing } from "../../../src/catalog/refresh/hash-listing.ts";
import { listedEntry, type ListedEntry } from "../../../src/catalog/refresh/listed-entry.ts";
import { DEFINITIONS_HASHED_AT_ONCE_COUNT, LISTING_STRETCH_MAX_CHARS } from "../../../src/limits.ts";
import { tool } from "../../support/catalog/rig.ts";

const idle = async () => undefined;
const texts = fc.array(fc.constantFrom("", "1", "11", "{}", "1\n1", "2,1"), { maxLength: 4 });

describe("a digest of lists", () => {
  it("is the same for the same entries in the same order, and for nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 3 }), fc.array(texts, { maxLength: 3 }), async (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b);
        expect((await digestLists(a, idle)) === (await digestLists(b, idle))).toBe(same);
      }),
      {
        numRuns: 500,
        examples: [
          [[["1", "11"]], [["11", "1"]]],
          [
            [["1"], []],
            [[], ["1"]],
          ],
        ],
      },
    );
  });

  it("is none where an entry has no text, wherever it stands", async () => {
    const many: ListedEntry[] = Array.from({ length: 2 * DEFINITIONS_HASHED_AT_ONCE_COUNT }, (_, at) =>
      listedEntry(tool(`t${at}`)),
    );
    const deep = listedEntry({ name: "deep", x: Number.NaN });
    expect(typeof deep).not.toBe("string");
    for (const at of [0, 300, many.length - 1])
      expect(await digestLists([many.with(at, deep)], idle)).toBe("");
  });

  it("takes a hash a stretch, where the entries by themselves take one each, and leaves the lists as they are", async () => {
    const entries = Array.from(
      { length: 3 * DEFINITIONS_HASHED_AT_ONCE_COUNT },
      (_, at) => `{"name":"t${at}"}`,
    );
    const digest = vi.spyOn(crypto.subtle, "digest");
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    await digestLists([entries], pause);
    expect([digest.mock.calls.length, pauses]).toEqual([3, 2]);
    expect(entries).toHaveLength(3 * DEFINITIONS_HASHED_AT_ONCE_COUNT);
    digest.mockClear();
    // Large texts are hashed apart, few at a time.
    const large = Array.from({ length: 5 }, () => "x".repeat(LISTING_STRETCH_MAX_CHARS / 2));
    await digestLists([large, ["x".repeat(2 * LISTING_STRETCH_MAX_CHARS)]], idle);
    expect(digest).toHaveBeenCalledTimes(3 + 1);
    digest.mockClear();
    await hashListing(entries, () => true, idle);
    expect(digest).toHaveBeenCalledTimes(3 * DEFINITIONS_HASHED_AT_ONCE_COUNT);
    digest.mockRestore();
  });
});
