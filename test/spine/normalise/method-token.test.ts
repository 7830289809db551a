import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../../src/result.ts";
import { readMethod, suggestMethod } from "../../../src/spine/normalise/method-token.ts";
import { hostileText } from "../render/json-values.ts";

const canonical = ["prepare_rename", "rename", "hover", "get_user", "getUser", "日本", "中国"];
const names = {
  canonical,
  aliases: new Map([
    ["mv", "rename"],
    ["lost", "nowhere"],
    ["hover", "rename"],
  ]),
};

describe("a method's name", () => {
  it("is a canonical one or an alias, to the character", () => {
    expect(readMethod("rename", names)).toEqual(ok({ method: "rename" }));
    expect(readMethod("mv", names)).toEqual(ok({ method: "rename", alias: "mv" }));
    // A canonical name is never an alias for another.
    expect(readMethod("hover", names)).toEqual(ok({ method: "hover" }));
    expect(readMethod("lost", names)).toEqual(fail({ reason: "unknown_method" }));
    expect(readMethod(7, names)).toEqual(fail({ reason: "unknown_method" }));
    expect(readMethod("rename", { canonical: [] })).toEqual(fail({ reason: "unknown_method" }));
  });

  it.each([
    ["prepareRename", "prepare_rename"],
    ["PREPARE-RENAME", "prepare_rename"],
    ["textDocument/prepareRename", "prepare_rename"],
    ["textDocument/rename", "rename"],
    ["Rename ", "rename"],
  ])("that is only like one is refused, and that one offered: %j, %s", (name, didYouMean) => {
    expect(readMethod(name, names)).toEqual(fail({ reason: "unknown_method", didYouMean }));
  });

  it.each([
    "GetUser",
    "get-user",
    "renam",
    "",
    "/",
    "日 本",
    "ü",
    "x/",
    "r\u0435name",
    "__proto__",
    "a".repeat(10_000),
  ])("that is like several or none has nothing offered: %j", (name) => {
    expect(readMethod(name, names)).toEqual(fail({ reason: "unknown_method" }));
  });

  it("is like a whole name before it is like a last segment", () => {
    expect(suggestMethod("a/B", ["a/b", "b"])).toBe("a/b");
    expect(suggestMethod("x/B", ["a/b", "c/b"])).toBeUndefined();
    expect(suggestMethod("x/B", ["a/b", "a/b"])).toBe("a/b");
    expect(suggestMethod("x/ab", ["xab", "x_ab", "ab"])).toBeUndefined();
    expect(suggestMethod("ü", ["日本"])).toBeUndefined();
  });

  it("never runs as another, and has one suggestion, whatever the order of the canonical names", () => {
    const name = fc.oneof(hostileText, fc.stringMatching(/^[abAB_/]{1,4}$/));
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { maxLength: 8 }), (name, canonical) => {
        const read = readMethod(name, { canonical });
        expect(read.ok).toBe(canonical.includes(name));
        expect(readMethod(name, { canonical: canonical.toReversed() })).toEqual(read);
        const offered = suggestMethod(name, canonical);
        expect(offered === undefined || canonical.includes(offered)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
