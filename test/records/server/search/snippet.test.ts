import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEARCH_SNIPPET_MAX_CHARS, SEARCH_SNIPPET_MAX_WORDS } from "../../../../src/limits/records.ts";
import { termsIn } from "../../../../src/records/search/terms.ts";
import { snippetOf } from "../../../../src/records/server/search/snippet.ts";

const wordsOf = (q: string): ReadonlySet<string> => new Set(Array.from(termsIn(q), ({ term }) => term));
const snippet = (text: string, q: string): string => snippetOf(text, wordsOf(q)).text;
const unmarked = (text: string): string => text.replaceAll(/<\/?mark>/g, "");
/** The original with the tags told from ours, as snippets have it. */
const escaped = (text: string): string => text.replaceAll(/<(?=\/?mark(?![a-z0-9]))/gi, "&lt;");

const words = fc.constantFrom(
  "Invoice",
  "due",
  "ΟΔΟΣ",
  "<mark>",
  "</mark>",
  "<",
  "mark",
  "</",
  ">",
  "会議録",
  "\u{1f600}",
  "\u{20000}\u{20001}",
  "a&b",
  "x".repeat(400),
  "\n",
  "&lt;mark>",
  "<MARK class=a>",
  "<ma",
  "rk>",
);
const texts = fc
  .array(words, { maxLength: 200 })
  .chain((parts) => fc.constantFrom(" ", "", "  \n").map((joint) => parts.join(joint)));
const queries = fc
  .array(
    fc.constantFrom(
      "invoice",
      "due",
      "mark",
      "会議",
      "議録",
      "x".repeat(400),
      "\u{20000}\u{20001}",
      "absent",
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(" "));

describe("a snippet", () => {
  it("marks each found word as the text has it", () => {
    expect(snippet("The quarterly Invoice is due. ", "INVOICE due")).toBe(
      "The quarterly <mark>Invoice</mark> is <mark>due</mark>. ",
    );
    expect(snippet("明日の会議録です", "会議録")).toBe("明日の<mark>会議録</mark>です");
  });

  it("shows the stretch where most of the words stand, the earliest of equals", () => {
    const filler = "word ".repeat(100);
    const shown = snippetOf(
      `alpha ${filler}beta ${filler}alpha beta ${filler}alpha beta`,
      wordsOf("alpha beta"),
    );
    expect(shown.found).toBe(2);
    expect(shown.text).toContain("<mark>alpha</mark> <mark>beta</mark>");
    expect(shown.text.endsWith("word")).toBe(true);
    expect(Array.from(termsIn(unmarked(shown.text)))).toHaveLength(SEARCH_SNIPPET_MAX_WORDS);
  });

  it("marks a word wherever it stands in the stretch, and is done with a long text early", () => {
    const text = `due due ${"invoice due ".repeat(200_000)}`;
    expect(snippet(text, "invoice due")).toBe(
      `<mark>due</mark> <mark>due</mark> ${"<mark>invoice</mark> <mark>due</mark> ".repeat(23).trim()}`,
    );
  });

  it("gives the beginning of a text without any of the words", () => {
    expect(snippet("one two", "three")).toBe("one two");
    expect(snippet("", "three")).toBe("");
    expect(snippet("…", "three")).toBe("…");
  });

  it("tells the original's own mark tags from ours", () => {
    expect(snippet("a <mark>b</mark> <MARK> <markdown>", "b")).toBe(
      "a &lt;mark><mark>b</mark>&lt;/mark> &lt;MARK> <markdown>",
    );
    expect(snippet("see <mark> here", "mark")).toBe("see &lt;<mark>mark</mark>> here");
  });

  it("is balanced, is the original without its marks, and cuts no code point", () => {
    fc.assert(
      fc.property(texts, queries, (text, q) => {
        const shown = snippet(text, q);
        expect(shown.match(/<\/?mark>/g) ?? []).toEqual(
          (shown.match(/<mark>/g) ?? []).flatMap(() => ["<mark>", "</mark>"]),
        );
        expect(escaped(text)).toContain(unmarked(shown));
        expect(shown).not.toMatch(/\p{Surrogate}/u);
        expect(unmarked(shown).replaceAll("&lt;", "<").length).toBeLessThanOrEqual(SEARCH_SNIPPET_MAX_CHARS);
      }),
    );
  });

  it("is a piece of the original to the letter where that has no such tag", () => {
    fc.assert(
      fc.property(texts, queries, (withTags, q) => {
        const text = withTags.replaceAll("<", "[");
        expect(text).toContain(unmarked(snippet(text, q)));
      }),
    );
  });

  it("shows a found word wherever there is one", () => {
    fc.assert(
      fc.property(texts, queries, (text, q) => {
        const has = Array.from(termsIn(text)).some(({ term }) => wordsOf(q).has(term));
        expect(snippet(text, q).includes("<mark>")).toBe(has);
      }),
    );
  });
});
