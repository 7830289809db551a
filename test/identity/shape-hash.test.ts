import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asciiJson } from "../../src/identity/digest.ts";
import { promptArgumentNames, promptHash8, resourceHash8, toolHash8 } from "../../src/identity/shape-hash.ts";
import { anyString } from "./arbitraries.ts";
import { HASHES, TOOL_IDS, TOOL_IDS_INPUT_SCHEMA } from "./golden.ts";

const EMPTY = toolHash8("t", {});

function schemaOf(properties: readonly [string, unknown][], required: readonly unknown[]): unknown {
  return { type: "object", properties: Object.fromEntries(properties), required };
}

describe("escaped JSON", () => {
  it("escapes all but printable ASCII, in lower case, astral characters as two", () => {
    expect(asciiJson(["é", "\u007f", "\u{1f600}", "\ud800", "\n", '"'])).toBe(
      String.raw`["\u00e9","\u007f","\ud83d\ude00","\ud800","\n","\""]`,
    );
  });

  it("reads back to the same strings, and differs wherever they do", () => {
    fc.assert(
      fc.property(fc.array(anyString), (strings) => {
        const json = asciiJson(strings);
        expect(json).toMatch(/^[ -~]*$/);
        expect(JSON.parse(json)).toEqual(strings);
      }),
    );
  });
});

describe("tools' shape hashes", () => {
  it.each(TOOL_IDS)("hash $upstreamName as recorded", ({ upstreamName, hash8 }) => {
    expect(toolHash8(upstreamName, TOOL_IDS_INPUT_SCHEMA)).toBe(hash8);
  });

  it.each(HASHES)("hash $name with $schema as recorded", ({ name, schema, hash8 }) => {
    expect(toolHash8(name, schema)).toBe(hash8);
  });

  it.each([
    undefined,
    null,
    true,
    7,
    "properties",
    [],
    [{ properties: { a: {} } }],
    { properties: null },
    { properties: ["a"] },
    { properties: "a" },
    { properties: 1, required: "a" },
    { required: { a: true } },
    { required: [1, null, ["a"], { a: 1 }] },
    { $ref: "#" },
  ])("take the schema %j for an empty one", (schema) => {
    expect(toolHash8("t", schema)).toBe(EMPTY);
  });

  it("count the strings among what is required, repeats included", () => {
    const one = toolHash8("t", { required: ["a"] });
    expect(one).not.toBe(EMPTY);
    expect(toolHash8("t", { required: [3, "a", null] })).toBe(one);
    expect(toolHash8("t", { required: ["a", "a"] })).not.toBe(one);
  });

  it("sort by code point, where UTF-16 order would give other bytes", () => {
    const names = ["\u{1f600}", "\uffff", "\ud83d", "\u007f"];
    const properties = names.map((name): [string, unknown] => [name, {}]);
    expect(toolHash8("t", schemaOf(properties, names.slice(0, 2)))).toBe("ab6a98ff");
  });

  it("count nothing that an object inherits", () => {
    expect(toolHash8("t", Object.create({ properties: { a: {} } }))).toBe(EMPTY);
  });

  it("count a property called __proto__ like any other", () => {
    const schema: unknown = JSON.parse('{"properties": {"__proto__": {}}}');
    expect(toolHash8("t", schema)).not.toBe(EMPTY);
    const inherited: unknown = JSON.parse('{"__proto__": {"properties": {"a": {}}}}');
    expect(toolHash8("t", inherited)).toBe(EMPTY);
  });

  it("depend on no description, type or order", () => {
    const entries = fc.uniqueArray(fc.tuple(anyString, fc.jsonValue()), { selector: ([key]) => key });
    fc.assert(
      fc.property(entries, fc.array(anyString), fc.jsonValue(), (properties, required, prose) => {
        const hash = toolHash8("t", schemaOf(properties, required));
        const renamed = properties.toReversed().map(([key]): [string, unknown] => [key, prose]);
        expect(toolHash8("t", schemaOf(renamed, required.toReversed()))).toBe(hash);
      }),
    );
  });

  it("depend on the upstream's name, every property's name and what is required", () => {
    const hashes = [
      EMPTY,
      toolHash8("u", {}),
      toolHash8("t", schemaOf([["a", {}]], [])),
      toolHash8("t", schemaOf([["b", {}]], [])),
      toolHash8("t", schemaOf([], ["a"])),
      toolHash8("t", schemaOf([["a", {}]], ["a"])),
      toolHash8("t", schemaOf([["\ud800", {}]], [])),
      toolHash8("t", schemaOf([["\ud801", {}]], [])),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("are eight hex digits for any name and any JSON", () => {
    const parts = fc.oneof(
      fc.jsonValue(),
      fc.record({ properties: fc.jsonValue(), required: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(anyString, parts, (name, schema) => {
        expect(toolHash8(name, schema)).toMatch(/^[0-9a-f]{8}$/);
      }),
      { numRuns: 500 },
    );
  });

  it("do not descend into the schema, however deep it is", () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 100_000; depth += 1) deep = { properties: { a: deep } };
    expect(toolHash8("t", deep)).toBe(toolHash8("t", schemaOf([["a", {}]], [])));
  });
});

describe("prompts' and resources' shape hashes", () => {
  it("depend on no order of arguments, and on each name", () => {
    expect(promptHash8("p", ["b", "a"])).toBe(promptHash8("p", ["a", "b"]));
    expect(promptHash8("p", ["a"])).not.toBe(promptHash8("p", ["a", "b"]));
    expect(promptHash8("p", [])).not.toBe(promptHash8("q", []));
  });

  it("never alias another kind's for the same text", () => {
    const text = "x";
    expect(new Set([resourceHash8(text), promptHash8(text, []), toolHash8(text, {})]).size).toBe(3);
  });

  it("read the names of arguments out of anything", () => {
    expect(
      promptArgumentNames([
        { name: "b" },
        { name: "" },
        { name: 1 },
        null,
        "a",
        [],
        { title: "t" },
        { name: "a" },
      ]),
    ).toEqual(["b", "a"]);
    for (const none of [undefined, null, {}, "name", 1, { name: "a" }]) {
      expect(promptArgumentNames(none)).toEqual([]);
    }
  });
});
