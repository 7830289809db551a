import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definitionParts } from "../../../src/catalog/drift/definition-parts.ts";
import { withoutWording } from "../../../src/catalog/drift/schema-wording.ts";
import { measureDefinition } from "../../../src/catalog/refresh/listed-entry.ts";
import { canonicalJson } from "../../../src/catalog/snapshot/canonical-json.ts";
import { isRecord, type JsonObject } from "../../../src/json.ts";
import { DEFINITION_MAX_DEPTH } from "../../../src/limits.ts";

function changeOf(before: JsonObject, after: JsonObject): string {
  const [old, now] = [definitionParts(before), definitionParts(after)];
  if (old.contract !== now.contract) return "contract";
  if (old.metadata !== now.metadata) return "metadata";
  return canonicalJson(before) === canonicalJson(after) ? "none" : "wording";
}

const of = (inputSchema: unknown, more: JsonObject = {}): JsonObject => ({
  name: "a",
  description: "Does a.",
  inputSchema,
  ...more,
});

function recordOf(value: unknown): JsonObject {
  if (!isRecord(value)) throw new Error("no object");
  return value;
}

/** Keywords that validate, with two values each; their schemas may be wrapped anywhere. */
const ASSERTIONS: readonly (readonly [keyword: string, one: unknown, other: unknown])[] = [
  ["type", "string", "integer"],
  ["enum", ["a"], ["a", "b"]],
  ["enum", [{ description: "a" }], [{ description: "b" }]],
  ["const", { title: "a" }, { title: "b" }],
  ["default", { description: "a" }, { description: "b" }],
  ["multipleOf", 2, 3],
  ["maximum", 1, 2],
  ["exclusiveMinimum", 1, 2],
  ["maxLength", 1, 2],
  ["pattern", "a", "b"],
  ["format", "date", "uri"],
  ["minItems", 1, 2],
  ["uniqueItems", true, false],
  ["required", ["title"], ["title", "description"]],
  ["dependentRequired", { description: ["a"] }, { description: ["b"] }],
  ["dependencies", { description: ["a"] }, { description: ["b"] }],
  ["additionalProperties", true, false],
  ["additionalProperties", { type: "string" }, { type: "null" }],
  ["properties", {}, { description: {} }],
  ["properties", { title: { type: "string" } }, { title: { type: "number" } }],
  ["patternProperties", { "^examples$": true }, { "^title$": true }],
  ["not", { const: 1 }, { const: 2 }],
  ["$ref", "#/$defs/a", "#/$defs/b"],
  ["$anchor", "a", "b"],
  ["$schema", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"],
  ["x-vendor", { description: "a" }, { description: "b" }],
  // Not of the form that the keyword has: whatever it is, it is not known to be wording.
  ["description", { type: "string" }, { type: "number" }],
  ["examples", { a: 1 }, { a: 2 }],
];

/** An object with one member, called `__proto__` or otherwise. */
function holding(name: string, schema: unknown): unknown {
  return JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(schema)}}`);
}

/** Ways of putting a schema into another, of any draft. */
const WRAPS: readonly ((schema: unknown) => unknown)[] = [
  (schema) => schema,
  ...["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"].map(
    (keyword) => (schema: unknown) => ({ [keyword]: schema }),
  ),
  ...["unevaluatedItems", "unevaluatedProperties", "additionalItems"].map((keyword) => (schema: unknown) => ({
    type: "array",
    [keyword]: schema,
  })),
  ...["allOf", "anyOf", "oneOf", "prefixItems", "items"].map((keyword) => (schema: unknown) => ({
    [keyword]: [true, schema],
  })),
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"].flatMap(
    (keyword) =>
      ["a", "description", "title", "examples", "$comment", "enum", "properties", "__proto__"].map(
        (name) => (schema: unknown) => ({ [keyword]: holding(name, schema) }),
      ),
  ),
];

const wraps = fc.array(fc.constantFrom(...WRAPS), { maxLength: 5 });
const wrapped = (schema: unknown, around: readonly (typeof WRAPS)[number][]) =>
  around.reduce((inner, wrap) => wrap(inner), schema);

const wording = fc.record(
  {
    title: fc.string(),
    description: fc.string(),
    $comment: fc.string(),
    examples: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

describe("a change of a definition", () => {
  it("of any keyword that validates, at any place where a schema stands, is one of the contract", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ASSERTIONS),
        wraps,
        wording,
        wording,
        fc.constantFrom("inputSchema", "outputSchema"),
        ([keyword, one, other], around, before, after, which) => {
          const old = of({ type: "object" }, { [which]: wrapped({ ...before, [keyword]: one }, around) });
          const now = of({ type: "object" }, { [which]: wrapped({ ...after, [keyword]: other }, around) });
          expect(changeOf(old, now)).toBe("contract");
          // Having the keyword at all is one too.
          expect(changeOf(of({ type: "object" }, { [which]: wrapped({ ...before }, around) }), now)).toBe(
            "contract",
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("of words where they are keywords, or of the tool's own, is wording and nothing more", () => {
    fc.assert(
      fc.property(wording, wording, wraps, fc.string(), fc.string(), (before, after, around, one, other) => {
        const schema = (words: object) => wrapped({ type: "string", ...words }, around);
        const old = of(schema(before), { description: one, title: other });
        const now = of(schema(after), { description: other, title: one });
        expect(["none", "wording"]).toContain(changeOf(old, now));
        expect(changeOf(old, of(schema(before), { description: `${one}.`, title: other }))).toBe("wording");
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["annotations", { annotations: { readOnlyHint: true } }, { annotations: { readOnlyHint: false } }],
    ["a title among the annotations", { annotations: { title: "a" } }, { annotations: { title: "b" } }],
    ["_meta", { _meta: { version: "1" } }, { _meta: { version: "2" } }],
    ["words in _meta", { _meta: { description: "a" } }, { _meta: { description: "b" } }],
    ["a member that nobody knows", {}, { execution: { taskSupport: "optional" } }],
    ["icons", { icons: [] }, { icons: [{ src: "https://a.example" }] }],
    ["a description that is no text", { description: 1 }, { description: 2 }],
    ["the name under one version", { name: "hub.a" }, { name: "a" }],
    ["a member called __proto__", JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":2}')],
  ])("of %s is one of metadata", (_, before: JsonObject, after: JsonObject) => {
    const made = (more: JsonObject) => {
      const definition: Record<string, unknown> = { ...of({ type: "object" }) };
      for (const key of Object.keys(more))
        Object.defineProperty(definition, key, {
          value: more[key],
          enumerable: true,
          configurable: true,
          writable: true,
        });
      return definition;
    };
    expect(changeOf(made(before), made(after))).toBe("metadata");
  });

  it("tells a schema that is missing from one that is null, and input from output", () => {
    expect(changeOf(of({}), of({}, { outputSchema: null }))).toBe("contract");
    expect(
      changeOf(
        { name: "a", inputSchema: { type: "object" } },
        { name: "a", outputSchema: { type: "object" } },
      ),
    ).toBe("contract");
    expect(changeOf(of("text"), of("other"))).toBe("contract");
  });

  it.each([
    ["#/examples/0", "contract"],
    ["#/properties/a/%65xamples/0", "contract"],
    ["other.json#/examples/0", "contract"],
    ["#/%zz", "contract"],
    ["#/$defs/a", "wording"],
    ["https://example.com/examples.json", "wording"],
  ])("of examples under a reference to %s is one of %s", (reference, change) => {
    const schema = (example: unknown) => ({ properties: { a: { $ref: reference } }, examples: [example] });
    expect(changeOf(of(schema({ type: "string" })), of(schema({ type: "number" })))).toBe(change);
  });

  it("by the order of members or of properties is none", () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .toReversed()
                .map(([key, each]) => [key, reversed(each)]),
            )
          : value;
    fc.assert(
      fc.property(fc.constantFrom(...ASSERTIONS), wraps, wording, ([keyword, one], around, words) => {
        const definition = of(wrapped({ ...words, [keyword]: one }, around), {
          _meta: { b: 1, a: { d: 1, c: 2 } },
        });
        const parsed: unknown = JSON.parse(JSON.stringify(definition));
        expect(definitionParts(recordOf(reversed(parsed)))).toEqual(definitionParts(definition));
      }),
    );
  });
});

describe("a hostile definition", () => {
  it("of any JSON has parts of one size, and is left as it was", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            "name",
            "inputSchema",
            "outputSchema",
            "description",
            "title",
            "_meta",
            "__proto__",
            "x",
          ),
          fc.jsonValue(),
        ),
        (definition) => {
          const before = JSON.stringify(definition);
          const parts = definitionParts(definition);
          expect(JSON.stringify(parts)).toMatch(
            /^\{"form":1,"contract":"[0-9a-f]{64}","metadata":"[0-9a-f]{64}"\}$/,
          );
          expect(JSON.stringify(definition)).toBe(before);
        },
      ),
    );
  });

  it("as deep as one may be is walked to its end", () => {
    const deep = (leaf: string) => {
      let schema: unknown = { const: leaf };
      for (let depth = 3; depth < DEFINITION_MAX_DEPTH; depth += 1)
        schema = depth % 2 === 0 ? [schema] : { allOf: schema };
      return of(schema);
    };
    expect(measureDefinition(deep("a")).fault).toBeUndefined();
    expect(changeOf(deep("a"), deep("b"))).toBe("contract");
  });

  it("keeps properties called __proto__ and constructor apart from prototypes", () => {
    const schema: unknown = JSON.parse(
      '{"properties":{"__proto__":{"type":"string","title":"x"},"constructor":{"description":"y"}},"__proto__":{"a":1}}',
    );
    expect(JSON.stringify(withoutWording(schema))).toBe(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{}},"__proto__":{"a":1}}',
    );
  });
});
