import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect } from "../../src/schema/dialect.ts";
import { metaValidate } from "../../src/schema/meta-validate.ts";

/** An independent implementation with the published meta-schemas. It generates code, which a Worker may not, so it is here only. */
const options = { strict: false, logger: false, validateFormats: false } as const;
const oracles: readonly (readonly [Dialect, (schema: object) => boolean])[] = [
  ["7", verdictOf(new Ajv(options), "http://json-schema.org/draft-07/schema#")],
  ["2019-09", verdictOf(new Ajv2019(options), "https://json-schema.org/draft/2019-09/schema")],
  ["2020-12", verdictOf(new Ajv2020(options), "https://json-schema.org/draft/2020-12/schema")],
];

function verdictOf(ajv: Ajv | Ajv2019 | Ajv2020, uri: string): (schema: object) => boolean {
  const validate = ajv.getSchema(uri);
  if (validate === undefined) throw new Error(`the oracle does not know ${uri}`);
  return (schema) => validate(schema) === true;
}

const bad = fc.constantFrom<unknown>(
  null,
  "x",
  -1,
  1.5,
  {},
  [],
  true,
  ["a", "a"],
  [1],
  "object",
  ["string"],
  { a: 1 },
  { a: ["b"] },
  [{}],
);
const good: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  {},
  { type: "string" },
  { type: ["string", "null"] },
  true,
  { enum: [1, 1] },
  { minLength: 2 },
);
const keyword = fc.constantFrom(
  ...[
    "type properties items prefixItems additionalItems additionalProperties required enum const anyOf",
    "allOf oneOf not if then else minimum exclusiveMinimum multipleOf minLength pattern patternProperties",
    "propertyNames contains minContains uniqueItems dependencies dependentRequired dependentSchemas",
    "definitions $defs $id $anchor $ref $comment title description default examples format readOnly",
    "deprecated unevaluatedItems contentSchema contentEncoding x-unknown",
  ].flatMap((words) => words.split(" ")),
);
const schemaArbitrary: fc.Arbitrary<object> = fc.letrec<{ schema: object; value: unknown }>((tie) => ({
  schema: fc.dictionary(keyword, tie("value"), { maxKeys: 3 }),
  value: fc.oneof(
    { depthSize: "small" },
    bad,
    good,
    tie("schema"),
    fc.array(tie("schema"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { maxKeys: 2 }),
  ),
})).schema;

describe("metaValidate", () => {
  it.each(oracles)("agrees with an independent implementation on draft %s", (dialect, oracle) => {
    let valid = 0;
    let invalid = 0;
    fc.assert(
      fc.property(schemaArbitrary, (schema) => {
        // The oracle's copy of draft 7 forbids an enum that is empty or repeats itself, where the draft's text only advises.
        fc.pre(dialect !== "7" || !JSON.stringify(schema).includes('"enum":['));
        const expected = oracle(schema);
        if (expected) valid += 1;
        else invalid += 1;
        expect({ schema, valid: metaValidate(schema, dialect).length === 0 }).toEqual({
          schema,
          valid: expected,
        });
      }),
      { numRuns: 1000 },
    );
    // A generator that only ever made one kind would compare nothing.
    expect(Math.min(valid, invalid)).toBeGreaterThan(100);
  });

  it.each<readonly [Dialect, object, string]>([
    ["2020-12", { properties: { a: { type: "strng" } } }, "/properties/a/type"],
    ["2020-12", { items: [{}] }, "/items"],
    ["2020-12", { $defs: { a: { anyOf: [] } } }, "/$defs/a/anyOf"],
    ["2020-12", { $anchor: "9" }, "/$anchor"],
    ["7", { definitions: { a: { required: "a" } } }, "/definitions/a/required"],
    ["4", { required: [] }, "/required"],
    ["4", { minimum: 1, exclusiveMinimum: 3 }, "/exclusiveMinimum"],
    ["4", { exclusiveMinimum: true }, "/minimum"],
    ["4", { properties: { a: true } }, "/properties/a"],
    ["4", { multipleOf: 0 }, "/multipleOf"],
    ["4", { enum: [1, 1] }, "/enum"],
  ])("says where a draft %s schema is wrong", (dialect, schema, path) => {
    expect(metaValidate(schema, dialect)).toMatchObject([{ code: "not_well_formed", path, fatal: true }]);
  });

  it("accepts draft 4's own forms", () => {
    const schema = {
      id: "x",
      minimum: 1,
      exclusiveMinimum: true,
      items: [{}],
      additionalItems: false,
      dependencies: { a: ["b"], c: {} },
    };
    expect(metaValidate(schema, "4")).toEqual([]);
  });

  it("calls a mistake in what only informs a flaw, not a fault", () => {
    expect(metaValidate({ properties: { a: { title: 3 } } }, "7")).toEqual([
      { code: "annotation_malformed", path: "/properties/a/title", fatal: false },
    ]);
    expect(metaValidate({ title: 3, type: "x" }, "7")).toMatchObject([
      { code: "not_well_formed", path: "/type" },
    ]);
  });
});
