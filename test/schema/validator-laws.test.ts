import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolvePointer } from "../../src/schema/json-pointer.ts";
import { type CompiledSchema, compileSchema } from "../../src/schema/validator.ts";

function compiled(schema: unknown): CompiledSchema {
  const result = compileSchema(schema);
  if (!result.ok) throw new Error(`${result.reason.code} ${result.reason.path}`);
  return result.value;
}

// Without `__proto__` and `constructor`, which the oracle takes for members that are always there; they have their own tests above.
const names = fc.constantFrom("a", "b", "c", "abb", "x y", "a/b~");
const leaf: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    { type: "string" },
    { type: "integer" },
    { type: ["string", "null"] },
    { type: "number", minimum: 1 },
    { maxLength: 2 },
    { enum: [1, "a", null, [1]] },
    { const: { a: 1 } },
    { multipleOf: 0.5 },
    { exclusiveMaximum: 2 },
    true,
    false,
    { pattern: "^a+$" },
    { uniqueItems: true },
    { minProperties: 1 },
    { type: "boolean" },
  ),
);
const simpleSchema: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown }>((tie) => {
  const map = fc
    .array(fc.tuple(names, tie("schema")), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries));
  const list = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.record(
        {
          type: fc.constant("object"),
          properties: map,
          required: fc.uniqueArray(names, { maxLength: 2 }),
          additionalProperties: tie("schema"),
        },
        { requiredKeys: ["properties"] },
      ),
      // Without `unevaluatedProperties`: the validator lets a `then` see what its `if` evaluated, and so allows more.
      fc.record(
        {
          patternProperties: fc.record({ "^a": tie("schema"), b$: tie("schema") }),
          additionalProperties: tie("schema"),
        },
        { requiredKeys: ["patternProperties"] },
      ),
      fc.record({ items: tie("schema"), prefixItems: list, minItems: fc.nat(2) }, { requiredKeys: [] }),
      // With at least one item: on an empty array inside a map the oracle gives the answer of the member before.
      fc.record(
        { contains: tie("schema"), minContains: fc.nat(2), minItems: fc.constant(1) },
        { requiredKeys: ["contains", "minItems"] },
      ),
      fc.record({ allOf: list }),
      fc.record({ anyOf: list }),
      fc.record({ oneOf: list }),
      fc.record({ not: tie("schema") }),
      fc
        .tuple(tie("schema"), tie("schema"), tie("schema"))
        .map((branches) =>
          Object.fromEntries(["if", "then", "else"].map((keyword, index) => [keyword, branches[index]])),
        ),
      fc.record({ $ref: fc.constant("#/$defs/shared") }),
    ),
  };
}).schema;
const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(1, 0.5, 3, -1, "a", "aa", "bbb", "", null, true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie("value")), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;
const args = fc.array(fc.tuple(names, value), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));

/** Independent, but it generates code, which a Worker may not: it is here only. */
const ajv = new Ajv2020({
  strict: false,
  logger: false,
  validateFormats: false,
  validateSchema: false,
  inlineRefs: false,
  ownProperties: true,
});

describe("laws", () => {
  it("agrees with an independent implementation", () => {
    const seen = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(
        simpleSchema,
        leaf,
        fc.array(args, { minLength: 6, maxLength: 6 }),
        (inner, shared, instances) => {
          const schema = { type: "object", allOf: [inner], $defs: { shared } };
          const oracle = ajv.compile(schema);
          const validator = compiled(schema);
          for (const instance of instances) {
            const expected = oracle(instance);
            seen[expected ? "valid" : "invalid"] += 1;
            expect({ schema, instance, valid: validator.validate(instance).valid }).toEqual({
              schema,
              instance,
              valid: expected,
            });
          }
        },
      ),
      { numRuns: 60 },
    );
    // A generator that only ever made one kind would compare nothing.
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(20);
  });

  it("gives at least one error for what is invalid, each pointing into the arguments or at a member of them, none with a value", () => {
    fc.assert(
      fc.property(simpleSchema, args, (inner, instance) => {
        const secret = { ...instance, marked: { deep: ["s3cr3t-value"] } };
        const verdict = compiled({
          type: "object",
          allOf: [inner],
          properties: { marked: { type: "integer" } },
          $defs: { shared: true },
        }).validate(secret);
        expect(verdict.valid).toBe(false);
        if (verdict.valid) return;
        expect(verdict.errors.length).toBeGreaterThan(0);
        expect(JSON.stringify(verdict)).not.toContain("s3cr3t");
        for (const { path } of verdict.errors) {
          const parent = path === "" ? "" : path.slice(0, path.lastIndexOf("/"));
          expect({ path, parent: resolvePointer(secret, parent) }).not.toEqual({ path, parent: undefined });
        }
        expect(new Set(verdict.errors.map((error) => JSON.stringify(error))).size).toBe(
          verdict.errors.length,
        );
      }),
      { numRuns: 200 },
    );
  });

  it("changes neither schema nor arguments, and answers the same each time", () => {
    fc.assert(
      fc.property(simpleSchema, args, (inner, instance) => {
        const schema = { type: "object", allOf: [inner], $defs: { shared: { type: "string" } } };
        const before = JSON.stringify([schema, instance]);
        const validator = compiled(schema);
        const first = validator.validate(instance);
        expect(validator.validate({ other: 1 })).toEqual(compiled(schema).validate({ other: 1 }));
        expect(validator.validate(instance)).toEqual(first);
        expect(JSON.stringify([schema, instance])).toBe(before);
      }),
      { numRuns: 100 },
    );
  });

  it("never throws, whatever schema and arguments are", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), simpleSchema, (schema, instance, inner) => {
        const wild = compileSchema(schema);
        expect(typeof (wild.ok && wild.value.validate(instance).valid)).toBe("boolean");
        const tame = compileSchema({ allOf: [inner], $defs: { shared: true } });
        expect(tame.ok).toBe(true);
        expect(typeof (tame.ok && tame.value.validate(instance).valid)).toBe("boolean");
      }),
      { numRuns: 200 },
    );
  });
});
