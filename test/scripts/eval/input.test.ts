import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Told } from "../../../scripts/command-line.ts";
import { addDistractors, readCatalog } from "../../../scripts/eval/input/catalog.ts";
import { chooseSets, findSets, pairedSet } from "../../../scripts/eval/input/find-sets.ts";
import { readQueries, unsatisfiable } from "../../../scripts/eval/input/queries.ts";
import { InputFault, parseRows, readRows, type Row } from "../../../scripts/eval/input/rows.ts";

const rows = (...values: unknown[]): Row[] =>
  values.map((value, index) => ({ file: "f", line: index + 1, value }));

function failureOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("a data file", () => {
  it("of lines may have empty lines and Windows line ends", () => {
    const found = parseRows('{"a":1}\r\n\r\n  \n{"a":2}', "f");
    expect(found).toEqual([
      { file: "f", line: 1, value: { a: 1 } },
      { file: "f", line: 4, value: { a: 2 } },
    ]);
  });

  it("as a list gives every entry with its line", () => {
    const text = '\n[\n {"a": "[\\n"},\n\n {"b":\n 2}, 3\n]';
    expect(parseRows(text, "f").map(({ line, value }) => [line, value])).toEqual([
      [3, { a: "[\n" }],
      [5, { b: 2 }],
      [6, 3],
    ]);
  });

  it.each([
    ['{"a":1}\n{"a":', 2],
    ['\n\n{"a":1} x', 3],
    ["[\n{},\n{]", 3],
    ["[\n{} // no\n]", 2],
    ["[\n{},\n]", 3],
  ])("that is malformed is told with its line: %j", (text, line) => {
    const read = () => parseRows(text, "f");
    expect(read).toThrow(InputFault);
    expect(read).toThrow(new RegExp(`^f:${line}: `));
  });

  it("gives the same values as lines and as a list, whatever they are", () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 }), (values) => {
        const expected: unknown = JSON.parse(JSON.stringify(values));
        const lines = values.map((value) => JSON.stringify(value)).join("\n");
        expect(parseRows(lines, "f").map(({ value }) => value)).toEqual(expected);
        expect(parseRows(JSON.stringify(values, null, 1), "f").map(({ value }) => value)).toEqual(expected);
      }),
    );
  });

  it("never fails but with its name and line", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string().map((text) => `[${text}`),
        ),
        (text) => {
          const failure = failureOf(() => parseRows(text, "f"));
          expect(failure ?? new InputFault("f", 1, "")).toBeInstanceOf(InputFault);
          expect(failure instanceof InputFault ? failure.line : 1).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe("a catalog", () => {
  it("needs ids and names only; what is not known is ignored", () => {
    const [bare, full] = readCatalog(
      rows(
        { id: "a", name: "n", annotations: null, server_title: 7 },
        { id: "b", name: "m", server: "s", title: "T", description: "d", inputSchema: { type: "object" } },
      ),
    );
    expect(bare).toEqual({ id: "a", name: "n", server: "", description: "", inputSchema: undefined });
    expect(full).toMatchObject({
      server: "s",
      title: "T",
      description: "d",
      inputSchema: { type: "object" },
    });
  });

  it.each([
    [7],
    [null],
    [{}],
    [{ id: "", name: "n" }],
    [{ id: 1, name: "n" }],
    [{ id: "a" }],
    [{ id: "a", name: "n", description: 1 }],
  ])("is refused with file and line: %j", (value) => {
    expect(() => readCatalog(rows({ id: "x", name: "x" }, value))).toThrow(/^f:2: /);
  });

  it("is refused where an id comes twice, with both lines", () => {
    const twice = rows({ id: "a", name: "n" }, { id: "a", name: "m" });
    expect(() => readCatalog(twice)).toThrow('f:2: id "a" is taken by line 1');
  });
});

describe("distractors", () => {
  const catalog = readCatalog(rows({ id: "a", name: "Read_File" }));

  it("are added but for names of the catalog, ids of the catalog and repeated ids", () => {
    const more = rows(
      { id: "b", name: "read_file" },
      { id: "a", name: "other" },
      { id: "c", name: "write", description: "first" },
      { id: "c", name: "write", description: "second" },
      { id: "d", name: "write" },
    );
    const tools = addDistractors(catalog, more);
    expect(tools.map(({ id, description }) => [id, description])).toEqual([
      ["a", ""],
      ["c", "first"],
      ["d", ""],
    ]);
  });
});

describe("queries", () => {
  it("may have graded gold, none, and keys of their own", () => {
    const gold = [
      { tool: "t", any_of: ["a", "b"], relevance: 2 },
      { any_of: ["c"], why: 1 },
    ];
    const read = readQueries(
      rows({ id: "q", query: "x", gold, steps: [] }, { id: "r", query: "", gold: [] }),
    );
    expect(read).toEqual([
      {
        id: "q",
        query: "x",
        gold: [
          { tool: "t", anyOf: ["a", "b"], relevance: 2 },
          { tool: "c", anyOf: ["c"], relevance: 1 },
        ],
      },
      { id: "r", query: "", gold: [] },
    ]);
  });

  it.each([
    [7],
    [{ query: "x", gold: [] }],
    [{ id: "", query: "x", gold: [] }],
    [{ id: "q", gold: [] }],
    [{ id: "q", query: "x" }],
    [{ id: "q", query: "x", gold: [{}] }],
    [{ id: "q", query: "x", gold: [7] }],
    [{ id: "q", query: "x", gold: [{ any_of: ["a", 1] }] }],
    [{ id: "q", query: "x", gold: [{ any_of: ["a"], relevance: -1 }] }],
    [{ id: "q", query: "x", gold: [{ any_of: ["a"], relevance: "2" }] }],
  ])("are refused with file and line: %j", (value) => {
    expect(() => readQueries(rows({ id: "x", query: "", gold: [] }, value))).toThrow(/^f:2: /);
  });

  it("tell what no tool of the catalog can satisfy", () => {
    const gold = [
      { any_of: ["a", "gone"] },
      { tool: "Lost", any_of: ["gone"] },
      { tool: "Empty", any_of: [] },
    ];
    const queries = readQueries(rows({ id: "q", query: "x", gold }));
    expect(unsatisfiable(queries, new Set(["a"]))).toEqual([
      { query: "q", tool: "Lost" },
      { query: "q", tool: "Empty" },
    ]);
  });
});

describe("a data folder", () => {
  let folder = "";
  const put = (path: string, text = ""): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "loomgate-test-"));
    put("README.md");
    put("two/catalog.json");
    put("two/b.jsonl");
    put("two/a.jsonl");
    put("lines/catalog.jsonl");
    put("lines/queries.jsonl");
    put("captured/capture.json");
    put("captured/own.jsonl");
    put("distractors/catalog_a.jsonl");
    put("no-queries/catalog.json");
    put("marked/x.jsonl", '\uFEFF{"a":1}');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("holds a set for each query file beside a catalog", () => {
    const sets = findSets(folder);
    expect(sets.map(({ name, catalog: { kind } }) => [name, kind])).toEqual([
      ["captured/own", "capture"],
      ["lines/queries", "file"],
      ["two/a", "file"],
      ["two/b", "file"],
    ]);
  });

  it("gives the sets that are asked for by name or folder, and says which there are", () => {
    const sets = findSets(folder);
    const names = (...asked: string[]) => chooseSets(sets, asked).map(({ name }) => name);
    expect(names()).toHaveLength(4);
    expect(names("two")).toEqual(["two/a", "two/b"]);
    expect(names("two/b", "lines/queries")).toEqual(["lines/queries", "two/b"]);
    expect(() => names("two/c")).toThrow(/two\/c; there are captured\/own, /);
  });

  it("names a pair of files like the set of a folder", () => {
    const [first] = findSets(folder).slice(2);
    const pair = pairedSet(join(folder, "two/catalog.json"), join(folder, "two/a.jsonl"));
    expect(pair).toEqual(first);
  });

  it("is refused where it is none, or holds no set", () => {
    expect(() => findSets(join(folder, "absent"))).toThrow(Told);
    expect(() => findSets(join(folder, "README.md"))).toThrow(Told);
    expect(() => findSets(join(folder, "two"))).toThrow(Told);
  });

  it("may have files with a byte order mark, and tells those that it lacks", () => {
    expect(readRows(join(folder, "marked/x.jsonl")).map(({ value }) => value)).toEqual([{ a: 1 }]);
    expect(() => readRows(join(folder, "absent.jsonl"))).toThrow(/absent\.jsonl: cannot be read \(ENOENT\)/);
  });
});
