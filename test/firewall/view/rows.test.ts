import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DELIMITERS, fieldsOf, recordOf, RecordScanner } from "../../../src/firewall/view/rows/records.ts";
import type { Selector } from "../../../src/firewall/view/selector.ts";
import { VIEW_MAX_BYTES } from "../../../src/limits.ts";
import { follow, look, refused, textArtifact, textsOf, wellFormed } from "./look.ts";

const rows = (start: number, end?: number, columns?: readonly string[]): Selector => ({
  type: "rows",
  start,
  ...(end === undefined ? {} : { end }),
  ...(columns === undefined ? {} : { columns }),
});
const encoder = new TextEncoder();

describe("rows of a table", () => {
  const table = textArtifact('id,name,note\n1,Ada,"says ""hi"",\nand more"\n2,漢,\n3,"x",last', "text/csv");

  it("shows the header and then the rows as they were written", () => {
    expect(look(table, rows(0, 2))).toEqual({
      text: 'id,name,note\n1,Ada,"says ""hi"",\nand more"\n2,漢,\n',
      media_type: "text/csv",
      selector: rows(0, 2),
      next: rows(2, 3),
      total: { bytes: table.bytes.length, lines: 5, rows: 3 },
    });
    expect(look(table, rows(2)).text).toBe('id,name,note\n3,"x",last');
  });

  it.each([
    [rows(-1), [2, 3]],
    [rows(-2, -1), [1, 2]],
    [rows(-99, 99), [0, 3]],
    [rows(2, 1), [2, 2]],
  ])("%j counts negatives from the end, as slices do", (selector, [start, end]) => {
    expect(look(table, selector).selector).toEqual(rows(start ?? 0, end));
  });

  it.each([rows(3), rows(1e300, -1e300), rows(4, 9, ["id"])])(
    "%j is behind the end, and is told where that is",
    (selector) => {
      expect(refused(table, selector)).toEqual({
        problem: "there are 3 rows, numbered from 0",
        try: [rows(0, 3)],
      });
    },
  );

  it("shows the columns asked for, in the order asked for, quoted where need be", () => {
    expect(look(table, rows(0, 3, ["note", "id"])).text).toBe(
      'note,id\n"says ""hi"",\nand more",1\n,2\nlast,3\n',
    );
    expect(look(table, rows(1, 2, ["id"])).next).toEqual(rows(2, 3, ["id"]));
    expect(refused(table, rows(0, 1, ["id", "nme"]))).toMatchObject({ have: ["id", "name", "note"] });
  });

  it.each([
    ["a\tb\n1\t2\n", "text/tab-separated-values", "1\t2\n"],
    ["a;b\n1,5;2\n", "text/csv", "1,5;2\n"],
    ["a|b\n1|2\n", "text/plain", "1|2\n"],
    ["a,b\r\n1,2\r\n", "text/plain", "1,2\r\n"],
    ["\uFEFFa,b\n1,2\n\n\r\n", "text/plain", "1,2\n"],
    ["one\n1\n", "text/csv", "1\n"],
    ["a\tb\n1\n", "text/tsv", "1\n"],
  ])("knows %j of %s", (text, mediaType, row) => {
    const shown = look(textArtifact(text, mediaType), rows(0));
    expect(shown.text?.endsWith(`\n${row}`)).toBe(true);
    expect(shown.total.rows).toBe(1);
    expect(shown.next).toBeUndefined();
  });

  it("finds a column behind a byte order mark", () => {
    expect(look(textArtifact("\uFEFFa,b\n1,2\n"), rows(0, 1, ["a"])).text).toBe("a\n1\n");
  });

  it.each(["", "prose, with a comma\nand a line without", "a,b\n", "one line", "a,b\n1,2,3\n4,5"])(
    "does not take %j for a table",
    (text) => {
      expect(refused(textArtifact(text), rows(0)).try).toEqual(["lines", "grep"]);
    },
  );

  it("shows a row that is too long by its bytes, from its beginning", () => {
    const long = textArtifact(`a,b\n1,2\n3,${"é".repeat(20_000)}\n5,6\n`);
    expect(look(long, rows(0)).next).toEqual(rows(1, 3));
    expect(look(long, rows(1))).toMatchObject({
      selector: { type: "bytes", offset: 8, length: 16_384 },
      next: { type: "bytes", offset: 8 + 16_384 },
    });
    expect(look(long, rows(1, 2, ["a"])).text).toBe("a\n3\n");
  });

  it("does not repeat a header that would fill every answer", () => {
    const wide = textArtifact(
      `${Array.from({ length: 3000 }, (_, index) => `column${index}`).join(",")}\n`.repeat(2),
      "text/csv",
    );
    expect(look(wide, rows(0)).selector.type).toBe("bytes");
    expect(look(wide, rows(0, 1, ["column7"])).text).toBe("column7\ncolumn7\n");
  });

  it("of any content are read whole by following next, each row once", () => {
    const field = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom('"', "\n", ",", "a\r\nb", "", " "),
      fc.constant("x".repeat(3000)),
    );
    const records = fc.array(fc.array(field, { minLength: 3, maxLength: 3 }), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(records, fc.constantFrom(1, 2, 7, 100), (data, window) => {
        const names = ["id", "b", "c"];
        const numbered = data.map(([, b = "", c = ""], index) => [
          String(index),
          wellFormed(b),
          wellFormed(c),
        ]);
        const text = [names, ...numbered].map((fields) => recordOf(fields, "comma")).join("");
        const views = follow(textArtifact(text, "text/csv"), rows(0, window));
        const header = recordOf(names, "comma");
        expect(views.every((view) => view.text?.startsWith(header))).toBe(true);
        expect(
          textsOf(views)
            .map((each) => each.slice(header.length))
            .join(""),
        ).toBe(text.slice(header.length));
        const one = textsOf(follow(textArtifact(text, "text/csv"), rows(0, window, ["c"])))
          .map((each) => each.slice(2))
          .join("");
        expect(one).toBe(numbered.map(([, , c = ""]) => recordOf([c], "comma")).join(""));
      }),
      { numRuns: 150 },
    );
  });
});

describe("records", () => {
  it("are read back as they were written, with any delimiter", () => {
    const fields = fc.array(
      fc.string({ unit: fc.constantFrom("a", '"', ",", "\t", ";", "|", "\n", "\r", " ", "漢") }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(
        fields,
        fc.constantFrom("comma", "tab", "semicolon", "pipe" as const),
        (written, delimiter) => {
          const record = recordOf(written, delimiter);
          expect(fieldsOf(record, delimiter)).toEqual(written);
          const bytes = encoder.encode(`${record}next\n`);
          expect(new RecordScanner(bytes, delimiter, true).next()).toEqual({
            start: 0,
            end: bytes.length - 5,
          });
        },
      ),
    );
  });

  it("are found in any bytes, wherever these are cut, and all bytes but empty lines are in one", () => {
    const unit = fc.constantFrom(0x22, 0x2c, 0x0a, 0x0d, 0x61, 0x20);
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), fc.nat(60), (units, cut) => {
        const bytes = Uint8Array.from(units);
        const all = new RecordScanner(bytes, "comma", true);
        const spans = [];
        for (let span = all.next(); span !== undefined; span = all.next()) spans.push(span);
        let at = 0;
        for (const { start, end } of spans) {
          expect(bytes.subarray(at, start).every((byte) => byte === 0x0a || byte === 0x0d)).toBe(true);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        // A first piece finds the same records as long as they end in it.
        const piece = new RecordScanner(bytes.subarray(0, cut), "comma", false);
        for (let span = piece.next(), index = 0; span !== undefined; span = piece.next(), index += 1) {
          expect(span).toEqual(spans[index]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("with as many quoted fields as bytes are walked once", () => {
    // A look for the line's end at every field would be a trillion steps.
    const bytes = encoder.encode(`${'"",'.repeat(1_000_000)}\n`);
    expect(new RecordScanner(bytes, "comma", true).next()).toEqual({ start: 0, end: bytes.length });
    const lines = encoder.encode('"a\n'.repeat(1_000_000));
    let count = 0;
    const scanner = new RecordScanner(lines, "pipe", true);
    while (scanner.next() !== undefined) count += 1;
    expect(count).toBeGreaterThan(0);
  });

  it("know every delimiter by a word", () => {
    expect(Object.values(DELIMITERS)).toEqual([",", "\t", ";", "|"]);
  });
});

describe("rows of a JSON array", () => {
  const array = textArtifact(
    '[ {"id": 1.0, "n": {"x": [1, 2]}},\n "two", 12345678901234567890, [3] ]',
    "application/json",
  );

  it("shows an element a line, compact and as written", () => {
    expect(look(array, rows(0, 3))).toEqual({
      text: '{"id":1.0,"n":{"x":[1,2]}}\n"two"\n12345678901234567890\n',
      media_type: "application/json",
      selector: rows(0, 3),
      next: rows(3, 4),
      total: { bytes: array.bytes.length, lines: 2, rows: 4 },
    });
    expect(look(array, rows(-1)).text).toBe("[3]\n");
    expect(refused(array, rows(4))).toEqual({
      problem: "there are 4 rows, numbered from 0",
      try: [rows(0, 4)],
    });
    expect(look(textArtifact("[]", "application/json"), rows(0)).total.rows).toBe(0);
  });

  it("shows of each object the members asked for", () => {
    const people = textArtifact(
      '[{"id":1e3,"name":"Ada","__proto__":1},{"id":2},"x",{"b":1}]',
      "application/json",
    );
    expect(look(people, rows(0, 4, ["name", "id"])).text).toBe(
      '{"name":"Ada","id":1e3}\n{"id":2}\n"x"\n{}\n',
    );
    expect(look(people, rows(0, 1, ["__proto__"])).text).toBe('{"__proto__":1}\n');
    expect(refused(people, rows(0, 2, ["constructor"]))).toMatchObject({ have: ["id", "name", "__proto__"] });
  });

  it("tells where in an object the arrays are", () => {
    const object = textArtifact('{"total":2,"items":[{"id":1}],"o\'dd":[1]}', "application/json");
    expect(refused(object, rows(0)).try).toEqual([
      { type: "json_path", path: "$['items'][0:100]" },
      { type: "json_path", path: "$['o\\'dd'][0:100]" },
      "json_keys",
    ]);
    expect(look(object, { type: "json_path", path: "$['o\\'dd'][0:100]" }).text).toBe("1");
  });

  it("shows an element that is too long by its bytes", () => {
    const long = textArtifact(JSON.stringify([1, "x".repeat(20_000), 3]), "application/json");
    expect(look(long, rows(0))).toMatchObject({ text: "1\n", next: rows(1, 3) });
    expect(look(long, rows(1)).selector).toEqual({ type: "bytes", offset: 3, length: 16_384 });
  });

  it("of any values are read whole by following next, each element once", () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }), { maxLength: 30 });
    fc.assert(
      fc.property(values, fc.constantFrom(1, 3, 100), fc.nat(2), (elements, window, spaces) => {
        const artifact = textArtifact(JSON.stringify(elements, null, spaces), "application/json");
        const lines = textsOf(follow(artifact, rows(0, window)))
          .join("")
          .split("\n")
          .slice(0, -1);
        expect(lines).toEqual(elements.map((each) => JSON.stringify(each)));
      }),
      { numRuns: 150 },
    );
  });
});

describe("rows of lines of JSON", () => {
  const lines = Array.from(
    { length: 3000 },
    (_, index) => `{"i": ${index}, "text": "${"漢".repeat(index % 40)}"}\n`,
  );

  it.each(["text/plain", "application/x-ndjson", "application/json"])(
    "are its lines, in a %s",
    (mediaType) => {
      const artifact = textArtifact(`${lines.join("")}\n`, mediaType);
      const shown = textsOf(follow(artifact, rows(0, 500))).join("");
      expect(shown).toBe(lines.join("").replaceAll(": ", ":").replaceAll(", ", ","));
      expect(look(artifact, rows(-3, -1, ["i"])).text).toBe('{"i":2998}\n{"i":2999}\n');
      expect(look(artifact, rows(0, 1)).total.rows).toBe(3001);
    },
  );

  it("shows a line that is no JSON as it is", () => {
    const artifact = textArtifact('{"a":1}\n{"a":2}\nbroken {\n', "text/plain");
    expect(look(artifact, rows(0)).text).toBe('{"a":1}\n{"a":2}\nbroken{\n');
  });
});

describe("rows of what is too large for one read", () => {
  it("of a table go on where the read ended, with the row's number and the columns' places", () => {
    const record = (index: number) => `${index},"note\n${index % 7}",${"x".repeat(60)}\n`;
    const records = Array.from({ length: 220_000 }, (_, index) => record(index));
    const artifact = textArtifact(`id,note,more\n${records.join("")}`, "text/csv");
    expect(artifact.bytes.length).toBeGreaterThan(16 * 1_048_576);
    const far = follow(artifact, rows(215_000, 215_003, ["note", "id"]), 5000).slice(0, 3);
    expect(far.map(({ text }) => text?.slice(0, 32))).toEqual([
      expect.stringMatching(/^row 215000 is further on: \d+/),
      '"note\n2",215000\n"note\n3",215001\n',
      '"note\n5",215003\n"note\n6",215004\n',
    ]);
    expect(refused(artifact, rows(-5)).try).toEqual([{ type: "lines", start: -10 }, rows(0, 10)]);
    expect(look(artifact, rows(0, 1)).total.rows).toBeUndefined();
    const ids = textsOf(follow(artifact, rows(0, 100_000, ["id"]), 200))
      .map((text) => text.replace(/^id\n/, ""))
      .join("");
    expect(ids).toBe(records.map((_, index) => `${index}\n`).join(""));
  });

  it("of a JSON array go on where the read ended", () => {
    const elements = Array.from(
      { length: 14_000 },
      (_, index) => `{"id":${index},"body":"${'y]\\"'.repeat(200)}"}`,
    );
    const artifact = textArtifact(`[${elements.join(", ")}]`, "application/json");
    expect(artifact.bytes.length).toBeGreaterThan(8 * 1_048_576);
    const far = follow(artifact, rows(13_000, 13_002, ["id"]), 20_000).slice(0, 2);
    expect(textsOf(far)).toEqual([
      expect.stringMatching(/^row 13000 is further on: \d+ rows passed$/),
      '{"id":13000}\n{"id":13001}\n',
    ]);
    const all = textsOf(follow(artifact, rows(0, 200_000, ["id"]), 2000)).join("");
    expect(all).toBe(elements.map((_, index) => `{"id":${index}}\n`).join(""));
    expect(refused(artifact, rows(0, -1)).problem).toContain("too large");
  });

  it("of lines of JSON are found by the index, from either end", () => {
    const lines = Array.from(
      { length: 120_000 },
      (_, index) => `{"id":${index},"body":"${"z".repeat(80)}"}\n`,
    );
    const artifact = textArtifact(lines.join(""));
    expect(artifact.bytes.length).toBeGreaterThan(8 * 1_048_576);
    const far = follow(artifact, rows(119_990, 119_995, ["id"]), 5);
    expect(textsOf(far)).toEqual([
      "row 119990 is further on",
      '{"id":119990}\n{"id":119991}\n{"id":119992}\n{"id":119993}\n{"id":119994}\n',
      '{"id":119995}\n{"id":119996}\n{"id":119997}\n{"id":119998}\n{"id":119999}\n',
    ]);
    const known = { ...artifact, shape: { ...artifact.shape, mediaType: "application/x-ndjson" } };
    expect(look(known, rows(-2, undefined, ["id"])).text).toBe('{"id":119998}\n{"id":119999}\n');
    const lost = { ...known, shape: { ...known.shape, lineIndex: "garbage" } };
    expect(refused(lost, rows(-2)).try).toEqual(["bytes", "grep"]);
  });

  it("takes no made-up resume for more than it is", () => {
    const artifact = textArtifact("a,b\n1,2\n3,4\n");
    for (const resume of [
      "csv",
      "comma",
      "comma:x",
      "json:",
      "json:o1.o2",
      "ndjson:1",
      "comma:1:",
      "comma:1:1,",
    ]) {
      expect(refused(artifact, { type: "rows", start: 0, offset: 4, resume }).problem).toContain(
        "come from next",
      );
    }
    expect(refused(artifact, { type: "rows", start: 0, offset: 4 }).problem).toContain("come from next");
    const shown = look(artifact, {
      type: "rows",
      start: 0,
      columns: ["b"],
      offset: 4,
      resume: "comma:0:1,999999",
    });
    expect(shown.text).toBe("2,\n4,\n");
    expect(shown.text?.length).toBeLessThanOrEqual(VIEW_MAX_BYTES);
  });
});
