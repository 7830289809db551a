import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capTags, cleanTag, lineTags, safetyOf } from "../../../src/catalog/cards/tags.ts";

const tag = fc.oneof(
  fc.constantFrom(
    "mcp",
    "read-only",
    "destructive",
    "Read_Only",
    "DESTRUCTIVE",
    "__proto__",
    "constructor",
    "😀".repeat(30),
    "",
    " ",
  ),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

describe("capping tags", () => {
  it.each([
    [
      ["z", "y", "x", "w", "v", "destructive"],
      ["destructive", "v", "w", "x", "y"],
    ],
    [
      ["b", "a", "a"],
      ["a", "b"],
    ],
    [
      ["Read_Only", "a", "b", "c", "d", "e", "f"],
      ["Read_Only", "a", "b", "c", "d"],
    ],
    [["x".repeat(30)], ["x".repeat(24)]],
  ])("gives the golden value of %j", (tags, expected) => {
    expect(capTags(tags)).toEqual(expected);
  });

  it("does not depend on order or repeats, and capping again changes nothing", () => {
    fc.assert(
      fc.property(
        fc
          .array(tag)
          .chain((tags) =>
            fc.tuple(fc.constant(tags), fc.shuffledSubarray(tags, { minLength: tags.length })),
          ),
        ([tags, shuffled]) => {
          const capped = capTags(tags);
          expect(capTags([...shuffled, ...tags])).toEqual(capped);
          expect(capTags(capped)).toEqual(capped);
        },
      ),
    );
  });

  it("keeps at most 5 of at most 24 code points, sorted by code point, none empty", () => {
    fc.assert(
      fc.property(fc.array(tag, { maxLength: 12 }), (tags) => {
        const capped = capTags(tags);
        expect(capped.length).toBeLessThanOrEqual(5);
        for (const each of capped) {
          expect(Array.from(each).length).toBeLessThanOrEqual(24);
          expect(each).not.toBe("");
        }
        // UTF-8 bytes order as code points do.
        expect(capped).toEqual(
          [...capped].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
        );
      }),
    );
  });

  it("orders by code point where UTF-16 units would order otherwise", () => {
    expect(capTags(["😀", "\u{FF5E}"])).toEqual(["\u{FF5E}", "😀"]);
  });

  it("never loses a safety tag to others", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 5 }), { minLength: 5 }), (others) => {
        const capped = capTags([...others, "read-only", "destructive"]);
        expect(capped).toContain("read-only");
        expect(capped).toContain("destructive");
      }),
    );
  });
});

describe("what tags say", () => {
  it("has destructive win, in any case and order", () => {
    expect(safetyOf(["read-only", "DESTRUCTIVE"])).toBe("destructive");
    expect(safetyOf(["x", "Read_Only"])).toBe("read_only");
    expect(safetyOf(["readonly", "mcp", "constructor"])).toBe("");
  });

  it("prints neither mcp nor safety in a line", () => {
    expect(lineTags(["a", "destructive", "mcp", "Read_Only", "read-only", "z"])).toEqual(["a", "z"]);
  });

  it("takes the marks of the line's tag list out of a tag", () => {
    expect(cleanTag("a, b] destructive\n[c")).toBe("a b destructive c");
  });
});
