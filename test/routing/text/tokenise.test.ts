import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_TERM_MAX_CHARS } from "../../../src/limits.ts";
import { tokenise } from "../../../src/routing/text/tokenise.ts";

const BOUNDS = { maxChars: 10_000, maxTokens: 1_000 };
const terms = (text: string): string[] => tokenise(text, BOUNDS).map(({ term }) => term);
const forms = (text: string): string[] =>
  tokenise(text, BOUNDS).flatMap(({ term, folded }) => (folded === undefined ? [term] : [term, folded]));

describe("identifiers", () => {
  it.each(["create_issue", "create-issue", "create.issue", "create/issue", "create:issue", "create issue"])(
    "%s is two words",
    (name) => {
      expect(terms(name)).toEqual(terms("create issue"));
    },
  );

  it("a case change splits, and the whole stays findable", () => {
    expect(terms("createIssue")).toEqual([...terms("create issue"), ...terms("createissue")]);
    expect(terms("GitHub")).toEqual(["git", "hub", "github"]);
  });

  it("an acronym ends before the next word, and keeps its plural", () => {
    expect(terms("HTTPServer2")).toEqual(["http", "server", "2", "httpserver2"]);
    expect(terms("PDFs")).toEqual(["pdf"]);
    expect(terms("runSQLQuery")).toEqual(["run", "sql", "query", "runsqlquery"]);
  });

  it("numbers are kept", () => {
    expect(terms("crm/x.op1")).toEqual(["crm", "x", "op", "1", "op1"]);
    expect(terms("error 404")).toEqual(["error", "404"]);
    expect(terms("base64")).toEqual(["base", "64", "base64"]);
  });
});

describe("scripts", () => {
  it("scripts without spaces give pairs of characters", () => {
    expect(terms("天気予報")).toEqual(["天気", "気予", "予報"]);
    expect(terms("レストラン")).toEqual(["レス", "スト", "トラ", "ラン"]);
    expect(terms("駅")).toEqual(["駅"]);
    expect(terms("查天气API")).toEqual(["查天", "天气", "api"]);
  });

  it("an accented word is found with and without its accents", () => {
    expect(forms("Café")).toEqual(["café", "cafe"]);
    expect(forms("cafés")).toContain("cafe");
    expect(forms("Straße")).toEqual(["straße", "strass"]);
    expect(terms("cafe\u0301")).toEqual(terms("café"));
  });

  it("marks that are letters in their script stay", () => {
    expect(forms("हिन्दी")).toEqual(["हिन्दी"]);
  });

  it("compatibility forms are read as the plain ones", () => {
    expect(terms("ＦＩＬＥ ﬁle")).toEqual(["file", "file"]);
  });

  it("case is lowered by the same rule everywhere", () => {
    expect(forms("İSTANBUL")).toContain("istanbul");
    expect(terms("TITLE")).toEqual(terms("title"));
  });

  it("upper case with a mark that composes with nothing is one word", () => {
    expect(terms("X\u0302yz")).toHaveLength(1);
    expect(forms("\u0302")).toEqual(["\u0302"]);
  });
});

describe("bounds", () => {
  it("reads no more than it is told", () => {
    expect(tokenise("a b c d", { maxChars: 3, maxTokens: 9 })).toHaveLength(2);
    expect(tokenise("a b c d", { maxChars: 99, maxTokens: 3 })).toHaveLength(3);
    expect(tokenise("a b c d", { maxChars: 99, maxTokens: 0 })).toEqual([]);
  });

  it("a word without end is one short term", () => {
    const [token, ...more] = tokenise("q".repeat(20_000), { maxChars: 20_000, maxTokens: 9 });
    expect(token?.term).toBe("q".repeat(ROUTING_TERM_MAX_CHARS));
    expect(more).toEqual([]);
  });

  it("lone surrogates, NUL and signs separate words", () => {
    expect(terms("file\uD800name\0x<|endoftext|>")).toEqual(["file", "name", "x", "endoftext"]);
  });

  it("any text gives well-formed, non-empty, bounded, lower-case terms, the same each time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        const found = forms(text);
        expect(forms(text)).toEqual(found);
        for (const term of found) {
          expect(term).not.toBe("");
          expect(term).not.toMatch(/\p{Cs}/u);
          expect(term.length).toBeLessThanOrEqual(4 * ROUTING_TERM_MAX_CHARS);
        }
      }),
    );
  });

  it("a separator style never changes the words", () => {
    const word = fc.stringMatching(/^[a-z]{2,9}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("_", "-", ".", "/", "__"),
        (words, by) => {
          expect(terms(words.join(by))).toEqual(terms(words.join(" ")));
        },
      ),
    );
  });
});
