import { describe, expect, it } from "vitest";
import {
  PATTERN_COMPILE_MAX_STATES,
  PATTERN_MAX_STATES,
  SCHEMA_FINDINGS_MAX_COUNT,
  SCHEMA_MAX_CHAIN,
  SCHEMA_PATTERNS_MAX_STATES,
} from "../../src/limits.ts";
import { analyseSchema } from "../../src/schema/analyse.ts";
import { judge } from "../../src/schema/judge.ts";
import { compilePattern } from "../../src/schema/pattern-program.ts";
import { createValidatorCache } from "../../src/schema/validator-cache.ts";
import { doubling, findings, type Json, many, named, nest, object, work } from "./work.ts";

describe("schemas that grow while they are applied", () => {
  it.each<readonly [string, Json, string]>([
    ["anyOf doubling", doubling(20, (below) => ({ anyOf: [below, { ...below }] })), "composition_exceeded!"],
    ["a billion laughs", doubling(9, (below) => ({ allOf: many(10, () => below) })), "composition_exceeded!"],
    ["if, then and else", doubling(16, (below) => conditional(below)), "composition_exceeded!"],
    [
      "oneOf under not",
      doubling(20, (below) => ({ not: { oneOf: [below, below] } })),
      "composition_exceeded!",
    ],
    ["a chain of allOf", doubling(SCHEMA_MAX_CHAIN, (below) => ({ allOf: [below] })), "chain_exceeded!"],
    ["a chain of not", object({ a: nots(SCHEMA_MAX_CHAIN + 1) }), "chain_exceeded!"],
    [
      "a chain of dependentSchemas",
      doubling(70, (below) => ({ dependentSchemas: { a: below } })),
      "chain_exceeded!",
    ],
  ])("are refused before they are applied: %s", (_, schema, finding) => {
    expect(findings(schema)).toEqual([finding]);
  });

  it("stop at the meter where they double with the arguments' depth", () => {
    const schema = doubling(120, (below) => ({ allOf: many(2, () => ({ properties: { a: below } })) }));
    const deep = work(schema, nest(100, 1));
    expect(deep.guard).toBe("work_exceeded");
    expect(work(schema, nest(8, {})).verdict).toEqual({ valid: true });
    expect(work(schema, nest(8, {})).units).toBeLessThan(3_000);
  });

  it("end in a refusal, not in a throw, where chains and depth together are too much for the stack", () => {
    const $defs: Record<string, unknown> = { l0: { properties: { a: { $ref: "#/$defs/l60" } } } };
    for (let level = 1; level <= 60; level += 1) $defs[`l${level}`] = { $ref: `#/$defs/l${level - 1}` };
    const schema = { type: "object", $ref: "#/$defs/l60", $defs };
    const { usable } = analyseSchema(schema, {});
    if (usable === undefined) throw new Error("unusable");
    const verdict = judge(nest(126, 1), usable.prepared, usable.meter);
    expect(["validator_failed", "valid"]).toContain(verdict.valid ? "valid" : verdict.guard);
    expect(judge(nest(2, 1), usable.prepared, usable.meter)).toEqual({ valid: true });
  });
});

function conditional(below: Json): Json {
  return Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, below]));
}

function nots(levels: number): Json {
  let schema: Json = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { not: schema };
  return schema;
}

describe("patterns", () => {
  it.each([
    ["^(a+)+$", "a"],
    ["(a|a)*b", "a"],
    ["(.*)*x", "a"],
    ["^(?:(?=.*b).)*c$", "b"],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ])("cost no more than their size times the text's, wherever they stand: %s", (pattern, unit) => {
    for (const [schema, args] of [
      [object({ a: { pattern } }), { a: `${unit.repeat(20_000)}!` }],
      [object({}, { propertyNames: { pattern } }), { [`${unit.repeat(20_000)}!`]: 1 }],
      [object({}, { patternProperties: { [pattern]: false } }), { [`${unit.repeat(20_000)}!`]: 1 }],
      [object({ a: { not: { pattern } } }), { a: `${unit.repeat(20_000)}!` }],
    ] as const) {
      const { guard, steps } = work(schema, args);
      expect(guard).toBeUndefined();
      expect(steps).toBeLessThan(100 * 20_000);
    }
  });

  it.each(["(a{1000}){1000}", "a{1,99999}", "((a{1,100}){1,100}){1,100}", "(?=a{9000})b", "[ab]{9000}"])(
    "that would take too many states are left to the upstream: %s",
    (pattern) => {
      expect(findings(object({ a: { pattern } }))).toEqual(["pattern_unsupported"]);
      expect(work(object({ a: { pattern } }), { a: "zzz" }).verdict).toEqual({ valid: true });
    },
  );

  it("are compiled within one budget for a schema, refused ones included", () => {
    const budget = { states: PATTERN_COMPILE_MAX_STATES };
    let compiled = 0;
    while (budget.states > 0) {
      expect(compilePattern(`(a{1000}){1000}${compiled}`, budget).ok).toBe(false);
      compiled += 1;
    }
    expect(compiled).toBeLessThanOrEqual(1 + PATTERN_COMPILE_MAX_STATES / PATTERN_MAX_STATES);
    const schema = object({
      ...named(5_000, (index) => ({ pattern: `(a{1000}){1000}${index}` })),
    });
    expect(new Set(findings(schema))).toEqual(new Set(["pattern_unsupported"]));
    expect(work(schema, { k0: "b" }).verdict).toEqual({ valid: true });
  });

  it("do not have the engine look up character properties ten thousand times", () => {
    const budget = { states: PATTERN_COMPILE_MAX_STATES };
    expect(compilePattern("\\p{L}".repeat(800), budget)).toEqual({
      ok: false,
      reason: "pattern_unsupported",
    });
    expect(budget.states).toBeLessThanOrEqual(0);
    expect(compilePattern("^[\\p{L}\\p{N}\\p{M}_-]{1,64}$").ok).toBe(true);
  });

  it("count in the cache of validators by their states, which few bytes can say", () => {
    const cache = createValidatorCache();
    for (let index = 0; index < 40; index += 1) {
      const schema = object(named(4, (at) => ({ pattern: `(a{90}){80}${index}${at}` })));
      expect(cache.compile(`h${index}`, schema, 200).ok).toBe(true);
    }
    expect(cache.size).toBeLessThanOrEqual((1024 * 1024) / (SCHEMA_PATTERNS_MAX_STATES / 2));
  });
});

describe("large and odd schemas", () => {
  it.each<readonly [string, Json]>([
    ["a million prefixItems", object({ a: { prefixItems: many(1_000_000, () => ({})) } })],
    ["a hundred thousand required names", object({ a: { required: many(100_000, (index) => `r${index}`) } })],
    ["a megabyte of values", object({ a: { enum: many(2_000, (index) => `${"x".repeat(600)}${index}`) } })],
  ])("are refused unread: %s", (_, schema) => {
    expect(findings(schema)).toHaveLength(1);
    expect(findings(schema)[0]).toMatch(/^(?:nodes|size)_exceeded!$/u);
  });

  it("are judged where a list of values is nearly a megabyte, for what that costs", () => {
    const schema = object({ a: { enum: many(4_000, (index) => `${"x".repeat(240)}${index}`) } });
    expect(findings(schema)).toEqual([]);
    const { verdict, units } = work(schema, { a: `${"x".repeat(240)}3999` });
    expect(verdict).toEqual({ valid: true });
    expect(units).toBeGreaterThan(7_000);
  });

  it.each([
    [1e308, 1e-300, true],
    [1e308, 5e-324, true],
    [5e-324, 1e308, false],
    [0, 5e-324, true],
    [0.3, 0.1, true],
    [1e-7, 1e-8, true],
  ])("divide %d by %d exactly and at once", (value, multipleOf, expected) => {
    const { verdict, units } = work(object({ a: { multipleOf } }), { a: value });
    expect(verdict.valid).toBe(expected);
    expect(units).toBeLessThan(10);
  });

  it("say a few things about thousands of faults under names of half a megabyte", () => {
    const faults = named(5_000, (index) => ({ pattern: `(${index}` }));
    const schema = object({ ["x".repeat(400_000)]: object(faults) });
    const { findings: found } = analyseSchema(schema, {});
    expect(found.length).toBeLessThanOrEqual(SCHEMA_FINDINGS_MAX_COUNT);
    expect(JSON.stringify(found).length).toBeLessThan(20_000);
  });
});

describe("addresses and names that mislead", () => {
  it("take a property for a property, whatever it is called", () => {
    const schema = object({
      $id: { type: "string" },
      $ref: { type: "string" },
      $schema: { type: "string" },
      $anchor: { type: "string" },
      $dynamicRef: { type: "string" },
      id: { type: "string" },
      pattern: { type: "string" },
      enum: { type: "string" },
    });
    expect(findings(schema)).toEqual([]);
    const { verdict } = work(schema, { $id: 1, $ref: 1, $schema: 1, enum: 1 });
    expect(verdict).toMatchObject({ errors: many(4, () => ({ keyword: "type" })) });
  });

  it("resolve against the nearest address, and never against one that is only data", () => {
    const inner = {
      $id: "inner",
      $defs: { t: { type: "string" } },
      properties: { v: { $ref: "#/$defs/t" } },
    };
    const schema = object(
      { a: inner, b: { $ref: "inner#/$defs/t" } },
      { $defs: { t: { type: "integer" } }, default: { $id: "data" } },
    );
    expect(findings(schema)).toEqual([]);
    expect(work(schema, { a: { v: "x" }, b: "x" }).verdict).toEqual({ valid: true });
    expect(work(schema, { a: { v: 1 } }).verdict).toMatchObject({
      errors: [{ path: "/a/v", keyword: "type" }],
    });
    expect(findings(object({ a: { $ref: "data" } }, { default: { $id: "data" } }))).toEqual([
      "external_ref!",
    ]);
    expect(findings(object({ a: { $ref: "data" } }, { enum: [{ $id: "data" }] }))).toEqual(["external_ref!"]);
  });

  it("read draft 4's id in draft 4 alone", () => {
    const schema = (keyword: string, dialect: string): Json =>
      object({ a: { [keyword]: "inner", type: "string" }, b: { $ref: "inner" } }, { $schema: dialect });
    expect(findings(schema("id", "http://json-schema.org/draft-04/schema#"))).toEqual([]);
    expect(findings(schema("$id", "http://json-schema.org/draft-04/schema#"))).toEqual(["external_ref!"]);
    expect(findings(schema("id", "http://json-schema.org/draft-07/schema#"))).toEqual(["external_ref!"]);
    expect(findings(schema("$id", "http://json-schema.org/draft-07/schema#"))).toEqual([]);
  });

  it("keep the first of two with one name, and say so", () => {
    const schema = object(
      { a: { $ref: "#n" } },
      { $defs: { one: { $anchor: "n", type: "string" }, two: { $anchor: "n", type: "integer" } } },
    );
    expect(findings(schema)).toEqual(["duplicate_id"]);
    const verdicts = ["x", 1].map((value) => work(schema, { a: value }).verdict.valid);
    expect(verdicts.filter(Boolean)).toHaveLength(1);
  });

  it("resolve no address of thousands of characters, however many are relative to it", () => {
    const $id = `https://x.example/${"a".repeat(400_000)}/`;
    expect(findings({ ...object(named(3_000, () => ({ $ref: "b" }))), $id })).toContain("external_ref!");
    expect(findings({ ...object({ a: { $ref: "#/$defs/t" } }), $defs: { t: {} }, $id })).toEqual([
      "annotation_malformed",
    ]);
    expect(findings({ ...object({}), $id: "https://[" })).toEqual(["annotation_malformed"]);
  });

  it("follow $recursiveRef in a document of one resource, and leave it to the upstream in one of several", () => {
    const $schema = "https://json-schema.org/draft/2019-09/schema";
    const one = { $schema, ...object({ child: { $recursiveRef: "#" }, v: { type: "integer" } }) };
    expect(work(one, { child: { child: { v: "x" } } }).verdict).toMatchObject({
      errors: [{ path: "/child/child/v", keyword: "type" }],
    });
    const several = named(2_000, (index) => ({ $id: `i${index}`, items: { $recursiveRef: "#" } }));
    expect(new Set(findings({ $schema, ...object(several) }))).toEqual(new Set(["dynamic_ref_unsupported"]));
    expect(findings({ $schema, type: "object", $recursiveRef: "#" })).toEqual(["ref_cycle!"]);
  });
});
