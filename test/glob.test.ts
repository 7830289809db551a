import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGlob, matchAny, matchGlob } from "../src/glob.ts";
import { GLOB_MAX_CHARS } from "../src/limits.ts";

function glob(source: string) {
  const compiled = compileGlob(source);
  if (!compiled.ok) throw new Error(compiled.reason);
  return compiled.value;
}

/** The definition, tried in every way: exponential, for short texts only. */
function naive(source: string, text: string): boolean {
  if (source === "") return text === "";
  if (source[0] !== "*") return source[0] === text[0] && text !== "" && naive(source.slice(1), text.slice(1));
  return naive(source.slice(1), text) || (text !== "" && naive(source, text.slice(1)));
}

describe("globs", () => {
  it.each([
    ["*", "", true],
    ["*", "github:create_issue#aea9ce2a", true],
    ["github:*", "github:create_issue", true],
    ["github:*", "gitlab:create_issue", false],
    ["*:delete_*", "github:delete_repo", true],
    ["delete_*", "undelete_it", false],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["*ab*ab*", "ab", false],
    ["GitHub:*", "github:x", false],
    ["[ab]?", "a?", false],
    ["[ab]?", "[ab]?", true],
    ["a.c", "abc", false],
    ["a/*", "a/b/c", true],
  ])("%s on %s is %s", (source, text, expected) => {
    expect(matchGlob(glob(source), text)).toBe(expected);
  });

  it("match exactly what the definition matches", () => {
    const letters = fc.constantFrom("a", "b", "*");
    const sources = fc.string({ unit: letters, minLength: 1, maxLength: 8 });
    const texts = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 10 });
    fc.assert(
      fc.property(sources, texts, (source, text) => {
        expect(matchGlob(glob(source), text)).toBe(naive(source, text));
      }),
      { numRuns: 2000 },
    );
  });

  it("take steps linear in text and glob, on the worst of both", () => {
    const hostile = [
      "*a".repeat(127),
      `*${"a".repeat(200)}b*`,
      `${"*aab".repeat(60)}*c*`,
      `*${"ab".repeat(100)}c*`,
      "*".repeat(GLOB_MAX_CHARS),
    ];
    for (const source of hostile) {
      for (const text of ["a".repeat(20_000), "ab".repeat(10_000), "aab".repeat(6000)]) {
        const meter = { steps: 0 };
        matchGlob(glob(source), text, meter);
        expect(meter.steps).toBeLessThanOrEqual(2 * text.length + 2 * source.length);
      }
    }
  });

  it("refuse an empty glob and one longer than any id", () => {
    expect(compileGlob("")).toEqual({ ok: false, reason: "empty_glob" });
    expect(compileGlob("a".repeat(GLOB_MAX_CHARS)).ok).toBe(true);
    expect(compileGlob("a".repeat(GLOB_MAX_CHARS + 1))).toEqual({ ok: false, reason: "glob_too_long" });
  });

  it("match together what any of them matches, and nothing when there is none", () => {
    expect(matchAny([glob("a*"), glob("*b")], "xb")).toBe(true);
    expect(matchAny([glob("a*"), glob("*b")], "xc")).toBe(false);
    expect(matchAny([], "a")).toBe(false);
  });
});
