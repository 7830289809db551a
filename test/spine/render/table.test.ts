import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderTable } from "../../../src/spine/render/table.ts";
import { anyJson, anything, chars, hostileText } from "./json-values.ts";

describe("a table", () => {
  it("is a header and rows of bare scalars", () => {
    const rows = [
      ["github", 12, true, null],
      ["my server", 0.5, false, "ok"],
    ];
    expect(renderTable(["name", "calls", "up", "fault"], rows)).toBe(
      "name | calls | up | fault\ngithub | 12 | true | null\nmy server | 0.5 | false | ok",
    );
    expect(renderTable(["name"], [])).toBe("name");
  });

  it.each([
    ["a | b", '"a \\u007c b"'],
    ["a|b", '"a\\u007cb"'],
    ["a\nb", '"a\\nb"'],
    ["\u2028", '"\\u2028"'],
    [" a", '" a"'],
    ["a ", '"a "'],
    ["", '""'],
    ["-", '"-"'],
    ["null", '"null"'],
    ['"quoted"', '"\\"quoted\\""'],
    ["{…}", '"{…}"'],
    ["+1 more", '"+1 more"'],
    ["… 3 line(s) omitted", '"… 3 line(s) omitted"'],
    ["Loading…", '"Loading\\u2026"'],
    ["\ud800", '"\\ud800"'],
    ["a\u200fb", '"a\\u200fb"'],
    ["\u{e0041}", '"\\udb40\\udc41"'],
    ["x".repeat(49), `${"x".repeat(47)}…`],
    [`|${"x".repeat(60)}`, `"\\u007c${"x".repeat(39)}…"`],
    ["a-b c/d: 1", "a-b c/d: 1"],
    [undefined, "-"],
    [{ k: "a|b" }, '{k="a\\u007cb"}'],
    [[1, [2]], "[1, [2]]"],
  ])("has for %j the cell %s", (value: unknown, cell) => {
    expect(renderTable(["a", "b"], [[value, 1]]).split("\n")[1]).toBe(`${cell} | 1`);
  });

  it("fills short rows and counts what long ones have beyond the columns", () => {
    expect(renderTable(["a", "b"], [[1], [], [1, 2, 3, 4]])).toBe("a | b\n1 | -\n- | -\n1 | 2 | +2 more");
    expect(renderTable(["a", "b", "c"], [[1, 2, 3]], { maxColumns: 2 })).toBe(
      "a | b | +1 more\n1 | 2 | +1 more",
    );
  });

  it("counts the lines that it leaves out", () => {
    const rows = Array.from({ length: 30 }, (_, index) => [index]);
    const lines = renderTable(["n"], rows).split("\n");
    expect([lines.length, lines.at(-2), lines.at(-1)]).toEqual([24, "21", "… 8 line(s) omitted"]);
    expect(renderTable(["n"], rows, { maxLines: 1 })).toBe("… 31 line(s) omitted");
  });

  const bounds = fc.record({
    maxLines: fc.integer({ min: 1, max: 8 }),
    maxCellChars: fc.integer({ min: 3, max: 30 }),
    maxColumns: fc.integer({ min: 1, max: 5 }),
  });
  const columns = fc.array(hostileText, { minLength: 1, maxLength: 7 });
  const rows = fc.array(fc.array(fc.oneof(hostileText, anyJson), { maxLength: 7 }), { maxLength: 12 });

  it("splits at its separators into the cells it has, within its bounds", () => {
    fc.assert(
      fc.property(columns, rows, bounds, (columns, rows, bounds) => {
        const lines = renderTable(columns, rows, bounds).split("\n");
        const all = [columns, ...rows];
        const isCut = all.length > bounds.maxLines;
        expect(lines).toHaveLength(Math.min(all.length, bounds.maxLines));
        const shown = isCut ? lines.slice(0, -1) : lines;
        const omission = isCut ? [`… ${all.length - shown.length} line(s) omitted`] : [];
        expect(lines.slice(shown.length)).toEqual(omission);

        const width = Math.min(columns.length, bounds.maxColumns);
        for (const [index, line] of shown.entries()) {
          const cells = line.split(" | ");
          const values = all[index] ?? [];
          const beyond = values.length - width;
          expect(cells.slice(width)).toEqual(beyond > 0 ? [`+${beyond} more`] : []);
          for (const [column, cell] of cells.slice(0, width).entries()) {
            expect(chars(cell)).toBeLessThanOrEqual(bounds.maxCellChars);
            expect(cell).not.toMatch(/[|\p{Cc}\p{Surrogate}\p{Bidi_Control}\u2028\u2029]/u);
            const value = values[column];
            expect(cell === "-").toBe(value === undefined);
            expect(typeof value !== "string" || isCellOf(value, cell)).toBe(true);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it("is made of anything", () => {
    fc.assert(
      fc.property(fc.array(fc.array(anything)), fc.double(), (rows, bound) => {
        const bounds = { maxLines: bound, maxCellChars: bound, maxColumns: bound };
        expect(renderTable(["a", "b"], rows, bounds)).not.toBe("");
      }),
    );
  });
});

/** Reads a string's cell as somebody would who was told the rules. */
function isCellOf(value: string, cell: string): boolean {
  const isQuoted = cell.startsWith('"');
  const text = String(isQuoted ? JSON.parse(cell) : cell);
  if (!cell.endsWith(isQuoted ? '…"' : "…")) return text === value;
  const start = text.slice(0, -1);
  return value.startsWith(start) && value.length > start.length;
}
