import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SchemaLimits } from "../../src/config.ts";
import { SCHEMA_CEILING_DEPTH, SCHEMA_FINDINGS_MAX_COUNT } from "../../src/limits.ts";
import { lintSchema } from "../../src/schema/lint.ts";
import { measure } from "../../src/schema/measure.ts";

const limits: SchemaLimits = { max_bytes: 65_536, max_depth: 32, max_properties: 512, on_invalid: "flag" };
const draft7 = "http://json-schema.org/draft-07/schema#";

function codes(schema: unknown): string[] {
  return lintSchema(schema, limits).findings.map(
    ({ code, path, fatal }) => `${code}${fatal ? "!" : ""} ${path}`,
  );
}

function nested(levels: number): unknown {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { type: "array", items: schema };
  return { type: "object", properties: { a: schema } };
}

describe("lintSchema on hostile input", () => {
  it("measures any JSON as JSON.stringify would write it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const size = measure(value, { bytes: 1e9, depth: 1e9, nodes: 1e9 });
        expect(size.bytes).toBe(new TextEncoder().encode(JSON.stringify(value)).length);
        expect(size).toMatchObject({ complete: true, foreign: false });
      }),
    );
  });

  it("bounds its findings and their paths, and never loses that one was fatal", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`${"n".repeat(5_000)}${index}`, { pattern: `(${index}` }]),
    );
    const report = lintSchema(
      { type: "object", properties: { ...properties, z: { $ref: "#/nowhere" } } },
      { ...limits, max_bytes: 1e9 },
    );
    expect(report.findings.length).toBeLessThanOrEqual(SCHEMA_FINDINGS_MAX_COUNT);
    expect(report.usable).toBe(false);
    for (const { path } of report.findings) expect(path.length).toBeLessThan(300);
  });

  it("ends on a hundred thousand levels, on as many keys and on a value that contains itself", () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level += 1) deep = { type: "object", properties: { a: deep } };
    expect(codes(deep)).toEqual(["depth_exceeded! "]);
    const wide = {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, {}])),
    };
    expect(lintSchema(wide, limits)).toMatchObject({ usable: false });
    const circular: Record<string, unknown> = { type: "object" };
    circular["properties"] = { a: circular };
    expect(lintSchema(circular, limits)).toMatchObject({ usable: false });
    expect(lintSchema(nested(SCHEMA_CEILING_DEPTH), limits).usable).toBe(false);
  });

  it("looks at no more values than the ceiling, however many there are", () => {
    let reads = 0;
    const counted = (): unknown =>
      new Proxy([], {
        get: (_target, key) => {
          if (key === "length") return 1_000;
          reads += 1;
          return counted();
        },
      });
    expect(measure(counted(), { bytes: 1e9, depth: 1e9, nodes: 5_000 }).complete).toBe(false);
    expect(reads).toBeLessThanOrEqual(5_000);
  });

  it("never throws, whatever it is given", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "items",
      "anyOf",
      "allOf",
      "not",
      "$ref",
      "$id",
      "$anchor",
      "$defs",
      "enum",
      "pattern",
      "patternProperties",
      "required",
      "dependencies",
      "__proto__",
      "constructor",
      "$dynamicRef",
      "$schema",
      "minimum",
      "exclusiveMinimum",
    );
    const schemaish = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "medium" },
        fc.constantFrom(
          "#",
          "object",
          "#/properties/a",
          "(",
          draft7,
          "a",
          null,
          true,
          false,
          1,
          -1,
          "\ud800",
        ),
        fc.array(tie("node"), { maxLength: 4 }),
        fc.dictionary(keyword, tie("node"), { maxKeys: 5 }),
      ),
    }))["node"];
    fc.assert(
      fc.property(fc.oneof(schemaish, fc.anything()), (schema) => {
        const report = lintSchema(schema, limits);
        expect(report.usable).toBe(!report.findings.some(({ fatal }) => fatal));
        expect(lintSchema(schema, limits)).toEqual(report);
      }),
      { numRuns: 400 },
    );
  });
});
