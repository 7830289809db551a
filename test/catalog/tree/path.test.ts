import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { legalSegment, parsePath, pathText } from "../../../src/catalog/tree/path.ts";

/** Golden values of the format's original: what it reads, and what it refuses. */
const READ: readonly (readonly [string, readonly string[]])[] = [
  ["/", []],
  ["/github", ["github"]],
  ["/github/issues", ["github", "issues"]],
  ["/github/*", ["github", "*"]],
  ["/*", ["*"]],
  ["/a/1a", ["a", "1a"]],
  [`/a/${"b".repeat(64)}`, ["a", "b".repeat(64)]],
  ["/a-b_c/d-e_f", ["a-b_c", "d-e_f"]],
];

const REFUSED: readonly (readonly [unknown, string])[] = [
  ["", "no_leading_slash"],
  ["github", "no_leading_slash"],
  ["//", "trailing_slash"],
  ["/a/", "trailing_slash"],
  ["/github/*/", "trailing_slash"],
  ["//foo", "empty_segment"],
  ["/a//b", "empty_segment"],
  ["/github/*/x", "misplaced_star"],
  ["/*/*", "misplaced_star"],
  ["/1a", "illegal_namespace"],
  ["/-a", "illegal_namespace"],
  ["/A", "illegal_namespace"],
  ["/a b", "illegal_namespace"],
  ["/a.b", "illegal_namespace"],
  [`/${"a".repeat(65)}`, "illegal_namespace"],
  ["/__proto__", "illegal_namespace"],
  ["/github\n", "illegal_namespace"],
  ["/a/B", "illegal_segment"],
  ["/a/b.c", "illegal_segment"],
  ["/a/_b", "illegal_segment"],
  ["/a/**", "illegal_segment"],
  ["/a/b\n", "illegal_segment"],
  ["/a/b\0", "illegal_segment"],
  ["/a/\uD800", "illegal_segment"],
  ["/a/ü", "illegal_segment"],
  [`/a/${"b".repeat(65)}`, "illegal_segment"],
  ["/a/..", "illegal_segment"],
  ["/a/%20", "illegal_segment"],
  [undefined, "not_a_string"],
  [null, "not_a_string"],
  [7, "not_a_string"],
  [["/"], "not_a_string"],
  [{ toString: () => "/" }, "not_a_string"],
];

const suggestionFor = (text: string): string | undefined => {
  const parsed = parsePath(text);
  return parsed.ok ? undefined : parsed.reason.suggestion;
};

describe("the path grammar", () => {
  it.each(READ)("reads %j", (text, segments) => {
    expect(parsePath(text)).toEqual({ ok: true, value: { text, segments } });
  });

  it.each(REFUSED)("refuses %j", (text, problem) => {
    expect(parsePath(text)).toMatchObject({ ok: false, reason: { reason: "path_invalid", problem } });
  });

  it("reads back what it writes", () => {
    const namespace = fc.stringMatching(/^[a-z][a-z0-9_-]{0,63}$/);
    const segment = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,63}$/);
    const paths = fc
      .tuple(namespace, fc.array(segment, { maxLength: 4 }), fc.boolean())
      .map(([first, others, star]) => [first].concat(others, star ? "*" : []));
    fc.assert(
      fc.property(paths, (segments) => {
        const text = pathText(segments);
        expect(parsePath(text)).toEqual({ ok: true, value: { text, segments } });
      }),
    );
  });

  it("throws at nothing, and accepts only what the grammar's pattern does", () => {
    const grammar = /^\/(?:(?:[a-z][a-z0-9_-]{0,63}|\*$)(?:\/(?:[a-z0-9][a-z0-9_-]{0,63}|\*$))*)?$/;
    const hostile = fc.oneof(
      fc.anything(),
      fc.string({ unit: "binary" }).map((text) => `/${text}`),
      fc.string({ unit: fc.constantFrom("/", "*", "a", "1", "-", "_", "A", ".", "\n") }),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        expect(parsePath(text).ok).toBe(typeof text === "string" && grammar.test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("refuses a path of a million segments without a suggestion", () => {
    expect(suggestionFor("/a".repeat(1_000_000) + "/")).toBeUndefined();
  });
});

describe("the path that was meant", () => {
  it.each([
    ["github", "/github"],
    ["/github/", "/github"],
    ["//github//issues", "/github/issues"],
    ["/GitHub/Issues", "/github/issues"],
    ["/crm/x.op1", "/crm/x-op1"],
    ["/github/*/x", "/github/x"],
    ["", "/"],
  ])("%j meant %j", (text, meant) => {
    expect(suggestionFor(text)).toBe(meant);
  });

  it("is itself legal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const meant = suggestionFor(text);
        expect(meant === undefined || parsePath(meant).ok).toBe(true);
      }),
    );
  });
});

describe("a name as a segment", () => {
  it.each([
    ["create_issue", "create_issue"],
    ["createIssue", "createissue"],
    ["x.op1", "x-op1"],
    ["_private", "private"],
    ["--x--", "x--"],
    ["___", ""],
    ["搜索", ""],
    ["搜索web", "web"],
    ["a\uD800b", "a-b"],
    ["a".repeat(200), "a".repeat(64)],
  ])("%j is %j", (name, segment) => {
    expect(legalSegment(name)).toBe(segment);
  });
});
