import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance } from "../../../src/routing/text/edit-distance.ts";

/** Optimal string alignment by its whole table. */
function wholeTable(left: string, right: string): number {
  const table = Array.from({ length: left.length + 1 }, (_, row) =>
    Array.from({ length: right.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number): number => table[row]?.[column] ?? Infinity;
  for (let row = 1; row <= left.length; row += 1) {
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const cells = table[row] ?? [];
      cells[column] = Math.min(
        at(row - 1, column - 1) + (same ? 0 : 1),
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        swapped ? at(row - 2, column - 2) + 1 : Infinity,
      );
    }
  }
  return at(left.length, right.length);
}

const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "\ud800"), maxLength: 9 });

describe("the distance between two texts", () => {
  it.each([
    ["create", "create", 0],
    ["creat", "create", 1],
    ["craete", "create", 1],
    ["xreate", "create", 1],
    ["ca", "abc", 3],
    ["", "ab", 2],
  ])("from %j to %j is %d", (left, right, distance) => {
    expect(editDistance(left, right, 3)).toBe(distance);
  });

  it("is what the whole table says, up to the bound, in both directions", () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (left, right, most) => {
        const distance = wholeTable(left, right);
        const expected = distance > most ? undefined : distance;
        expect(editDistance(left, right, most)).toBe(expected);
        expect(editDistance(right, left, most)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
