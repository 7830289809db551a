import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listedDescription } from "../../../src/catalog/cards/listed-description.ts";
import { listedName } from "../../../src/identity/listed-name.ts";
import { LISTED_ENTRY_MAX_TOKENS } from "../../../src/limits.ts";
import { createTokenCounter } from "../../../src/tokens/token-counter.ts";

const counter = createTokenCounter();
const tokensOf = (id: string, description: string) =>
  counter.count(
    JSON.stringify({ name: listedName(id), title: id, description, inputSchema: { type: "object" } }),
  );
const ID = "github:create_issue#aea9ce2a";

describe("the description of a stripped entry", () => {
  it("is the whole one where the entry has room for it", () => {
    expect(listedDescription(ID, "Opens an issue.", counter)).toBe("Opens an issue.");
    expect(listedDescription(ID, " Two\nlines. ", counter)).toBe("Two lines.");
  });

  it("ends with a sentence where one fits, else with an ellipsis", () => {
    const long = "in a repository of an organisation that one may write to ".repeat(9);
    expect(listedDescription(ID, `Opens an issue. It does so ${long}.`, counter)).toBe("Opens an issue.");
    expect(listedDescription(ID, `Opens an issue ${long}`, counter)).toMatch(/^Opens an issue in .*…$/);
  });

  it("is an ellipsis where the names leave no room", () => {
    const id = `${"n".repeat(64)}:${"q1w2x7".repeat(21)}#aea9ce2a`;
    expect(listedDescription(id, "Opens an issue.", counter)).toBe("…");
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
        const listed = listedDescription(ID, description, counter);
        expect(tokensOf(ID, listed)).toBeLessThanOrEqual(LISTED_ENTRY_MAX_TOKENS);
        expect(listedDescription(ID, description, counter)).toBe(listed);
      }),
      { numRuns: 15 },
    );
  });
});
