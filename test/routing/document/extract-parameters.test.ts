import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_PARAMETERS_MAX_CHARS, ROUTING_SCHEMA_MAX_NODES } from "../../../src/limits.ts";
import { extractParameters } from "../../../src/routing/document/extract-parameters.ts";

describe("extractParameters", () => {
  it("finds parameters wherever a schema may hold them, outer ones first", () => {
    const schema = {
      type: "object",
      description: "root",
      properties: {
        outer: { description: "d1", properties: { inner: { description: "d2" } } },
        list: { items: { properties: { entry: {} } }, prefixItems: [{ properties: { first: {} } }] },
        choice: { anyOf: [{ properties: { left: {} } }], oneOf: [{ properties: { right: {} } }] },
      },
      allOf: [{ properties: { both: {} } }],
      if: { properties: { cond: {} } },
      additionalProperties: { properties: { extra: {} } },
      patternProperties: { "^x-": { properties: { patterned: {} } } },
      $defs: { Address: { properties: { street: { description: "d3" } } } },
    };
    const { parameterNames, parameterDescriptions } = extractParameters(schema);
    expect(parameterNames.slice(0, 3)).toEqual(["outer", "list", "choice"]);
    expect([...parameterNames].sort()).toEqual(
      [
        "outer",
        "inner",
        "list",
        "entry",
        "first",
        "choice",
        "left",
        "right",
        "both",
        "cond",
        "extra",
        "patterned",
        "street",
      ].sort(),
    );
    expect([...parameterDescriptions].sort()).toEqual(["d1", "d2", "d3", "root"]);
  });

  it("a parameter may be called like a part of an object", () => {
    const schema: unknown = JSON.parse(
      '{"properties":{"__proto__":{"description":"p"},"constructor":{},"toString":{},"properties":{"description":"q"}}}',
    );
    const { parameterNames, parameterDescriptions } = extractParameters(schema);
    expect(parameterNames).toEqual(["__proto__", "constructor", "toString", "properties"]);
    expect(parameterDescriptions).toEqual(["p", "q"]);
  });

  it("inherited keys are no parameters", () => {
    expect(extractParameters(Object.create({ properties: { ghost: {} } })).parameterNames).toEqual([]);
  });

  it("a cycle, a huge map and deep nesting end at the bound", () => {
    const cyclic: Record<string, unknown> = { description: "again" };
    cyclic["items"] = cyclic;
    expect(extractParameters(cyclic).parameterDescriptions).toHaveLength(ROUTING_SCHEMA_MAX_NODES);
    let reads = 0;
    const wide = new Proxy(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, {}])), {
      get: (target, key) => {
        reads += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(extractParameters({ properties: wide }).parameterNames.length).toBeLessThan(
      ROUTING_SCHEMA_MAX_NODES,
    );
    expect(reads).toBeLessThan(ROUTING_SCHEMA_MAX_NODES);
    let deep: unknown = {};
    for (let depth = 0; depth < 50_000; depth += 1) deep = { properties: { a: deep } };
    expect(extractParameters(deep).parameterNames).toHaveLength(ROUTING_SCHEMA_MAX_NODES - 1);
  });

  it("keeps no more text than the bound", () => {
    const long = "x".repeat(1_000_000);
    const { parameterNames, parameterDescriptions } = extractParameters({
      properties: { [long]: { description: long }, more: { description: long } },
    });
    expect(parameterNames.join("")).toHaveLength(ROUTING_PARAMETERS_MAX_CHARS);
    expect(parameterDescriptions.join("")).toHaveLength(ROUTING_PARAMETERS_MAX_CHARS);
  });

  it("anything at all gives strings", () => {
    const schemaish = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc.anything(),
        fc.dictionary(
          fc.constantFrom("properties", "items", "anyOf", "$defs", "description", "__proto__", "x"),
          fc.oneof(tie("node"), fc.array(tie("node"), { maxLength: 3 }), fc.string()),
        ),
      ),
    })).node;
    fc.assert(
      fc.property(schemaish, (schema) => {
        const { parameterNames, parameterDescriptions } = extractParameters(schema);
        for (const text of [...parameterNames, ...parameterDescriptions]) expect(typeof text).toBe("string");
      }),
    );
  });
});
