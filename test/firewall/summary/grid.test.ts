import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted } from "../../../src/firewall/summary/cut.ts";
import { summarise } from "../../../src/firewall/summary/summariser.ts";
import { follow, look, refused, textArtifact, textsOf } from "../view/look.ts";

type Rows = readonly (readonly string[])[];

const widthsOf = (rows: Rows) =>
  (rows[0] ?? []).map((_, column) => Math.max(2, ...rows.map((row) => row[column]?.length ?? 0)));

/** As `psql` draws it: no frame, and how many rows there are below. */
function psql(rows: Rows): string {
  const widths = widthsOf(rows);
  const line = (row: readonly string[]) =>
    row.map((cell, at) => ` ${cell.padEnd(widths[at] ?? 0)} `).join("|");
  const rule = widths.map((width) => "-".repeat(width + 2)).join("+");
  const [names = [], ...rest] = rows;
  return [line(names), rule, ...rest.map(line), `(${rest.length} rows)`, "", ""].join("\n");
}

/** As `mysql --table` (and, with other marks, DuckDB) draws it. */
function framed(
  rows: Rows,
  [dash = "", bar = "", top = "", middle = "", bottom = ""]: readonly string[],
): string {
  const widths = widthsOf(rows);
  const rule = (marks: string) =>
    `${marks.charAt(0)}${widths.map((width) => dash.repeat(width + 2)).join(marks.charAt(1))}${marks.charAt(2)}`;
  const line = (row: readonly string[]) =>
    `${bar}${row.map((cell, at) => ` ${cell.padStart(widths[at] ?? 0)} `).join(bar)}${bar}`;
  const [names = [], ...rest] = rows;
  return [rule(top), line(names), rule(middle), ...rest.map(line), rule(bottom), ""].join("\n");
}

const FORMS: Readonly<Record<string, (rows: Rows) => string>> = {
  psql,
  mysql: (rows) => framed(rows, ["-", "|", "+++", "+++", "+++"]),
  boxes: (rows) => framed(rows, ["─", "│", "┌┬┐", "├┼┤", "└┴┘"]),
};

const namesOf = (rows: Rows) => (rows[0] ?? []).map((_, column) => `name ${column}`);
const cell = fc.constantFrom(
  "a",
  "",
  "two words",
  "-1.5",
  "né",
  'it "said"',
  "x, y; z",
  "NULL",
  "(1 row)",
  "--",
);
const tables = fc
  .integer({ min: 2, max: 5 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 2, maxLength: 40 }),
  )
  .map((rows) => [namesOf(rows)].concat(rows));

describe.each(Object.entries(FORMS))("a table that %s draws", (_, draw) => {
  it("is summarised as its rows and columns, and read by them", () => {
    fc.assert(
      fc.property(tables, (rows) => {
        // A row of dashes alone draws, whoever wrote it.
        fc.pre(!rows.some((row) => row.every((each) => each === "" || each === "--")));
        const text = draw(rows);
        const names = rows[0] ?? [];
        const count = rows.length - 1;
        const { kind, text: summary } = summarise(text);
        expect(kind).toBe("table");
        expect(summary).toContain(
          `Table: ${counted(count, "row")} of ${counted(names.length, "column")}, below a header`,
        );
        const artifact = textArtifact(text);
        const columns = names.slice(1, 2);
        const shown = textsOf(follow(artifact, { type: "rows", start: 0, end: 3, columns }));
        const cells = shown.flatMap((page) => page.split("\n").slice(1, -1));
        expect(cells).toEqual(rows.slice(1).map((row) => row[1]));
        expect(look(artifact, { type: "rows", start: 0, end: 1 }).total.rows).toBe(count);
      }),
      { numRuns: 40 },
    );
  });

  it("shows rows as they are drawn, without the lines that only draw", () => {
    const artifact = textArtifact(
      draw([
        ["id", "name"],
        ["1", "Ada"],
        ["2", "Bob"],
      ]),
    );
    const { text = "" } = look(artifact, { type: "rows", start: -1 });
    const lines = text.trimEnd().split("\n");
    expect(lines.map((line) => line.match(/\w+/g))).toEqual([
      ["id", "name"],
      ["2", "Bob"],
    ]);
    expect(refused(artifact, { type: "rows", start: 0, columns: ["x"] }).have).toEqual(["id", "name"]);
  });
});

describe("a text with bars and dashes", () => {
  it.each([
    "# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    "a | b\nc | d\n-----\ne | f\n",
    "one -- two\n---+---\nthree | four\n",
    " src/a.ts | 5 +++--\n src/b.ts | 2 +-\n 2 files changed\n",
  ])("is no drawn table: %j", (text) => {
    expect(summarise(text).kind).not.toBe("table");
  });
});

describe("a summary of a drawn table", () => {
  const table = psql([
    ["id", "name"],
    ["1", "a"],
    ["2", "b"],
  ]);

  it("is none where a story or a log follows that is longer than the table", () => {
    const { kind, views } = summarise(table + "2024-01-01 failed, and that is all\n".repeat(200));
    expect(kind).toBe("text");
    expect(views.map(({ label }) => label)).toContain("the end");
  });

  it("tells of the few lines that stand beside it", () => {
    const { kind, text } = summarise(`Output:\n${table}Time: 0.3 ms\n`);
    expect(kind).toBe("table");
    expect(text).toContain("2 rows of 2 columns, below a header; beside it 2 lines of other text");
  });

  it("tells which of its lines go on with the row before", () => {
    const rows = "  1 | line one+\n    | line two\n  2 | c++     \n  3 | d+\n";
    const { text } = summarise(` id |   text   \n----+----------\n${rows}(3 rows)\n`);
    expect(text).toContain("4 rows of 2 columns, below a header, 1 of them going on with the row before");
  });
});
