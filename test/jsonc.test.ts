import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRecord } from "../src/json.ts";
import { CONFIG_MAX_DEPTH } from "../src/limits.ts";
import { readJsonc } from "../src/jsonc.ts";

describe("readJsonc", () => {
  it("reads comments and trailing commas", () => {
    expect(readJsonc('{ // why\n "a": [1, 2,], /* and */ "b": null, }')).toEqual({
      ok: true,
      value: { a: [1, 2], b: null },
    });
  });

  it("reads a file that begins with a byte order mark as one without", () => {
    expect(readJsonc('\uFEFF{"a": 1}')).toEqual({ ok: true, value: { a: 1 } });
    expect(readJsonc('\uFEFF{"a" 1}')).toEqual(readJsonc('{"a" 1}'));
    expect(readJsonc('\uFEFF\uFEFF{"a": 1}').ok).toBe(false);
    expect(readJsonc('{"a": "\uFEFF\uFFFD"}').ok).toBe(true);
  });

  it.each([
    ["UTF-16, little end first", "utf-16le", "\uFEFF"],
    ["UTF-16, little end first, without its mark", "utf-16le", ""],
    ["UTF-16, big end first", "utf-16be", "\uFEFF"],
    ["UTF-16, big end first, without its mark", "utf-16be", ""],
  ])("says of a file in %s that its encoding is another", (_, encoding, mark) => {
    for (const text of ['{"a": 1}', "// words\n{}", " {}", "[]"]) {
      const bytes = Buffer.from(mark + text, "utf-16le");
      if (encoding === "utf-16be") bytes.swap16();
      expect(readJsonc(bytes.toString("utf8"))).toMatchObject({
        ok: false,
        reason: { line: 1, column: 1, message: "this is not UTF-8: save the file as UTF-8" },
      });
    }
  });

  it("refuses a key written twice in one object, and says where", () => {
    expect(readJsonc('{\n  "a": 1,\n  "a": 2\n}')).toEqual({
      ok: false,
      reason: { line: 3, column: 3, message: 'the key "a" is written twice' },
    });
  });

  it("refuses a key that validators drop in silence", () => {
    expect(readJsonc('{"a": {"__proto__": {"x": 1}}}').ok).toBe(false);
    expect({}).not.toHaveProperty("x");
  });

  it.each(["[", '{"a":', '[{"a":'])(
    "refuses %s a hundred thousand times over, and any nesting past its bound",
    (open) => {
      const deep = readJsonc(open.repeat(100_000));
      expect(deep).toMatchObject({ ok: false, reason: { line: 1, message: "nested too deep" } });
      expect(readJsonc("[".repeat(CONFIG_MAX_DEPTH) + "]".repeat(CONFIG_MAX_DEPTH)).ok).toBe(true);
      expect(readJsonc(JSON.stringify(["[".repeat(1000), { "{{{{": "}" }])).ok).toBe(true);
      expect(readJsonc(`// ${"{".repeat(1000)}\n/* ${"[".repeat(1000)} */ {}`).ok).toBe(true);
    },
  );

  it("keeps a key named like a prototype's member as data", () => {
    const read = readJsonc('{"toString": {"x": 1}, "constructor": 2}');
    expect(read.ok && isRecord(read.value) && Object.entries(read.value)).toEqual([
      ["toString", { x: 1 }],
      ["constructor", 2],
    ]);
    expect({}).not.toHaveProperty("x");
  });

  it.each(["", "  ", "{", '{"a"}', "{'a': 1}", '{"a": 1} x', "[1 2]"])("refuses %j", (text) => {
    expect(readJsonc(text).ok).toBe(false);
  });

  it("reads back any JSON", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.includes("__proto__"));
        const read = readJsonc(text);
        expect(read.ok && JSON.stringify(read.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(() => readJsonc(text)).not.toThrow();
      }),
    );
  });
});
