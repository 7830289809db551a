import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { SCRUB_MAX_DEPTH } from "../../src/limits.ts";
import { lintSchema } from "../../src/schema/lint.ts";
import { compileSchema } from "../../src/schema/validator.ts";
import { redactDefinition } from "../../src/scrub/redact-definition.ts";
import { code, jsonWithSecrets, MARK, PLANTED } from "./planted-secrets.ts";

const KEY = `sk-${code(30)}`;

function schemaOf(inputSchema: unknown): unknown {
  return memberOf(redactDefinition({ name: "t", inputSchema }).value, "inputSchema");
}

describe("a definition", () => {
  it("is itself where it has nothing to hide, though its parameters are named like secrets", () => {
    const tool = {
      name: "login",
      title: "Log in",
      description: "Takes a password and gives a token. Continue with nextPageToken.",
      inputSchema: {
        type: "object",
        properties: {
          password: { type: "string", description: "Yours.", minLength: 8, pattern: "^[^&]+$" },
          credentials: {
            type: "object",
            properties: { region: { enum: ["us", "eu"] }, user: { type: "string", const: "ada" } },
          },
          token: { $ref: "#/$defs/token" },
        },
        required: ["password", "token"],
        $defs: { token: { type: ["string", "null"], default: null } },
      },
      annotations: { readOnlyHint: true },
    };
    expect(redactDefinition(tool)).toEqual({ value: tool, count: 0 });
    expect(redactDefinition(tool).value).toBe(tool);
  });

  it("loses secrets in all that it tells, before anything is made of it", () => {
    const tool = {
      name: "open",
      title: `Open ${KEY}`,
      description: `Use ${KEY}, or password: hunter22, here.`,
      annotations: { title: KEY },
      _meta: { example: `https://ada:pw@example.com/` },
      inputSchema: {
        description: KEY,
        properties: {
          a: { title: KEY, $comment: KEY, examples: [KEY, "b"] },
          apiKey: { example: "abcdef", examples: ["x"] },
        },
      },
      outputSchema: { properties: { b: { description: KEY } } },
    };
    expect(redactDefinition(tool)).toEqual({
      value: {
        name: "open",
        title: `Open ${MARK}`,
        description: `Use ${MARK}, or password: ${MARK}, here.`,
        annotations: { title: MARK },
        _meta: { example: `https://ada:${MARK}@example.com/` },
        inputSchema: {
          description: MARK,
          properties: {
            a: { title: MARK, $comment: MARK, examples: [MARK, "b"] },
            apiKey: { example: MARK, examples: [MARK] },
          },
        },
        outputSchema: { properties: { b: { description: MARK } } },
      },
      count: 12,
    });
  });

  it("keeps no default that would be sent as it stands", () => {
    expect(
      schemaOf({
        properties: { a: { type: "string", default: KEY }, password: { default: "x" }, b: { default: "c" } },
      }),
    ).toEqual({
      properties: { a: { type: "string" }, password: {}, b: { default: "c" } },
    });
  });

  it.each([
    ["a value", { enum: ["a", KEY] }, {}],
    ["a constant", { type: "string", const: KEY }, { type: "string" }],
    ["a pattern", { type: "string", pattern: `^${KEY}$` }, { type: "string" }],
    ["a value that is refused", { not: { enum: [KEY] }, type: "string" }, { type: "string" }],
    ["one of several", { oneOf: [{ const: "a" }, { const: KEY }] }, {}],
    ["any of several", { anyOf: [{ const: "a" }, { const: KEY }] }, { anyOf: [{ const: "a" }, {}] }],
    ["a condition", JSON.parse(`{"if":{"const":"${KEY}"},"then":false,"else":{"type":"string"}}`), {}],
    ["an item", { contains: { const: KEY }, maxContains: 1, type: "array" }, { type: "array" }],
    [
      "a parameter",
      { properties: { [KEY]: { type: "string" }, a: {} }, required: [KEY, "a"], additionalProperties: false },
      { properties: { [MARK]: { type: "string" }, a: {} }, required: ["a"] },
    ],
    [
      "a kind of parameters",
      { patternProperties: { [`^${KEY}`]: { type: "string" } }, additionalProperties: false },
      { patternProperties: {} },
    ],
    [
      "what depends on one",
      { dependentRequired: { [KEY]: ["a"], a: [KEY, "b"] } },
      { dependentRequired: { a: ["b"] } },
    ],
    [
      "what depended on one",
      { dependencies: { a: [KEY], b: { const: KEY } } },
      { dependencies: { a: [], b: {} } },
    ],
    [
      "a name that is referred to",
      { $ref: `#/$defs/${KEY}`, $defs: { [KEY]: { type: "string" } } },
      { $ref: `#/$defs/${MARK}`, $defs: { [MARK]: { type: "string" } } },
    ],
    ["a list of schemas", { items: [{ const: KEY }], additionalItems: false }, { items: [{}] }],
  ])("that binds %s to a secret lets it go", (_name, schema, expected) => {
    expect(schemaOf(schema)).toEqual(expected);
    expect(schemaOf(expected)).toEqual(expected);
  });

  it.each([[true], [false], [null], ["text"], [[{ const: KEY }]], [7]])(
    "with %j for a schema stays one",
    (schema) => {
      expect(JSON.stringify(schemaOf(schema))).not.toContain(KEY);
    },
  );

  it("nested too deep is cut there", () => {
    let schema: unknown = { const: KEY };
    for (let level = 0; level < 2 * SCRUB_MAX_DEPTH; level += 1) schema = { items: schema };
    expect(JSON.stringify(schemaOf(schema))).not.toContain(KEY);
  });

  it.each([[null], [7], ["text"], [[1, "two"]], [{}]])("that is %j is what it was", (tool) => {
    expect(redactDefinition(tool).value).toBe(tool);
  });
});

const value = fc.constantFrom<unknown>("a", "b", 1, null, KEY, `x ${KEY}`, "hunt3r-Zwei");
const schemas = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom({ type: "string" }, { type: "object" }, {}),
    fc.record({ const: value }),
    fc.record({ enum: fc.uniqueArray(value, { minLength: 1 }) }),
    fc.constantFrom({ pattern: "^a" }, { pattern: `^${KEY}$` }),
    fc.record({ not: tie("schema") }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc
      .tuple(tie("schema"), tie("schema"), tie("schema"))
      .map((parts) => Object.fromEntries(["if", "then", "else"].map((keyword, at) => [keyword, parts[at]]))),
    fc.record({ contains: tie("schema"), maxContains: fc.constant(1) }),
    fc.record(
      {
        properties: fc.dictionary(fc.constantFrom("a", "password", KEY), tie("schema"), { maxKeys: 3 }),
        patternProperties: fc.dictionary(fc.constantFrom("^a", `^${KEY}`), tie("schema"), { maxKeys: 2 }),
        additionalProperties: fc.oneof(fc.constant(false), tie("schema")),
        required: fc.uniqueArray(fc.constantFrom("a", "password", KEY)),
        dependentRequired: fc.dictionary(fc.constantFrom("a", KEY), fc.constant([KEY])),
        propertyNames: tie("schema"),
        unevaluatedProperties: fc.constant(false),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema;
function accepts(schema: unknown, instance: unknown): boolean {
  const compiled = compileSchema(schema);
  return compiled.ok && compiled.value.validate(instance).valid;
}

const instances = fc.oneof(
  value,
  fc.array(value, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "password", KEY, "other"), value, { maxKeys: 3 }),
);

describe("a schema without its secrets", () => {
  it("accepts all that it accepted", () => {
    fc.assert(
      fc.property(schemas, instances, (schema, instance) => {
        const before = { type: "object", properties: { it: schema } };
        const after = schemaOf(before);
        expect(JSON.stringify(after)).not.toContain(KEY);
        expect(accepts(after, { it: instance }) || !accepts(before, { it: instance })).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it("is as healthy as it was", () => {
    const limits = { max_bytes: 65_536, max_depth: 32, max_properties: 512, on_invalid: "flag" } as const;
    fc.assert(
      fc.property(schemas, (schema) => {
        const before = { type: "object", properties: { it: schema } };
        const codes = (of: unknown) => lintSchema(of, limits).findings.map((finding) => finding.code);
        const found = new Set(codes(before));
        for (const finding of codes(schemaOf(before))) expect(found).toContain(finding);
      }),
      { numRuns: 500 },
    );
  });

  it("never throws, whatever stands for one, and is given back unchanged", () => {
    fc.assert(
      fc.property(jsonWithSecrets, schemas, (odd, schema) => {
        const once = redactDefinition({
          name: "t",
          inputSchema: odd,
          outputSchema: schema,
          description: odd,
        });
        const written = JSON.stringify(memberOf(once.value, "description"));
        for (const secret of PLANTED) expect(written).not.toContain(secret);
        expect(redactDefinition(once.value)).toEqual({ value: once.value, count: 0 });
      }),
      { numRuns: 1_000 },
    );
  });
});
