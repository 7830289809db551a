import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMeaningless, isPlural, nounKey, pluralOf, splitWords } from "../../../src/catalog/tree/words.ts";

describe("the words of a name", () => {
  it.each([
    ["create_issue", ["create", "issue"]],
    ["createIssue", ["create", "issue"]],
    ["getHTTPUrl", ["get", "http", "url"]],
    ["listURLs", ["list", "urls"]],
    ["SessionsController_getMe", ["sessions", "controller", "get", "me"]],
    ["kubectl.pods-list", ["kubectl", "pods", "list"]],
    ["s3_put2", ["s3", "put2"]],
    ["__x__", ["x"]],
    ["搜索_web", ["web"]],
    ["___", []],
  ])("%s", (name, words) => {
    expect(splitWords(name)).toEqual(words);
  });

  it("are at most twelve, and lower-case ASCII, whatever the name is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
        const words = splitWords(name);
        expect(words.length).toBeLessThanOrEqual(12);
        for (const word of words) expect(word).toMatch(/^[a-z0-9]+$/);
      }),
    );
  });
});

describe("a noun", () => {
  it.each([
    ["issue", "issues"],
    ["branch", "branches"],
    ["box", "boxes"],
    ["cache", "caches"],
    ["query", "queries"],
    ["movie", "movies"],
    ["key", "keys"],
    ["database", "databases"],
    ["status", "statuses"],
    ["index", "indices"],
    ["index", "indexes"],
    ["person", "people"],
    ["ad", "ads"],
  ])("%s shares its key with %s", (singular, plural) => {
    expect(nounKey(singular)).toBe(nounKey(plural));
  });

  it.each([
    ["issue", "issuer"],
    ["process", "proces"],
    ["user", "use"],
  ])("%s is not %s", (left, right) => {
    expect(nounKey(left)).not.toBe(nounKey(right));
  });

  it.each([
    ["issue", "issues"],
    ["branch", "branches"],
    ["company", "companies"],
    ["key", "keys"],
    ["index", "indices"],
    ["addresses", "addresses"],
    ["address", "addresses"],
    ["weather", "weather"],
    ["metadata", "metadata"],
    ["crm", "crm"],
    ["s3", "s3"],
  ])("%s has the plural %s", (form, plural) => {
    expect(pluralOf(form)).toBe(plural);
  });

  it.each([
    ["issues", true],
    ["children", true],
    ["status", false],
    ["analysis", false],
    ["class", false],
    ["dns", false],
    ["issue", false],
  ])("%s as a plural: %s", (form, plural) => {
    expect(isPlural(form)).toBe(plural);
  });

  it.each([
    ["0001", true],
    ["x", true],
    ["3f2a9c01", true],
    ["facade", false],
    ["s3", false],
    ["ad", false],
  ])("%s as noise: %s", (form, noise) => {
    expect(isMeaningless(form)).toBe(noise);
  });
});
