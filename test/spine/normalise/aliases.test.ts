import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { fail, ok } from "../../../src/result.ts";
import {
  aliasNote,
  type AliasTable,
  defineFieldAliases,
  type FieldAliases,
} from "../../../src/spine/normalise/aliases.ts";
import { equalJson } from "../../../src/spine/normalise/equal-json.ts";
import {
  anyJson,
  anything,
  chars,
  hostileText,
  nestedArrays,
  nestedObjects,
  turnedAround,
} from "../render/json-values.ts";

function define(fields: readonly FieldAliases[]): AliasTable {
  const table = defineFieldAliases(fields);
  if (!table.ok) throw new Error(table.reason.name);
  return table.value;
}

const table = define([
  { field: "path", aliases: ["file_path", "filePath", "uri"] },
  { field: "__proto__", aliases: ["constructor"] },
  { field: "limit", aliases: ["max"] },
]);

describe("field aliases", () => {
  it("bring a value to its field, and say so", () => {
    expect(table.apply({ other: 1, filePath: "a", max: 3 })).toEqual(
      ok({
        fields: { other: 1, path: "a", limit: 3 },
        used: [
          { alias: "filePath", field: "path" },
          { alias: "max", field: "limit" },
        ],
      }),
    );
    expect(table.apply({ path: "a" })).toEqual(ok({ fields: { path: "a" }, used: [] }));
    expect(table.apply({})).toEqual(ok({ fields: {}, used: [] }));
  });

  it("keep the field's own value, where another name says the same", () => {
    const own = { a: 1, b: [1] };
    const read = table.apply({ uri: { b: [new ExactNumber("1.0")], a: 1 }, path: own });
    expect(read).toEqual(ok({ fields: { path: own }, used: [{ alias: "uri", field: "path" }] }));
    expect(table.apply({ max: undefined, limit: 2 })).toMatchObject({ value: { used: [] } });
    expect(table.apply({ max: 2, limit: undefined })).toEqual(
      ok({ fields: { limit: 2 }, used: [{ alias: "max", field: "limit" }] }),
    );
  });

  it.each([
    [{ uri: "b", path: "a" }, "path", ["path", "uri"]],
    [{ uri: "b", file_path: "a" }, "path", ["file_path", "uri"]],
    [{ path: "a", uri: "a", filePath: "b" }, "path", ["path", "filePath", "uri"]],
    [{ path: null, uri: "a" }, "path", ["path", "uri"]],
    [{ limit: 1, max: "1" }, "limit", ["limit", "max"]],
    [{ limit: [1, 2], max: [2, 1] }, "limit", ["limit", "max"]],
    [{ limit: { a: 1 }, max: { b: 1 } }, "limit", ["limit", "max"]],
    [
      { limit: new ExactNumber("12345678901234567890"), max: new ExactNumber("12345678901234567891") },
      "limit",
      ["limit", "max"],
    ],
    [JSON.parse('{"__proto__":1,"constructor":2}'), "__proto__", ["__proto__", "constructor"]],
  ])("with different values are a conflict: %j", (members: unknown, field, given) => {
    expect(table.apply(members)).toEqual(fail({ reason: "alias_conflict", field, given }));
  });

  it("called after a prototype's members are names like any others", () => {
    const read = table.apply({ constructor: "value" });
    expect(read.ok && Object.entries(read.value.fields)).toEqual([["__proto__", "value"]]);
    expect(read.ok && Object.getPrototypeOf(read.value.fields)).toBe(Object.prototype);
    expect(table.apply({ toString: 1 })).toEqual(ok({ fields: { toString: 1 }, used: [] }));
  });

  it.each([null, undefined, 7, "path", [["path", "a"]], new ExactNumber("1.0")])(
    "are not looked for in %s",
    (members) => {
      expect(table.apply(members)).toEqual(fail({ reason: "not_an_object" }));
    },
  );

  it.each([
    [[{ field: "a", aliases: ["b", "b"] }], "b"],
    [[{ field: "a", aliases: ["a"] }], "a"],
    [
      [
        { field: "a", aliases: ["c"] },
        { field: "b", aliases: ["c"] },
      ],
      "c",
    ],
    [
      [
        { field: "a", aliases: ["b"] },
        { field: "b", aliases: [] },
      ],
      "b",
    ],
  ])("that mean two things are no table: %j", (fields, name) => {
    expect(defineFieldAliases(fields)).toEqual(fail({ reason: "ambiguous_name", name }));
  });

  it("stay as they were defined", () => {
    const aliases = ["b"];
    const table = define([{ field: "a", aliases }]);
    aliases.push("c");
    expect(table.apply({ c: 1 })).toEqual(ok({ fields: { c: 1 }, used: [] }));
  });

  it("lose no value, invent none, and are the same whatever the members' order", () => {
    const names = [
      "path",
      "file_path",
      "filePath",
      "uri",
      "__proto__",
      "constructor",
      "limit",
      "max",
      "free",
    ];
    const members = fc
      .array(fc.tuple(fc.constantFrom(...names), fc.oneof(fc.constantFrom(1, "1"), anyJson)), {
        maxLength: 5,
      })
      .map((members): Record<string, unknown> => Object.fromEntries(members));
    fc.assert(
      fc.property(members, (members) => {
        const read = table.apply(members);
        const other = table.apply(Object.fromEntries(Object.entries(members).toReversed()));
        expect(other.ok).toBe(read.ok);
        const used = read.ok ? read.value.used : [];
        const fields = read.ok ? read.value.fields : members;
        expect(other.ok ? other.value.used : other).toEqual(read.ok ? used : read);
        expect(!other.ok || equalJson(other.value.fields, fields)).toBe(true);
        const fieldOf = new Map(used.map(({ alias, field }) => [alias, field]));
        for (const [name, value] of Object.entries(members)) {
          const field = fieldOf.get(name) ?? name;
          expect(value === undefined || equalJson(fields[field], value)).toBe(true);
        }
        const known = read.ok ? ["path", "__proto__", "limit", "free"] : names;
        for (const name of Object.keys(fields)) expect(known).toContain(name);
      }),
    );
  });

  it("make notes of bounded names", () => {
    expect(aliasNote({ alias: "filePath", field: "path" })).toBe("filePath was read as path");
    expect(aliasNote({ alias: "a b\n", field: "path" })).toBe('"a b\\n" was read as path');
    fc.assert(
      fc.property(hostileText, hostileText, (alias, field) => {
        const note = aliasNote({ alias, field });
        expect(chars(note)).toBeLessThanOrEqual(160);
        expect(note).not.toMatch(/[\p{Cc}\p{Surrogate}]/u);
      }),
    );
  });
});

describe("equal JSON", () => {
  it("is what says the same, at any depth", () => {
    expect(equalJson(nestedArrays(100_000), nestedArrays(100_000))).toBe(true);
    expect(equalJson(nestedArrays(100_000), nestedArrays(99_999))).toBe(false);
    expect(equalJson(nestedObjects(100_000), nestedObjects(100_000))).toBe(true);
    expect(equalJson(JSON.parse('{"__proto__":1}'), {})).toBe(false);
    expect(equalJson(JSON.parse('{"__proto__":{}}'), { a: {} })).toBe(false);
    expect(equalJson([], {})).toBe(false);
    expect(equalJson(0, -0)).toBe(true);
  });

  it("does not look at the order of members, and tells any two other values apart", () => {
    fc.assert(
      fc.property(anyJson, anyJson, (one, other) => {
        expect(equalJson(one, turnedAround(one))).toBe(true);
        expect(equalJson([one, 0], [one, 1])).toBe(false);
        expect(equalJson(one, other)).toBe(equalJson(other, one));
        const wrapped = parseExactJson('{"a":12345678901234567890}', { duplicates: "refuse" });
        expect(equalJson(wrapped, [one])).toBe(false);
      }),
    );
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        expect(typeof equalJson(one, other)).toBe("boolean");
      }),
    );
  });
});
