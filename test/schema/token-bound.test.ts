import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COMPACT_SCHEMA_MAX_TOKENS } from "../../src/limits.ts";
import { compactSchema } from "../../src/schema/compact-schema.ts";
import { SINGLE_TOKENS, tokenBound } from "../../src/schema/token-bound.ts";

const tokenizer = new Tiktoken(cl100k);
const count = (text: string): number => tokenizer.encode(text, [], []).length;

const name = fc.oneof(
  fc.constantFrom(
    "path",
    "workingDir",
    "issue_number",
    "__proto__",
    "constructor",
    "<|endoftext|>",
    "名前",
    "😀",
    "\ud800",
    "a\u0000b",
    "x".repeat(10_000),
  ),
  fc.string({ maxLength: 24 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const schemaLike: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record(
      {
        type: fc.constantFrom("string", "number", "integer"),
        description: fc.lorem({ maxCount: 40 }),
        enum: fc.array(name, { maxLength: 80 }),
        default: name,
        maximum: fc.double(),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc
          .array(fc.tuple(name, tie("schema")), { maxLength: 30 })
          .map((entries) => Object.fromEntries(entries)),
        required: fc.array(name, { maxLength: 40 }),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ["type", "properties"] },
    ),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { maxLength: 6 }) }),
    fc.record({ $ref: fc.constant("#") }),
    fc.boolean(),
  ),
}))["schema"];

describe("tokenBound", () => {
  it.each([...SINGLE_TOKENS])("knows %s as one token", (piece) => {
    expect(count(piece)).toBe(1);
  });

  it("is never below the real count, for rendered schemas whatever their names are", () => {
    fc.assert(
      fc.property(schemaLike, (schema) => {
        const text = JSON.stringify(compactSchema(schema));
        expect(count(text)).toBeLessThanOrEqual(tokenBound(text));
      }),
      { numRuns: 150 },
    );
  });

  it("is never below the real count of noise", () => {
    const noise = fc.oneof(
      fc.string({ unit: fc.constantFrom(...Array.from("abcdefghijklmnopqrstuvwxyz")), maxLength: 80 }),
      fc.string({ maxLength: 80 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
    );
    fc.assert(
      fc.property(noise, (text) => {
        expect(count(text)).toBeLessThanOrEqual(tokenBound(text));
      }),
      { numRuns: 600 },
    );
  });
});

describe("compactSchema", () => {
  it("costs at most its tokens, counted exactly, by either way of counting", () => {
    fc.assert(
      fc.property(schemaLike, (schema) => {
        expect(count(JSON.stringify(compactSchema(schema)))).toBeLessThanOrEqual(COMPACT_SCHEMA_MAX_TOKENS);
        expect(count(JSON.stringify(compactSchema(schema, count)))).toBeLessThanOrEqual(
          COMPACT_SCHEMA_MAX_TOKENS,
        );
      }),
      { numRuns: 100 },
    );
  });

  it("is the same bytes for the same schema, and leaves the schema alone", () => {
    fc.assert(
      fc.property(schemaLike, (schema) => {
        const before = JSON.stringify(schema);
        expect(JSON.stringify(compactSchema(schema))).toBe(
          JSON.stringify(compactSchema(structuredClone(schema))),
        );
        expect(JSON.stringify(schema)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });
});
