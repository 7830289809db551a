import { describe, expect, it } from "vitest";
import { tableDelimiter } from "../../../src/firewall/summary/table/looks-like-table.ts";
import type { Selector } from "../../../src/firewall/view/selector.ts";
import { follow, look, refused, textArtifact, textsOf, tryLook } from "./look.ts";

const rows = (start: number, end?: number, columns?: readonly string[]): Selector => ({
  type: "rows",
  start,
  ...(end === undefined ? {} : { end }),
  ...(columns === undefined ? {} : { columns }),
});

describe("columns that only some rows have", () => {
  const isLate = (index: number) => index < 100 || index > 8900;
  const objects = Array.from(
    { length: 9000 },
    (_, index) => `{"i":${index}${isLate(index) ? ',"err":1' : ""}}`,
  );

  it.each([
    ["a JSON array", textArtifact(`[${objects.join(",")}]`, "application/json")],
    ["lines of JSON", textArtifact(objects.join("\n"), "application/x-ndjson")],
    ["lines of JSON that no media type tells of", textArtifact(objects.join("\n"))],
  ])("are followed to the end of %s", (_, artifact) => {
    const shown = textsOf(follow(artifact, rows(0, 100, ["err"]))).join("");
    expect(shown).toBe(objects.map((_object, index) => (isLate(index) ? '{"err":1}\n' : "{}\n")).join(""));
  });

  it("are refused where the first rows have none, with the way on", () => {
    const artifact = textArtifact('[{"a":1},{"a":2},{"b":3}]', "application/json");
    const { try: works, have } = refused(artifact, rows(0, 2, ["b"]));
    expect(have).toEqual(["a"]);
    expect(works).toEqual([rows(0, 10), rows(2, 3, ["b"])]);
    expect(look(artifact, rows(2, 3, ["b"])).text).toBe('{"b":3}\n');
    expect(look(artifact, rows(0, 0, ["b"])).next).toBeUndefined();
  });
});

describe("rows that no media type tells of", () => {
  it.each([
    ['[{"a":1}, 2]', '{"a":1}\n2\n'],
    ['\uFEFF [{"a":1},\n2]', '{"a":1}\n2\n'],
    ["[]", ""],
    ['\uFEFF{"a":1}\n{"a":2}\n', '{"a":1}\n{"a":2}\n'],
  ])("are those of JSON in %j", (text, shown) => {
    for (const mediaType of ["text/plain", "", "application/octet-stream"]) {
      expect(look(textArtifact(text, mediaType), rows(0)).text).toBe(shown);
    }
  });

  it.each([
    "[2026-01-01] it started",
    "[1]: a footnote",
    "[a, b]",
    "[1, 2",
    '["a" "b"',
    "[1] [2]",
    "{a}",
    "[1,]x",
  ])("are not found in %j", (text) => {
    expect(refused(textArtifact(text), rows(0)).problem).toContain("neither a table nor");
  });
});

describe("a table's delimiter", () => {
  it.each([
    "a;b;c\n1;2,5;3\n4;5\n6;7;8\n9;0;1\n",
    "a;b,x;c\n1;2;3\nnote\n6;7;8\n",
    "a\tb\n1\t2\n3\n4\t5\n",
    "a,b\n1;2,3\n4;5,6\n",
    "one\n1\n",
  ])("of %j is the one that the summary tells", (text) => {
    const mark = tableDelimiter(text, true, true) ?? ",";
    const [name = ""] = (text.split("\n")[0] ?? "").split(mark);
    const shown = look(textArtifact(text, "text/csv"), rows(0, 1, [name])).text;
    expect(shown).toBe(`${name}\n${(text.split("\n")[1] ?? "").split(mark)[0]}\n`);
  });
});

describe("rows of Markdown's tables", () => {
  const table = textArtifact("| id | a name |\n|---|:--:|\n| 1 | Ada |\n| 2 | Bob |\n", "text/markdown");

  it("are those below the line of dashes, and cells are what is in them", () => {
    expect(look(table, rows(0, 1))).toMatchObject({
      text: "| id | a name |\n| 1 | Ada |\n",
      next: rows(1, 2),
      total: { rows: 2 },
    });
    expect(textsOf(follow(table, rows(0, 1, ["a name", "id"])))).toEqual([
      "a name|id\nAda|1\n",
      "a name|id\nBob|2\n",
    ]);
    expect(refused(table, rows(0, 1, ["x"])).have).toEqual(["id", "a name"]);
  });
});

describe("the next of any rows of what is too large for one read", () => {
  const element = `{"id":1,"body":"${"y".repeat(500)}"}`;
  const json = `[${`${element},`.repeat(17_000)}${element}]`;
  it.each([
    ["an array", textArtifact(json, "application/json")],
    ["a marked array of text", textArtifact(`\uFEFF${json}`)],
    ["lines of JSON", textArtifact(`${element}\n`.repeat(17_000))],
    ["a table", textArtifact(`id,body\n${`1,${"y".repeat(500)}\n`.repeat(17_000)}`, "text/csv")],
  ])("is taken, and goes on or ends, in %s", (_, artifact) => {
    expect(artifact.bytes.length).toBeGreaterThan(8 * 1_048_576);
    const windows = [
      rows(0, 0),
      rows(5, 2),
      rows(16_900, 17_100),
      rows(16_999, 16_999),
      rows(99_999, 99_999, ["id"]),
    ];
    for (const first of windows) {
      const shown = tryLook(artifact, first);
      const asked = [JSON.stringify(first)];
      let next = shown.ok ? shown.value.next : undefined;
      // What is refused throws.
      for (let step = 0; next !== undefined && step < 4; step += 1) {
        asked.push(JSON.stringify(next));
        next = look(artifact, next).next;
      }
      expect(new Set(asked).size).toBe(asked.length);
    }
  });

  it("where nothing counts the rows, the end is shown by what can show it", () => {
    expect(refused(textArtifact(json, "application/json"), rows(-1)).try).toEqual([
      { type: "bytes", offset: json.length - 4096, length: 4096 },
      rows(0, 10),
    ]);
  });
});

describe("JSON that is cut anywhere", () => {
  const document = '[{"a":[1,"x"],"b":"\\"c"},-12.5e3,"d",true,[[]],null]';
  const cuts = Array.from({ length: document.length }, (_, length) => document.slice(0, length));

  it.each(["application/json", "text/plain"])("ends every view of it, in a %s", (mediaType) => {
    for (const cut of cuts) {
      for (const text of [cut, `{"k":${cut}`, `\uFEFF${cut}`]) {
        const artifact = textArtifact(text, mediaType);
        expect(tryLook(artifact, rows(0)).ok).toBe(false);
        expect(tryLook(artifact, { type: "json_path", path: "$[*]" }).ok).toBe(false);
        const keys = tryLook(artifact, { type: "json_keys", keys: ["k", "z"] });
        expect(keys.ok && keys.value.next).toBeFalsy();
      }
    }
  });
});
