import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grouped } from "../../../src/firewall/summary/cut.ts";
import { summarise } from "../../../src/firewall/summary/summariser.ts";
import { RecordSplitter, type TableRecord } from "../../../src/firewall/summary/table/record-splitter.ts";

const CSV = { mediaType: "text/csv" };

function split(
  text: string,
  delimiter = ",",
): { readonly records: TableRecord[]; readonly brokenAt: number | undefined } {
  const records: TableRecord[] = [];
  const splitter = new RecordSplitter(delimiter, (record) => records.push(record));
  splitter.push(text);
  splitter.finish();
  return { records, brokenAt: splitter.brokenAt };
}

describe("records", () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", " ", ",", '"', "\n", "\r\n", "😀", "1"), maxLength: 6 }),
    fc.constantFrom("", "x".repeat(60)),
  );
  const row = fc.array(cell, { minLength: 2, maxLength: 5 });
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const bare = (text: string): string => (/^[^",\r\n]*$/.test(text) ? text : quote(text));

  it("are those that a known reader of CSV finds", () => {
    const ends = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), ends, fc.boolean(), (rows, end, all) => {
        const text = rows.map((cells) => cells.map(all ? quote : bare).join(",")).join(end);
        const known = parse(text, { relax_column_count: true, skip_empty_lines: true });
        const { records, brokenAt } = split(text);
        expect(brokenAt).toBeUndefined();
        expect(records.map(({ cells }) => cells.map(({ head }) => head))).toEqual(known);
        expect(records.map(({ width }) => width)).toEqual(
          known.map((cells: readonly string[]) => cells.length),
        );
        for (const { line, cells } of records) {
          expect(text.split("\n")[line]?.startsWith(all ? '"' : (cells[0]?.head.slice(0, 0) ?? ""))).toBe(
            true,
          );
        }
      }),
    );
  });

  it("end where quotes do not match", () => {
    expect(split('a,b\n"x"y,1\n2,3').brokenAt).toBe(1);
    expect(split('a,b\n1,2\n3,"4\n5,6').brokenAt).toBe(2);
    expect(split('a"b,c""\n').records[0]?.cells.map(({ head }) => head)).toEqual(['a"b', 'c""']);
  });
});

describe("the summary of a table", () => {
  const people = (
    count: number,
    note = (id: number): string => (id % 4 === 0 ? '"two\nlines, ""quoted"""' : ""),
  ): string =>
    `id,name,city,joined,note\n${Array.from({ length: count }, (_, id) => `${id},"Smith, J${id}",${id % 3 === 0 ? "Paris" : "Rome"},2026-01-${String(1 + (id % 28)).padStart(2, "0")},${note(id)}`).join("\n")}\n`;

  it("has the true number of rows, the ranges, and the counts of values, quoted line ends and all", () => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 1_500 }), (count) => {
        const { kind, text } = summarise(people(count), CSV);
        const paris = Math.ceil(count / 3);
        const noted = Math.ceil(count / 4);
        expect(kind).toBe("csv");
        expect(text).toContain(`CSV: ${grouped(count)} rows of 5 columns, below a header`);
        expect(text).toContain(`id: 0–${count - 1}, name: text`);
        expect(text).toContain(`"Rome"×${grouped(count - paris)} "Paris"×${grouped(paris)}`);
        expect(text).toContain(`joined: 2026-01-01–2026-01-${String(Math.min(28, count)).padStart(2, "0")}`);
        expect(text).toContain(
          `note: always "two\\nlines, \\"quoted\\""×${grouped(noted)} | empty×${grouped(count - noted)}`,
        );
        expect(text).toContain(`row 0: 0,"Smith, J0",Paris,2026-01-01,"two\\nlines, \\"quoted\\""`);
        expect(text).toContain(`row ${count - 1}: ${count - 1},"Smith, J${count - 1}",`);
      }),
      { numRuns: 20 },
    );
  });

  it("is found without a media type, and without a name", () => {
    expect(summarise(people(50)).kind).toBe("csv");
    expect(summarise(people(50).replaceAll(",", ";")).text).toContain('Table split by ";": 50 rows');
    expect(summarise("gene\tstart\nG1\t5\nG2\t6\n").text).toContain("TSV: 2 rows of 2 columns");
    expect(
      summarise("NAME  READY  STATUS\na  1/1  Running\nb  0/1  Failed\nc  1/1  Running\n").text,
    ).toContain('STATUS: "Running"×2 "Failed"×1');
  });

  it("takes no prose and no log for one, whatever is said of it", () => {
    const prose =
      "Dear all, the plan, as agreed, holds.\nIt starts, if all goes well, on Monday.\nRegards, us, both\n";
    expect(summarise(prose).kind).toBe("text");
    expect(summarise("One line, two fields.\n\nNo table.", CSV).kind).toBe("text");
    expect(summarise('{"a":[1,2,3]}', CSV).kind).toBe("json");
  });

  it("of aligned columns puts each cell below its name, whichever are empty", () => {
    const names = ["NAME", "READY", "PORTS", "NOTE", "AGE"];
    const row = fc.tuple(...[1, 2, 3, 4].map(() => fc.boolean()));
    fc.assert(
      fc.property(fc.array(row, { minLength: 4, maxLength: 60 }), (rows) => {
        const cells = rows.map((there) => there.map((is, index) => (is ? `${"rpna"[index]}1` : "")));
        const line = (all: readonly string[]): string =>
          all
            .map((each) => each.padEnd(9))
            .join("")
            .trimEnd();
        const text = [names, ...cells.map((all, id) => [`web-${id}`, ...all])].map(line).join("\n");
        const summary = summarise(text);
        expect(summary.text).toContain(`Table: ${rows.length} rows of 5 columns, below a header\n`);
        names.slice(1).forEach((name, index) => {
          const filled = cells.filter((all) => all[index] !== "").length;
          const empty = rows.length - filled;
          const said = new RegExp(`${name}: ([^,\\n]*)`).exec(summary.text)?.[1] ?? "";
          expect(said.includes("empty")).toBe(empty > 0);
          const other = "rpna".replace("rpna"[index] ?? "", "");
          expect(new RegExp(`"[${other}]1"`).test(said)).toBe(false);
          const mixed = filled > 0 && empty > 0;
          expect(said).toContain(mixed ? `×${filled} | empty×${empty}` : "");
        });
      }),
      { numRuns: 100 },
    );
  });

  it("leaves out of the columns the aligned lines whose cells stand below no name", () => {
    const lines = Array.from({ length: 40 }, (_, id) =>
      id === 7 ? "web-7  12d" : `web-${id}   1/1     ${id}d`,
    );
    const { text } = summarise(`NAME    READY   AGE\n${lines.join("\n")}`);
    expect(text).toContain(
      "40 rows of 3 columns, below a header, 1 of them with more or fewer fields, left out",
    );
    expect(text).toContain('READY: always "1/1"');
  });

  const plain = (count: number): string =>
    Array.from({ length: count }, (_, id) => `${id},n${id},${id * 2}`).join("\n");

  it("has its rows and columns counted without a header, with names twice, with one column, below comments", () => {
    const names = Array.from({ length: 50 }, (_, id) => `n${id}`).join("\n");
    for (const hint of [CSV, {}]) {
      expect(summarise(plain(50), hint).text).toContain("CSV: 50 rows of 3 columns, the first is no header");
      const twice = summarise(`id,name,name\n${plain(50)}`, hint);
      expect(twice.text).toContain("CSV: 50 rows of 3 columns, below a header in which names are repeated");
      expect(twice.views.every(({ selector }) => !("columns" in selector))).toBe(true);
      const { kind, text, views } = summarise(`# exported 2026\n\nid,name,n\n${plain(50)}`, hint);
      expect(kind).toBe("csv");
      expect(text).toContain("CSV: 50 rows of 3 columns, below a header, and 2 lines of comments above");
      expect(text).toContain("line 52: 49,n49,98");
      expect(views.every(({ selector }) => selector.type === "lines")).toBe(true);
    }
    expect(summarise(`name\n${names}`, CSV).text).toContain("CSV: 50 rows of 1 column, below a header");
    expect(summarise("Error: it failed, again.\nPlease try it once more later.\nBye", CSV).kind).toBe("text");
    expect(summarise("# Title\n\nSome words, and more.\n\n## Part\n\n- a, b, c\n", {}).kind).toBe("markdown");
  });

  it("tells how many rows are uneven", () => {
    const rows = Array.from({ length: 100 }, (_, id) => (id % 25 === 3 ? `${id},x` : `${id},x,y`));
    expect(summarise(`a,b,c\n${rows.join("\n")}`, CSV).text).toContain(
      "CSV: 100 rows of 3 columns, below a header, 4 of them with more or fewer fields",
    );
  });

  it("counts only what it can read where quotes do not match", () => {
    const text = people(40, () => "") + '40,"x"y,Paris,2026-01-01,\n' + "41,z,Rome,2026-01-01,\n".repeat(30);
    expect(summarise(text).text).toContain(
      "CSV: 40 rows of 5 columns, below a header, as far as it can be read: the quotes in line 41 of 72 (from 0) do not match",
    );
  });

  it("is of bounded size for a field of megabytes and for thousands of columns", () => {
    const { text } = summarise(`a,b,c\n1,"${"x\n".repeat(1_000_000)}",2\n3,4,5\n`, CSV);
    expect(text).toContain("CSV: 2 rows of 3 columns");
    expect(text).toContain("(2,000,000 chars)");
    const names = Array.from({ length: 3_000 }, (_, index) => `c${index}`);
    const wide = summarise(`${names.join(",")}\n${names.map((_, index) => index).join(",")}\n`, CSV).text;
    expect(wide).toContain("CSV: 1 row of 3,000 columns");
    expect(wide).toMatch(/…\d+ more/);
  });

  it("compares numbers exactly and shows them as they are written", () => {
    const { text } = summarise(
      "id,amount\n9007199254740993,1.10\n9007199254740992,-0.50\n9007199254740994,1e1\n",
      CSV,
    );
    expect(text).toContain("id: 9007199254740992–9007199254740994, amount: -0.50–1e1");
  });
});
