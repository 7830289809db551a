import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoutingDocument } from "../../../src/routing/document/analyse-document.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import { CATALOG } from "../catalog.ts";
import { committedTable, indexOf, plainDocument } from "../support.ts";

const WORDS = [
  "get",
  "set",
  "list",
  "item",
  "items",
  "user",
  "a",
  "the",
  "to",
  "who",
  "café",
  "東京",
  "天気",
  "file",
];
const SIGNS = ["_", "-", ".", "/", "__", "::", "@", "#", " ", "\t", "~", "$", "…", "\u200D", "\u202E"];

const cased = fc
  .constantFrom(...WORDS)
  .chain((word) => fc.constantFrom(word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)));

const uglyName = fc
  .oneof(
    fc
      .array(fc.tuple(cased, fc.constantFrom("", ...SIGNS)), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.flat().join("")),
    fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,40}$/),
    fc.stringMatching(/^[0-9]{1,20}$/),
    fc.stringMatching(/^[_\-.!?*]{1,9}$/),
    fc.stringMatching(/^[a-zA-Z_]{200}$/),
    fc.constantFrom(
      "__proto__",
      "constructor",
      "hasOwnProperty",
      "toString",
      "\uD800",
      "\uDC00\uD800",
      "a\uD83Db",
      "\u{1F600}",
      "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}",
      "مرحبا_بالعالم",
      "שלום",
      "\u202Egnp.exe",
      "İstanbul",
      "STRASSE",
      "straße",
      "ΑΣ",
      "ﬁle",
      "ＦＩＬＥ",
      "İ".repeat(200),
      "\uFDFA".repeat(100),
      "<|endoftext|>",
      "x\0y",
      "C",
      "C++",
      "c#",
      "a@1.2",
      "name#00000000",
      "ns:name",
      "-0",
      "NaN",
      "null",
    ),
  )
  .filter((name) => name.trim() !== "" && name.length <= 256);

/** Ids are clean where names are not; some have a version. */
function idOf(name: string, at: number): string {
  const clean = name.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 100);
  return `plain:${clean}${at % 3 === 0 ? "@1.2" : ""}#${String(at).padStart(8, "0")}`;
}

/** Tools with different names, in prose that has the same words. */
const uglyCatalog = fc
  .tuple(
    fc.uniqueArray(uglyName, { minLength: 1, maxLength: 30, selector: (name) => name.trim() }),
    fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }),
  )
  .map(([names, prose]) =>
    names.map((name, at) => ({
      ...plainDocument(name, prose.join(" "), idOf(name, at)),
      server: "get",
    })),
  );

function formsOf({ id, name }: RoutingDocument): (string | undefined)[] {
  const unhashed = id.slice(0, id.lastIndexOf("#"));
  const bare = unhashed.includes("@") ? unhashed.slice(0, unhashed.lastIndexOf("@")) : unhashed;
  return [name, id, unhashed, bare, bare.slice(bare.indexOf(":") + 1)].map((form) => form.trim());
}

describe("a tool that is asked for by name", () => {
  it("comes first with 2 and more, over thousands of ugly names", () => {
    let asked = 0;
    fc.assert(
      fc.property(uglyCatalog, (documents) => {
        const index = indexOf(documents);
        for (const document of documents) {
          const unhashed = document.id.slice(0, document.id.lastIndexOf("#"));
          for (const query of [document.name, ` ${document.name}\n`, document.id, unhashed]) {
            asked += 1;
            const { hits, weak } = rank(index, query, { topK: documents.length });
            const [first] = hits;
            expect(first?.score).toBeGreaterThanOrEqual(2);
            expect(hits.find(({ id }) => id === document.id)?.score).toBeGreaterThanOrEqual(2);
            expect(weak).toBe(false);
            // Another may be called the same, to the letter: `plain:a@1` without its version is `plain:a`.
            const called = documents.find(({ id }) => id === first?.id);
            expect(called === undefined ? [] : formsOf(called)).toContain(query.trim());
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(asked).toBeGreaterThan(2_000);
  });

  it("is the only one with 2, where no other is called so", () => {
    const index = indexOf(CATALOG, committedTable());
    for (const { id, name } of CATALOG) {
      for (const query of [name, id, id.replace("#00000000", ""), id.replace("#00000000", "#ffffffff")]) {
        const { hits } = rank(index, query, { topK: CATALOG.length });
        expect(hits[0]?.id).toBe(id);
        expect(hits[0]?.score).toBeGreaterThanOrEqual(query.endsWith("ffffffff") ? 1 : 2);
        expect(hits.slice(1).every(({ score }) => score < 1)).toBe(true);
      }
    }
  });

  it("comes before all that are not asked for, in any other style of writing identifiers", () => {
    const word = fc.stringMatching(/^[a-z]{2,8}$/);
    const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
    const styles: ((words: readonly string[]) => string)[] = [
      (words) => words.map((text, at) => (at === 0 ? text : capital(text))).join(""),
      (words) => words.map(capital).join(""),
      (words) => words.join("_"),
      (words) => words.join("-"),
      (words) => words.join("."),
      (words) => words.join("/"),
      (words) => words.join(" "),
      (words) => words.join("_").toUpperCase(),
      (words) => words.map(capital).join(" "),
    ];
    const style = fc.constantFrom(...styles);
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 4 }), style, style, (words, written, asked) => {
        const tool = plainDocument(written(words));
        const prose = words.join(" ");
        const loud = [`x ${prose}`, `${prose} y`, words.toReversed().join("_")].map((name, at) =>
          plainDocument(name, `${prose}. ${prose} ${prose}`, `a:${at}#00000000`),
        );
        const others = loud.filter(({ name }) => name.split(/\W|_/).join() !== words.join());
        const [first, second] = rank(indexOf([...others, tool]), asked(words), { topK: 5 }).hits;
        expect(first?.id).toBe(tool.id);
        expect(first?.score).toBeGreaterThanOrEqual(1);
        expect(second?.score ?? 0).toBeLessThan(1);
      }),
      { numRuns: 400 },
    );
  });

  it("comes before one that is called so in another style", () => {
    const names = [
      "createIssue",
      "create_issue",
      "create-issue",
      "CREATE_ISSUE",
      "create issue",
      "CreateIssue",
    ];
    const index = indexOf(names.map((name) => plainDocument(name)));
    for (const name of names) {
      const { hits } = rank(index, name, { topK: 9 });
      expect(hits.map(({ score }) => Math.floor(score))).toEqual([2, 1, 1, 1, 1, 1]);
      expect(hits[0]?.id).toBe(plainDocument(name).id);
    }
  });

  it("is not found by a name that is only part of the question", () => {
    const { hits } = rank(indexOf(CATALOG), "please use create_issue now", { topK: 3 });
    expect(hits[0]?.id).toBe("tracker:create_issue#00000000");
    expect(hits[0]?.score).toBeLessThan(1);
  });
});
