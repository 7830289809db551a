import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderNotes } from "../../../src/spine/render/notes.ts";
import { chars, hostileText } from "./json-values.ts";

describe("notes", () => {
  it("come once each, in one order, on one line", () => {
    expect(renderNotes(["b  is\nso", "a", "b is so", " ", "", "\u202ea", "\u200fa\u{e0041}"])).toEqual([
      "note: a",
      "note: b is so",
    ]);
    expect(renderNotes([])).toEqual([]);
  });

  it("beyond the bound are counted, the one whose line that takes as well", () => {
    const notes = ["a", "b", "c", "d"];
    expect(renderNotes(notes, { maxLines: 3 })).toEqual(["note: a", "note: b", "… 2 note(s) omitted"]);
    expect(renderNotes(notes, { maxLines: 4 })).toHaveLength(4);
    expect(renderNotes(notes, { maxLines: 1 })).toEqual(["… 4 note(s) omitted"]);
    expect(renderNotes(["x".repeat(400)])[0]).toBe(`note: ${"x".repeat(159)}…`);
    expect(renderNotes(["\u{1f600}".repeat(9)], { maxChars: 3 })).toEqual(["note: \u{1f600}\u{1f600}…"]);
  });

  it("are the same whatever order they were made in, within the bounds, and add up", () => {
    const notes = fc.array(hostileText, { maxLength: 20 });
    const bounds = fc.record({
      maxLines: fc.integer({ min: 1, max: 6 }),
      maxChars: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(notes, bounds, (notes, bounds) => {
        const lines = renderNotes(notes, bounds);
        expect(renderNotes([...notes.toReversed(), ...notes], bounds)).toEqual(lines);
        expect(lines.length).toBeLessThanOrEqual(bounds.maxLines);
        const different = renderNotes(notes, { maxLines: Infinity, maxChars: Infinity });
        const omitted = /^… (\d+) note/u.exec(lines.at(-1) ?? "")?.[1];
        expect(lines.length + (omitted === undefined ? 0 : Number(omitted) - 1)).toBe(different.length);
        for (const line of omitted === undefined ? lines : lines.slice(0, -1)) {
          expect(chars(line)).toBeLessThanOrEqual("note: ".length + bounds.maxChars);
          expect(line).not.toMatch(/[\p{Cc}\p{Surrogate}\p{Bidi_Control}\u2028\u2029]/u);
        }
      }),
      { numRuns: 300 },
    );
  });
});
