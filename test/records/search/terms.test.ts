import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEARCH_TERM_MAX_CODE_POINTS } from "../../../src/limits/records.ts";
import { termsIn } from "../../../src/records/search/terms.ts";

const terms = (text: string): readonly string[] => Array.from(termsIn(text), ({ term }) => term);
const hex = (word: string): string => `u${Buffer.from(word, "utf8").toString("hex")}`;

/** Any UTF-16 text, lone halves too. */
const anyText = fc.string({ unit: fc.nat({ max: 0xff_ff }).map((unit) => String.fromCharCode(unit)) });
const graphemes = fc.string({ unit: "grapheme" });
const HOSTILE = [
  "",
  "\0",
  "\ud800",
  "a\udc00b",
  `"a" NEAR(b) -c col:d *`,
  "<|endoftext|>",
  "__proto__ constructor",
  "ａ\u0301".repeat(2_000),
  "\u0301\u0316".repeat(50_000),
  `x${"\u0301\u0316".repeat(50_000)}`,
  `漢${"\u0301\u0316".repeat(50_000)}字`,
  "x".repeat(100_000),
  "漢".repeat(20_000),
  "\u{20000}".repeat(5_000),
];

describe("the words of a text", () => {
  it("are runs of letters, marks and digits, whatever stands between", () => {
    expect(terms(`Re: invoice-1001, "due"\u00a0(2nd)_x`)).toEqual([
      "are",
      "ainvoice",
      "a1001",
      "adue",
      "a2nd",
      "ax",
    ]);
    expect(terms("")).toEqual([]);
    expect(terms('!?*" \0 \ud800')).toEqual([]);
  });

  it("tell no case and no accent apart, and nothing else is made alike", () => {
    expect(terms("Café CAFE\u0301 cafe")).toEqual(["acafe", "acafe", "acafe"]);
    expect(terms("Straße STRASSE")).toEqual(["astrasse", "astrasse"]);
    expect(terms("ΟΔΟΣ οδός")).toEqual([hex("οδοσ"), hex("οδοσ")]);
    expect(terms("İstanbul ISTANBUL")).toEqual(["aistanbul", "aistanbul"]);
    expect(new Set(terms("invoice invoices invoiced")).size).toBe(3);
    expect(new Set(terms("कि का की")).size).toBe(3);
    expect(new Set(terms("は ば ぱ")).size).toBe(3);
  });

  it("are neighbouring pairs where a script sets no spaces, and a single sign alone", () => {
    expect(terms("会議録")).toEqual([hex("会議"), hex("議録")]);
    expect(terms("2024年 iPhone手机")).toEqual(["a2024", hex("年"), "aiphone", hex("手机")]);
    expect(terms("が\u304b\u3099")).toEqual([hex("がが")]);
    expect(terms("\u1112\u1161\u11ab\u1100\u1173\u11af")).toEqual([hex("한글")]);
    expect(terms("한글")).toEqual([hex("한글")]);
  });

  it("end after 64 code points, so that a longer word is found by them", () => {
    const long = "z".repeat(SEARCH_TERM_MAX_CODE_POINTS);
    expect(terms(`${long}aaa ${long}`)).toEqual([`a${long}`, `a${long}`]);
    const astral = "\u{10400}".repeat(100);
    const [term] = terms(astral);
    expect(term).toBe(hex("\u{10428}".repeat(SEARCH_TERM_MAX_CODE_POINTS)));
  });

  it("are of a to z and digits only, stand in order within the text, and no text makes it throw", () => {
    const faults = (text: string): readonly string[] => {
      const found: string[] = [];
      let before = 0;
      for (const { term, start, end } of termsIn(text)) {
        if (!/^[au][a-z0-9]+$/.test(term)) found.push(`not a term: ${term}`);
        if (start < before || end <= start || end > text.length) found.push(`not a place: ${start}-${end}`);
        before = start;
      }
      return found;
    };
    for (const text of HOSTILE) expect(faults(text)).toEqual([]);
    fc.assert(
      fc.property(fc.oneof(anyText, graphemes), (text) => {
        expect(faults(text)).toEqual([]);
      }),
    );
  });

  it("are the same for a text in either normal form, and where a word stands alone", () => {
    fc.assert(
      fc.property(graphemes, (text) => {
        expect(terms(text.normalize("NFD"))).toEqual(terms(text.normalize("NFC")));
      }),
    );
    fc.assert(
      fc.property(graphemes, (text) => {
        for (const { term, start, end } of termsIn(text))
          expect(terms(text.slice(start, end))).toEqual([term]);
      }),
    );
  });

  it("never read as another word's term", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9]{1,20}$/),
        fc.stringMatching(/^[\u0430-\u0438]{1,9}$/),
        (ascii, cyrillic) => {
          expect(terms(ascii)).toEqual([`a${ascii}`]);
          expect(terms(cyrillic)[0]?.startsWith("u")).toBe(true);
        },
      ),
    );
  });
});
