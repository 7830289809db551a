import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entryName, listedDescription } from "../../../src/catalog/cards/listed-description.ts";
import { compactListedName, listedName } from "../../../src/identity/listed-name.ts";
import { LISTED_ENTRY_MAX_TOKENS } from "../../../src/limits.ts";
import { formatToolId } from "../../../src/identity/tool-id.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";
import { over } from "../../identity/arbitraries.ts";

const counter = committedCounter();
const tokensOf = (name: string, id: string, description: string) =>
  counter.count(JSON.stringify({ name, title: id, description, inputSchema: { type: "object" } }));
const ID = "github:create_issue#aea9ce2a";
const described = (id: string, description: string) =>
  listedDescription(entryName(id, counter), id, description, counter);
/** What an entry has beside its id at most: its form, a compact name and an ellipsis, and what the id's ends are joined to. */
const BESIDE_THE_ID_TOKENS = 40;

/** Ids of all lengths up to the longest, of words and of characters that tokens seldom have side by side. */
const texts = (alphabet: string, maxLength: number) =>
  fc.integer({ min: 1, max: maxLength }).chain((length) => over(alphabet, length, length));
const ids = fc
  .record({
    namespace: fc.oneof(texts("abcdefgh", 63), texts("kqzx0_-", 63)).map((rest) => `a${rest}`),
    name: fc.oneof(texts("abcdefgh_", 127), texts("ZqXj0v.W_9-", 127)).map((rest) => `Q${rest}`),
    version: fc.option(texts("q1.X-_", 32)),
    hash8: over("0123456789abcdef", 8, 8),
  })
  .map((parts) => {
    const id = formatToolId(parts);
    if (!id.ok) throw new Error(id.reason);
    return id.value;
  });

describe("the description of a stripped entry", () => {
  it("is the whole one where the entry has room for it", () => {
    expect(described(ID, "Opens an issue.")).toBe("Opens an issue.");
    expect(described(ID, " Two\nlines. ")).toBe("Two lines.");
  });

  it("ends with a sentence where one fits, else with an ellipsis", () => {
    const long = "in a repository of an organisation that one may write to ".repeat(9);
    expect(described(ID, `Opens an issue. It does so ${long}.`)).toBe("Opens an issue.");
    expect(described(ID, `Opens an issue ${long}`)).toMatch(/^Opens an issue in .*…$/);
  });

  it("is an ellipsis where the names leave no room", () => {
    const id = `${"n".repeat(64)}:${"q1w2x7".repeat(21)}#aea9ce2a`;
    expect(described(id, "Opens an issue.")).toBe("…");
  });

  it("keeps the entry within its tokens, whatever the description is, and is the same each time", () => {
    const words = fc.array(
      fc.constantFrom(
        '"quoted"',
        "\\",
        "a word.",
        "日本語",
        "<|endoftext|>",
        "\u{D800}",
        "👩‍👩‍👧",
        "tab\there",
        "x".repeat(90),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(words, (parts) => {
        const description = parts.join(" ");
        const listed = described(ID, description);
        expect(tokensOf(listedName(ID), ID, listed)).toBeLessThanOrEqual(LISTED_ENTRY_MAX_TOKENS);
        expect(described(ID, description)).toBe(listed);
      }),
      { numRuns: 15 },
    );
  });
});

describe("the name of a stripped entry", () => {
  it("is the listed name wherever the entry has room for it", () => {
    expect(entryName(ID, counter)).toBe(listedName(ID));
    const long = `filesystem:read_${"very_".repeat(12)}long#00000000`;
    expect(entryName(long, counter)).toBe(listedName(long));
  });

  it("is a compact one where it has none, which leaves the description what the id does not take", () => {
    const id = "kube-prod:q1w2x7k3j9v5z8r4t6y0pq2#aea9ce2a";
    expect(tokensOf(listedName(id), id, "…")).toBeGreaterThan(LISTED_ENTRY_MAX_TOKENS);
    expect(entryName(id, counter)).toBe(compactListedName(id));
    expect(described(id, `Opens ${"an issue ".repeat(40)}`)).toMatch(/^Opens an issue/);
  });

  it("keeps the entry within 80 tokens, or within 40 beside its id's where that alone takes more", () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(ids, (id) => {
        const name = entryName(id, counter);
        const tokens = tokensOf(name, id, described(id, "Opens an issue."));
        const most = Math.max(LISTED_ENTRY_MAX_TOKENS, counter.count(id) + BESIDE_THE_ID_TOKENS);
        expect(tokens).toBeLessThanOrEqual(most);
        // What fits under its listed name keeps it.
        const fits = tokensOf(listedName(id), id, "…") <= LISTED_ENTRY_MAX_TOKENS;
        expect(name).toBe(fits ? listedName(id) : compactListedName(id));
        seen.add(tokens > LISTED_ENTRY_MAX_TOKENS);
      }),
      { numRuns: 300 },
    );
    expect(seen.size).toBe(2);
  });
});
