import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  foldedUri,
  normalUri,
  spellingsOf,
  unescaped,
} from "../../../src/gateway/primitives/uri-spellings.ts";

describe("the normal form of a URI", () => {
  it.each([
    ["vault://%70riv", "vault://priv"],
    ["VAULT://PRIV/A", "vault://priv/A"],
    ["http://User@HOST:80/A?B#C", "http://User@host:80/A?B#C"],
    ["raw://ünï/x", "raw://%C3%BCn%C3%AF/x"],
    ["raw://%c3%bc/x", "raw://%C3%BC/x"],
    ["x:a%2fb", "x:a%2Fb"],
    ["x:a b{c}", "x:a%20b%7Bc%7D"],
    ["MAILTO:A", "mailto:A"],
  ])("of %s is %s", (uri, normal) => {
    expect(normalUri(uri)).toBe(normal);
  });

  it.each([
    ["x:/a%2Fb", "x:/a/b"],
    ["x:/A", "x:/a"],
    ["x:/a", "x:/a/"],
    ["x:/a?b", "x:/a?c"],
  ])("tells %s from %s", (left, right) => {
    expect(normalUri(left)).not.toBe(normalUri(right));
  });

  it("is its own, and throws on nothing", () => {
    const uri = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("%", "4", "C", "3", "B", "/", ":", "a", "A", "é", "\ud800") }),
    );
    fc.assert(
      fc.property(uri, (text) => {
        const once = normalUri(text);
        expect(normalUri(once)).toBe(once);
        expect(foldedUri(once)).toBe(foldedUri(text));
        expect(spellingsOf(text)).toContain(once);
        expect(typeof unescaped(text)).toBe("string");
      }),
      { numRuns: 1_000 },
    );
  });
});
