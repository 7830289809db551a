import { describe, expect, it } from "vitest";
import {
  ARGUMENT_ERROR_PATH_MAX_CHARS,
  ARGUMENT_ERRORS_MAX_COUNT,
  ARGUMENTS_MAX_DEPTH,
} from "../../src/limits.ts";
import { compileSchema, type CompiledSchema } from "../../src/schema/validator.ts";

const draft7 = "http://json-schema.org/draft-07/schema#";

function compiled(schema: unknown): CompiledSchema {
  const result = compileSchema(schema);
  if (!result.ok) throw new Error(`${result.reason.code} ${result.reason.path}`);
  return result.value;
}

/** `keyword path` of each error; empty when valid. */
function errors(schema: unknown, instance: unknown): readonly string[] {
  const verdict = compiled(schema).validate(instance);
  return verdict.valid ? [] : verdict.errors.map(({ path, keyword }) => `${keyword} ${path}`);
}

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });

/** Not written as a literal: an object with a `then` looks like a promise to tools. */
const consequence = (schema: unknown): object =>
  Object.fromEntries(["then"].map((keyword) => [keyword, schema]));

describe("errors", () => {
  it("point at the value, and for what is missing or not allowed at the member", () => {
    const schema = object(
      { a: { type: "string" }, n: { minimum: 3 } },
      { required: ["b", "c/d~"], additionalProperties: false },
    );
    expect(errors(schema, { a: 1, n: 2, "x y%#é": 2 })).toEqual([
      "required /b",
      "required /c~1d~0",
      "type /a",
      "minimum /n",
      "additionalProperties /x y%#é",
    ]);
  });

  it.each([
    [
      "an item",
      object({ a: { items: { type: "integer" } } }),
      { a: [1, "x", 2, "y"] },
      ["type /a/1", "type /a/3"],
    ],
    [
      "a referenced schema",
      { ...object({ a: { $ref: "#/$defs/s" } }), $defs: { s: { type: "string" } } },
      { a: 1 },
      ["type /a"],
    ],
    [
      "a branch of allOf",
      object({ a: { allOf: [{ type: "string" }, { maxLength: 1 }] } }),
      { a: "xx" },
      ["maxLength /a"],
    ],
    [
      "a consequence",
      object({}, { if: { required: ["a"] }, ...consequence({ required: ["b"] }) }),
      { a: 1 },
      ["required /b"],
    ],
    [
      "a dependency",
      object({}, { dependentRequired: { a: ["b", "c"] } }),
      { a: 1, c: 1 },
      ["dependentRequired /b"],
    ],
    ["a pattern", object({ a: { pattern: "^\\d+$" } }), { a: "x" }, ["pattern /a"]],
    ["a name", object({}, { propertyNames: { maxLength: 2 } }), { abc: 1 }, ["propertyNames /abc"]],
    [
      "contains, not the items that it did not count",
      object({ a: { contains: { type: "integer" } } }),
      { a: ["x", "y"] },
      ["contains /a"],
    ],
    [
      "minContains alone",
      object({ a: { contains: { type: "integer" }, minContains: 2 } }),
      { a: ["x", 1] },
      ["minContains /a"],
    ],
    [
      "a member beyond the known",
      object({ a: {} }, { unevaluatedProperties: false }),
      { b: 1 },
      ["unevaluatedProperties /b"],
    ],
    [
      "an item beyond the tuple",
      object({ a: { prefixItems: [{}], items: false } }),
      { a: [1, 2] },
      ["not /a/1"],
    ],
    [
      "repeated items",
      object({ a: { uniqueItems: true } }),
      {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      },
      ["uniqueItems /a"],
    ],
    ["the arguments themselves", object({}), [], ["type "]],
  ])("name the keyword that failed: %s", (_, schema, instance, expected) => {
    expect(errors(schema, instance)).toEqual(expected);
  });

  it("explain a choice by the alternative that was meant, or by what all alternatives miss", () => {
    const shape = (kind: string, size: string): object => ({
      type: "object",
      properties: { kind: { const: kind }, [size]: { type: "number" } },
      required: ["kind", size],
    });
    const schema = object({
      s: { oneOf: [shape("circle", "r"), shape("square", "w")] },
      n: { anyOf: [{ type: "string" }, { type: "null" }] },
    });
    expect(errors(schema, { s: { kind: "square" } })).toEqual(["required /s/w"]);
    expect(errors(schema, { s: { kind: "circle", r: "x" } })).toEqual(["type /s/r"]);
    expect(errors(schema, { s: { kind: "blob" } })).toEqual(["const /s/kind"]);
    expect(errors(schema, { s: {} })).toEqual(["required /s/kind"]);
    expect(errors(schema, { s: 3, n: 3 })).toEqual(["type /s", "type /n"]);
    const either = object({}, { anyOf: [{ required: ["a"] }, { required: ["b"] }] });
    expect(errors(either, {})).toEqual(["anyOf "]);
    const both = object({ a: { oneOf: [{ type: "integer" }, { minimum: 1 }, { type: "string" }] } });
    expect(errors(both, { a: 3 })).toEqual(["oneOf /a"]);
  });

  it("are each told once, are bounded in number, and do not give back a long name", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 1]));
    expect(errors(object({}, { additionalProperties: false }), many)).toHaveLength(ARGUMENT_ERRORS_MAX_COUNT);
    const long = errors(object({}, { additionalProperties: false }), { ["n".repeat(10_000)]: 1 });
    expect(long).toHaveLength(1);
    expect(long[0]?.length).toBeLessThan(ARGUMENT_ERROR_PATH_MAX_CHARS + 40);
    expect(errors(object({ a: { allOf: [{ type: "string" }, { type: "string" }] } }), { a: 1 })).toEqual([
      "type /a",
    ]);
  });
});

describe("what the validator underneath does badly", () => {
  it("leaves a frozen schema alone", () => {
    const schema = Object.freeze(object(Object.freeze({ a: Object.freeze({ type: "string" }) })));
    const before = JSON.stringify(schema);
    expect(errors(schema, { a: 1 })).toEqual(["type /a"]);
    expect(JSON.stringify(schema)).toBe(before);
  });

  it("compiles one schema twice, and one subschema under two parents, with references that still hold", () => {
    const shared = { $ref: "#/$defs/s" };
    const schema = { ...object({ a: shared, b: { items: shared } }), $defs: { s: { type: "string" } } };
    for (let round = 0; round < 2; round += 1)
      expect(errors(schema, { a: 1, b: [1] })).toEqual(["type /a", "type /b/0"]);
  });

  it("judges a recursive schema down to the deepest arguments allowed, and refuses deeper ones", () => {
    const schema = object({ n: { $ref: "#" } });
    let deep: unknown = {};
    for (let level = 1; level < ARGUMENTS_MAX_DEPTH; level += 1) deep = { n: deep };
    expect(errors(schema, deep)).toEqual([]);
    for (let level = 0; level < 100_000; level += 1) deep = { n: deep };
    expect(compiled(schema).validate(deep)).toMatchObject({ valid: false, guard: "arguments_too_deep" });
  });

  it("stops a doubling schema at an exact amount of work", () => {
    const levels: Record<string, unknown> = { l0: { type: "integer" } };
    for (let level = 1; level <= 14; level += 1) {
      levels[`l${level}`] = { anyOf: [{ $ref: `#/$defs/l${level - 1}` }, { $ref: `#/$defs/l${level - 1}` }] };
    }
    const schema = { ...object({ a: { items: { $ref: "#/$defs/l14" } } }), $defs: levels };
    expect(errors(schema, { a: ["x"] })).toEqual(["anyOf /a/0"]);
    expect(compiled(schema).validate({ a: Array.from({ length: 40 }, () => 1) })).toMatchObject({
      valid: false,
      guard: "work_exceeded",
    });
    // The same validator judges the next arguments as if nothing had happened.
    const validator = compiled(schema);
    validator.validate({ a: Array.from({ length: 40 }, () => 1) });
    expect(validator.validate({ a: [1] })).toEqual({ valid: true });
  });

  it("matches hostile patterns in bounded work, and stops a text too long for one", () => {
    const schema = object({ a: { pattern: "^(a+)+$" } });
    expect(errors(schema, { a: `${"a".repeat(5_000)}!` })).toEqual(["pattern /a"]);
    const costly = object({ a: { pattern: "^(?:a?){0,2000}b$" } });
    expect(compiled(costly).validate({ a: "a".repeat(100_000) })).toMatchObject({
      valid: false,
      guard: "work_exceeded",
    });
  });

  it("means by a pattern the same under not, anyOf and propertyNames as anywhere", () => {
    expect(errors(object({ a: { not: { pattern: "^x" } } }), { a: "xy" })).toEqual(["not /a"]);
    expect(errors(object({ a: { not: { pattern: "^x" } } }), { a: "yx" })).toEqual([]);
    expect(errors(object({ a: { anyOf: [{ pattern: "^x" }, { type: "null" }] } }), { a: null })).toEqual([]);
    expect(errors(object({ a: { oneOf: [{ pattern: "^x" }, { pattern: "y$" }] } }), { a: "xy" })).toEqual([
      "oneOf /a",
    ]);
    expect(errors(object({}, { propertyNames: { pattern: "^x" } }), { xa: 1, b: 1 })).toEqual([
      "propertyNames /b",
    ]);
  });

  it("applies patternProperties as the standard says, beside properties and additionalProperties", () => {
    const schema = object(
      { x1: { maximum: 5 } },
      { patternProperties: { "^x": { type: "integer" }, "1$": { minimum: 1 } }, additionalProperties: false },
    );
    expect(errors(schema, { x1: 3, x2: 7 })).toEqual([]);
    expect(errors(schema, { x1: 7 })).toEqual(["maximum /x1"]);
    expect(errors(schema, { x1: 0, x2: "s", y: 1 })).toEqual([
      "minimum /x1",
      "type /x2",
      "additionalProperties /y",
    ]);
    expect(errors(schema, { x1: 3 })).toEqual([]);
    const hostile: unknown = JSON.parse('{"__proto__":"s","constructor":1}');
    expect(
      errors(object({}, { patternProperties: { "^(_+)+proto": { type: "integer" } } }), hostile),
    ).toEqual(["type /__proto__"]);
  });

  it("only allows more where a pattern cannot be checked", () => {
    const unchecked = { pattern: "(a)\\1" };
    for (const schema of [
      object({ a: unchecked }),
      object({ a: { not: unchecked } }),
      object({ a: { oneOf: [unchecked, { type: "string" }] } }),
      object({ a: { if: unchecked, ...consequence(false) } }),
      object({}, { patternProperties: { "(a)\\1": {} }, additionalProperties: false }),
      object({ a: { contains: unchecked, maxContains: 0 } }),
    ]) {
      expect(errors(schema, { a: "zzz" })).toEqual([]);
    }
    expect(errors(object({ a: { ...unchecked, type: "string" } }), { a: 1 })).toEqual(["type /a"]);
  });

  it("never asserts a format, nor trips over one that is no name of one", () => {
    for (const format of [
      "email",
      "uri",
      "date-time",
      "__proto__",
      "hasOwnProperty",
      "constructor",
      "loomgate-pattern-0",
      "url",
    ]) {
      expect(errors(object({ a: { format } }), { a: "nothing of the kind" })).toEqual([]);
    }
  });

  it("reads each draft as that draft", () => {
    const exclusive = object({
      a: { minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    });
    expect(errors({ $schema: "http://json-schema.org/draft-04/schema#", ...exclusive }, { a: 3 })).toEqual([
      "exclusiveMinimum /a",
    ]);
    expect(errors({ $schema: "http://json-schema.org/draft-04/schema#", ...exclusive }, { a: 9 })).toEqual(
      [],
    );
    const sibling = {
      ...object({ a: { $ref: "#/definitions/s", maxLength: 1 } }),
      definitions: { s: { type: "string" } },
    };
    expect(errors({ $schema: draft7, ...sibling }, { a: "xx" })).toEqual([]);
    expect(errors(sibling, { a: "xx" })).toEqual(["maxLength /a"]);
    const tuple = object({ a: { items: [{ type: "string" }], additionalItems: false } });
    expect(errors({ $schema: draft7, ...tuple }, { a: [1, 2] })).toEqual([
      "type /a/0",
      "additionalItems /a/1",
    ]);
    expect(compileSchema({ $schema: draft7, type: "object", dependencies: 3 })).toMatchObject({ ok: false });
  });

  it("applies draft 7's dependencies, also under names that are keywords", () => {
    const schema = {
      $schema: draft7,
      ...object({}, { dependencies: { type: { $ref: "#/definitions/q" }, format: ["z"] } }),
      definitions: { q: { required: ["q"] } },
    };
    expect(errors(schema, { type: 1 })).toEqual(["required /q"]);
    expect(errors(schema, { format: 1 })).toEqual(["dependentRequired /z"]);
    expect(errors(schema, { other: 1 })).toEqual([]);
  });

  it("compares for uniqueItems only where something repeats, and bounds that", () => {
    const schema = object({ a: { uniqueItems: true } });
    expect(errors(schema, { a: Array.from({ length: 10_000 }, (_, id) => ({ id })) })).toEqual([]);
    const late = [...Array.from({ length: 50_000 }, (_, index) => index), 49_999];
    expect(compiled(schema).validate({ a: late })).toMatchObject({ valid: false, guard: "work_exceeded" });
    expect(errors(schema, { a: [0, -0] })).toEqual(["uniqueItems /a"]);
    expect(errors(schema, { a: [1, "1", true, [1], ["1"], null, "null"] })).toEqual([]);
  });

  it("follows a dynamic reference with one target, which the validator underneath ignores", () => {
    const schema = {
      $dynamicAnchor: "node",
      ...object({ child: { $dynamicRef: "#node" }, v: { type: "integer" } }),
    };
    expect(errors(schema, { child: { child: { v: "x" } } })).toEqual(["type /child/child/v"]);
  });

  it("refuses a lone `false` and names that are members of every object", () => {
    expect(errors(object({ a: false }), { a: 1 })).toEqual(["not /a"]);
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__","toString"]}',
    );
    expect(errors(schema, {})).toEqual(["required /__proto__", "required /toString"]);
    expect(errors(schema, JSON.parse('{"__proto__":1,"toString":1}'))).toEqual(["type /__proto__"]);
  });

  it.each<readonly [string, unknown]>([
    ["undefined", { a: undefined }],
    ["a number without a value", { a: Number.NaN }],
    ["a bigint", { a: 1n }],
    ["a function", { a: () => 1 }],
    ["a name with half a character", { "a\ud800": 1 }],
  ])("refuses arguments that are not JSON: %s", (_, instance) => {
    expect(compiled(object({}, { additionalProperties: false })).validate(instance)).toMatchObject({
      valid: false,
      guard: "arguments_not_json",
    });
  });

  it("refuses arguments of too many values, and answers for fifty thousand wrong ones", () => {
    const schema = object({ a: { items: { type: "integer" } } });
    expect(compiled(schema).validate({ a: Array.from({ length: 70_000 }, () => 1) })).toMatchObject({
      guard: "arguments_too_large",
    });
    expect(errors(schema, { a: Array.from({ length: 50_000 }, () => "x") })[0]).toBe("type /a/0");
  });

  it("says of an unusable schema why, whatever the arguments", () => {
    expect(compileSchema({ type: "object", properties: { a: { $ref: "#/x" } } })).toEqual({
      ok: false,
      reason: { code: "unresolved_ref", path: "/properties/a/$ref", fatal: true },
    });
  });
});
