import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWritten } from "../../../src/exact-json/parse.ts";
import { listedEntry } from "../../../src/catalog/refresh/listed-entry.ts";
import { canonicalJson } from "../../../src/catalog/snapshot/canonical-json.ts";

const anyJson = fc.jsonValue({ stringUnit: "binary" });

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

describe("an entry of a listing", () => {
  it("is a text that says the value it came as", () => {
    fc.assert(
      fc.property(anyJson, (came) => {
        const value: unknown = JSON.parse(JSON.stringify(came));
        const entry = listedEntry(value);
        if (typeof entry !== "string") throw new Error(entry.reason);
        expect(JSON.parse(entry)).toEqual(value);
        expect(canonicalJson(JSON.parse(entry))).toBe(canonicalJson(value));
        expect(listedEntry(JSON.parse(entry))).toBe(entry);
      }),
    );
  });

  it.each([
    '{"name":"a","__proto__":{"polluted":true},"constructor":1}',
    String.raw`{"name":"\ud800 alone","\udc00":"\udbff"}`,
    '{"2":"b","1":"a","name":"numbers first"}',
    '{"toJSON":"a member like any other"}',
    '{"default":null,"items":[null,{"x":null}]}',
  ])("keeps every member of %s", (text) => {
    const value: unknown = JSON.parse(text);
    const entry = listedEntry(value);
    if (typeof entry !== "string") throw new Error(entry.reason);
    expect(canonicalJson(JSON.parse(entry))).toBe(canonicalJson(value));
  });

  it("of a value that is said twice is what the last one says", () => {
    expect(listedEntry(JSON.parse('{"name":"a","name":"b"}'))).toBe('{"name":"b"}');
  });

  it.each([
    ['{"name":"far","maximum":1e999}', { isObject: true, name: "far", reason: "not_json" }],
    ['{"name":["no"],"maximum":[{"x":-1e999}]}', { isObject: true, name: undefined, reason: "not_json" }],
    ["[1e999]", { isObject: false, name: undefined, reason: "not_json" }],
  ])("without a JSON of its own keeps its place: %s", (text, left) => {
    expect(listedEntry(JSON.parse(text))).toEqual(left);
  });

  it("nested deeper than anything can walk is a text like any other", () => {
    const entry = listedEntry({ name: "deep", inputSchema: nested(100_000) });
    if (typeof entry !== "string") throw new Error(entry.reason);
    expect(entry.startsWith('{"name":"deep","inputSchema":{"a":{"a":')).toBe(true);
    expect(entry.endsWith("}}}")).toBe(true);
  });

  it.each([
    '{"name":"a","maximum":18446744073709551615,"default":1.0,"x":[1e3,-0,1e400,0.1e-7]}',
    "[12345678901234567890,12345678901234567891]",
  ])("has its numbers as they were written: %s", (text) => {
    expect(listedEntry(parseWritten(text))).toBe(text);
  });
});
