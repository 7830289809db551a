import { describe, expect, it } from "vitest";
import type { SchemaLimits } from "../../src/config.ts";
import { lintSchema } from "../../src/schema/lint.ts";

const limits: SchemaLimits = { max_bytes: 65_536, max_depth: 32, max_properties: 512, on_invalid: "flag" };
const draft7 = "http://json-schema.org/draft-07/schema#";

function codes(schema: unknown, options = {}): string[] {
  return lintSchema(schema, limits, options).findings.map(
    ({ code, path, fatal }) => `${code}${fatal ? "!" : ""} ${path}`,
  );
}

function nested(levels: number): unknown {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { type: "array", items: schema };
  return { type: "object", properties: { a: schema } };
}

describe("lintSchema", () => {
  it("finds nothing wrong with an ordinary schema of any supported draft", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", pattern: "^\\d+$", format: "date" } },
      required: ["a"],
    };
    for (const $schema of [
      "https://json-schema.org/draft/2020-12/schema",
      "https://json-schema.org/draft/2019-09/schema",
      draft7,
      "http://json-schema.org/draft-04/schema#",
    ]) {
      expect(lintSchema({ $schema, ...schema }, limits)).toMatchObject({
        findings: [],
        usable: true,
        rejected: false,
      });
    }
  });

  it("flags a schema beyond a configured limit, which stays usable, and rejects it only when told to", () => {
    const wide = {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`p${index}`, {}])),
    };
    const long = { type: "object", description: "d".repeat(65_536) };
    for (const [schema, code] of [
      [wide, "properties_exceeded"],
      [long, "size_exceeded"],
      [nested(31), "depth_exceeded"],
    ] as const) {
      expect(lintSchema(schema, limits)).toMatchObject({
        findings: [{ code, path: "", fatal: false }],
        usable: true,
        rejected: false,
      });
      expect(lintSchema(schema, { ...limits, on_invalid: "reject" }).rejected).toBe(true);
    }
    expect(codes(nested(30))).toEqual([]);
    expect(
      codes({
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 512 }, (_, i) => [`p${i}`, {}])),
      }),
    ).toEqual([]);
  });

  it("measures bytes of compact JSON, containers from the root and properties in total", () => {
    const schema = { type: "object", properties: { é: { properties: { properties: { type: "string" } } } } };
    expect(lintSchema(schema, limits).measure).toEqual({
      bytes: new TextEncoder().encode(JSON.stringify(schema)).length,
      depth: 4,
      properties: 2,
    });
  });

  it.each([null, 7, "x", [], true, false, undefined])(
    "calls a tool's schema that is %j no schema",
    (schema) => {
      expect(codes(schema)).toEqual(["not_well_formed! "]);
    },
  );

  it("allows a boolean where any value is described", () => {
    expect(codes(true, { describes: "value" })).toEqual([]);
    expect(codes({ type: "string" }, { describes: "value" })).toEqual([]);
  });

  it("wants an object at the top", () => {
    expect(codes({})).toEqual(["top_level_type_missing "]);
    expect(codes({ type: ["object", "null"] })).toEqual([]);
    expect(codes({ type: "string" })).toEqual(["top_level_not_object! /type"]);
  });

  it.each([
    ["a keyword of the wrong type", { type: "object", properties: null }, "not_well_formed! /properties"],
    [
      "an unknown type",
      { type: "object", properties: { a: { type: "strng" } } },
      "not_well_formed! /properties/a/type",
    ],
    [
      "a list where a name stands for a schema",
      { type: "object", properties: { a: [] } },
      "not_well_formed! /properties/a",
    ],
    [
      "a description that is null",
      { type: "object", description: null },
      "annotation_malformed /description",
    ],
    [
      "an unsupported dialect",
      { $schema: "https://x.example/s", type: "object" },
      "unsupported_dialect! /$schema",
    ],
    [
      "a reference out of the document",
      { type: "object", properties: { a: { $ref: "https://x.example/s" } } },
      "external_ref! /properties/a/$ref",
    ],
    [
      "a reference to a file",
      { type: "object", properties: { a: { $ref: "other.json#/a" } } },
      "external_ref! /properties/a/$ref",
    ],
    [
      "a dangling reference",
      { type: "object", properties: { a: { $ref: "#/$defs/a" } } },
      "unresolved_ref! /properties/a/$ref",
    ],
    [
      "a reference to something inherited",
      { type: "object", properties: { a: { $ref: "#/constructor" } } },
      "unresolved_ref! /properties/a/$ref",
    ],
    [
      "a reference to what is no schema",
      { type: "object", properties: { a: { $ref: "#/type" } } },
      "unresolved_ref! /properties/a/$ref",
    ],
    [
      "a badly encoded reference",
      { type: "object", properties: { a: { $ref: "#/%E0%A4%A" } } },
      "unresolved_ref! /properties/a/$ref",
    ],
    [
      "an unknown anchor",
      { type: "object", properties: { a: { $ref: "#nowhere" } } },
      "unresolved_ref! /properties/a/$ref",
    ],
    ["a reference to itself", { type: "object", $ref: "#" }, "ref_cycle! "],
    [
      "a pattern that does not compile",
      { type: "object", properties: { a: { pattern: "(" } } },
      "pattern_invalid /properties/a/pattern",
    ],
    [
      "a pattern that cannot be checked",
      { type: "object", properties: { a: { pattern: "(a)\\1" } } },
      "pattern_unsupported /properties/a/pattern",
    ],
    [
      "a pattern legal only without the u flag",
      { type: "object", properties: { a: { pattern: "\\-" } } },
      "pattern_legacy /properties/a/pattern",
    ],
    [
      "a property pattern that does not compile",
      { type: "object", patternProperties: { "[": {} } },
      "pattern_invalid /patternProperties/[",
    ],
    [
      "a long enum",
      { type: "object", properties: { a: { enum: Array.from({ length: 4097 }, (_, i) => i) } } },
      "enum_exceeded /properties/a/enum",
    ],
    [
      "draft 4's exclusiveMinimum",
      { type: "object", properties: { a: { minimum: 1, exclusiveMinimum: true } } },
      "dialect_guessed ",
    ],
    [
      "draft 7's tuples",
      { type: "object", properties: { a: { type: "array", items: [{}] } } },
      "dialect_guessed ",
    ],
    [
      "draft 4's exclusiveMinimum in draft 7",
      { $schema: draft7, type: "object", properties: { a: { exclusiveMinimum: true } } },
      "not_well_formed! /properties/a/exclusiveMinimum",
    ],
  ])("finds %s", (_, schema, finding) => {
    expect(codes(schema)).toEqual([finding]);
  });

  it("finds two schemas with one address or name", () => {
    const twice = (one: object) => ({ type: "object", $defs: { a: one, b: one } });
    expect(codes(JSON.parse(JSON.stringify(twice({ $id: "https://x.example/a" }))))).toHaveLength(1);
    expect(codes(JSON.parse(JSON.stringify(twice({ $anchor: "a" }))))[0]).toMatch(/^duplicate_id \//u);
  });

  it("resolves references by pointer, by anchor and by address", () => {
    const schema = {
      type: "object",
      $id: "https://x.example/root",
      $defs: {
        "a/b~c %": { type: "string" },
        anchored: { $anchor: "here", type: "string" },
        inner: {
          $id: "inner",
          $defs: { deep: { type: "string" } },
          properties: { own: { $ref: "#/$defs/deep" } },
        },
      },
      "x-shared": { odd: { type: "string" } },
      properties: {
        pointer: { $ref: "#/$defs/a~1b~0c%20%25" },
        anchor: { $ref: "#here" },
        absolute: { $ref: "https://x.example/inner#/$defs/deep" },
        relative: { $ref: "inner" },
        root: { $ref: "root#here" },
        unknownKeyword: { $ref: "#/x-shared/odd" },
        index: { $ref: "#/properties/list/prefixItems/0" },
        list: { prefixItems: [{ type: "string" }] },
      },
    };
    expect(codes(schema)).toEqual([]);
    expect(
      codes({
        ...schema,
        properties: { index: { $ref: "#/properties/list/prefixItems/01" }, list: { prefixItems: [{}] } },
      }),
    ).toEqual(["unresolved_ref! /properties/index/$ref"]);
  });

  it("allows recursion through a value, and refuses it in place", () => {
    expect(codes({ type: "object", properties: { child: { $ref: "#" } } })).toEqual([]);
    expect(
      codes({
        type: "object",
        $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } },
      })[0],
    ).toMatch(/^ref_cycle!/u);
    expect(codes({ type: "object", dependentSchemas: { a: { $ref: "#" } } })[0]).toMatch(/^ref_cycle!/u);
    expect(codes({ $schema: draft7, type: "object", dependencies: { a: { $ref: "#" } } })[0]).toMatch(
      /^ref_cycle!/u,
    );
  });

  it("refuses schemas that double, and chains that are longer than the stack is deep", () => {
    const doubling: Record<string, unknown> = { d0: { type: "integer" } };
    const chain: Record<string, unknown> = { d0: { type: "integer" } };
    for (let level = 1; level < 100; level += 1) {
      const below = { $ref: `#/$defs/d${level - 1}` };
      if (level < 30) doubling[`d${level}`] = { anyOf: [below, { ...below }] };
      chain[`d${level}`] = below;
    }
    expect(codes({ type: "object", $defs: doubling })[0]).toMatch(/^composition_exceeded!/u);
    expect(codes({ type: "object", $defs: chain })[0]).toMatch(/^chain_exceeded!/u);
  });

  it("takes a dynamic reference with one possible target as a plain one, and leaves others to the upstream", () => {
    const once = { type: "object", $dynamicAnchor: "node", properties: { child: { $dynamicRef: "#node" } } };
    expect(codes(once)).toEqual([]);
    const twice = { ...once, $defs: { other: { $id: "https://x.example/o", $dynamicAnchor: "node" } } };
    expect(codes(twice)).toEqual(["dynamic_ref_unsupported /properties/child/$dynamicRef"]);
    const recursive = {
      $schema: "https://json-schema.org/draft/2019-09/schema",
      $recursiveAnchor: true,
      type: "object",
      properties: { child: { $recursiveRef: "#" } },
    };
    expect(codes(recursive)).toEqual([]);
  });

  it("reads no schema where the draft has data", () => {
    const data = { $ref: "https://x.example/nowhere", type: "strng", pattern: "(" };
    expect(
      codes({
        type: "object",
        default: data,
        examples: [data],
        properties: { a: { enum: [data] }, b: { const: data } },
        "x-anything": data,
      }),
    ).toEqual([]);
    expect(
      codes({
        $schema: draft7,
        type: "object",
        properties: { a: { $ref: "#/definitions/a", pattern: "(" } },
        definitions: { a: {} },
      }),
    ).toEqual([]);
  });
});
