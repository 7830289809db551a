import { describe, expect, it } from "vitest";
import { ARGUMENT_ERRORS_MAX_COUNT, ARGUMENTS_MAX_BYTES, PATTERN_WORK_MAX_STEPS } from "../../src/limits.ts";
import { analyseSchema } from "../../src/schema/analyse.ts";
import { judge } from "../../src/schema/judge.ts";
import { fan, type Json, many, named, object, watched, work } from "./work.ts";

describe("arguments that a schema looks at again and again", () => {
  it.each<readonly [string, unknown, unknown]>([
    ["items that may be anything", { items: true }, many(500, () => 1)],
    ["items of a long array that may be anything", { items: true }, many(8_000, () => 1)],
    ["contains of anything", { contains: true }, many(300, () => 1)],
    ["unevaluated items", { unevaluatedItems: true }, many(300, () => 1)],
    ["members that may be anything", { additionalProperties: true }, named(300, () => 1)],
    ["names that may be anything", { propertyNames: true }, named(300, () => 1)],
    ["a wide object", {}, named(1_200, () => 1)],
    ["an object of some width", { minProperties: 1 }, named(1_000, () => 1)],
    ["equality with many objects", { enum: many(200, () => ({ a: 1 })) }, named(300, () => 1)],
    ["equality with many empty objects", { not: { enum: many(200, () => ({})) } }, named(1_200, () => 1)],
    ["duplicates", { uniqueItems: true }, [...many(100, (id) => ({ id, a: [id] })), [0, 0]]],
    ["long duplicates", { uniqueItems: true }, [...many(9, (id) => `${"x".repeat(90_000)}${id}`), [0, 0]]],
  ])("are charged for each look: %s", (_, leaf, value) => {
    expect(work(fan(leaf), { a: value }).guard).toBe("work_exceeded");
    // The engine takes some nanoseconds for a look; inspecting took a few for each member already.
    const looks = { count: 0 };
    const { guard, units } = work(fan(leaf, [2, 2, 3]), watched({ a: value }, looks));
    expect(guard).toBeUndefined();
    expect(looks.count).toBeLessThan(600 * units + 20 * JSON.stringify(value).length);
  });

  it.each<readonly [string, unknown, unknown]>([
    ["the length of a long text", { minLength: 1 }, "x".repeat(900_000)],
    ["a pattern on a long text", { pattern: "^x" }, "x".repeat(300_000)],
    ["one long name", { additionalProperties: {} }, { ["x".repeat(900_000)]: 1 }],
    ["a long list of values", { enum: many(1_000, (index) => `${"x".repeat(400)}${index}`) }, "y"],
    ["thousands of required names", { required: many(2_000, (index) => `r${index}`) }, {}],
  ])("are charged by size: %s", (_, leaf, value) => {
    expect(work(fan(leaf), { a: value }).guard).toBe("work_exceeded");
    const once = work(object({ a: leaf }), { a: value });
    expect(once.guard).toBeUndefined();
    expect(once.units).toBeGreaterThan(100);
  });

  it("cost what they cost once, where they are looked at once", () => {
    const rows = many(5_000, (id) => ({ ...named(9, () => "text", "column"), id }));
    const text = { type: "string", minLength: 1, maxLength: 9, pattern: "^t" };
    const row = object(
      { ...named(9, () => text, "column"), id: { type: "integer", minimum: 0 } },
      {
        required: [...many(9, (index) => `column${index}`), "id"],
        additionalProperties: false,
      },
    );
    const schema = object({
      rows: { type: "array", items: row, uniqueItems: true },
    });
    expect(work(schema, { rows }).verdict).toEqual({ valid: true });
    expect(
      work(
        object({}),
        named(5_000, () => 1),
      ).verdict,
    ).toEqual({ valid: true });
    expect(
      work(object({ text: { type: "string", maxLength: 2_000_000 } }), { text: "x".repeat(1_000_000) })
        .verdict,
    ).toEqual({
      valid: true,
    });
  });

  it("are listed once for each pattern and name, within bounds, and forgotten afterwards", () => {
    const everywhere = object({}, { allOf: many(100, () => ({ patternProperties: { "": {} } })) });
    expect(
      work(
        everywhere,
        named(5_000, () => 1),
      ).guard,
    ).toBe("work_exceeded");
    const { usable } = analyseSchema(object({}, { patternProperties: { "^k": { type: "integer" } } }), {});
    if (usable === undefined) throw new Error("unusable");
    expect(
      judge(
        named(2_000, () => 1),
        usable.prepared,
        usable.meter,
      ),
    ).toEqual({ valid: true });
    const [made] = usable.prepared.patternObjects;
    expect(Object.keys(made?.made.properties ?? {})).toEqual([]);
    const attack = object({}, { patternProperties: named(4_000, () => ({}), "^(z+)+") });
    expect(
      work(
        attack,
        named(4_000, () => 1),
      ).steps,
    ).toBeLessThan(PATTERN_WORK_MAX_STEPS + 100);
  });

  it("are told of in bounded number, and each missing name once, where thousands are required", () => {
    const required = many(40_000, (index) => `r${index}`);
    const { verdict } = work(object({ a: { required } }), { a: {} });
    const expected = required.slice(0, ARGUMENT_ERRORS_MAX_COUNT);
    expect(verdict).toEqual({
      valid: false,
      errors: expected.map((name) => ({ path: `/a/${name}`, keyword: "required" })),
    });
    const dependent = work(object({ a: { dependentRequired: { x: required } } }), { a: { x: 1 } });
    expect(dependent.verdict).toMatchObject({ errors: { length: ARGUMENT_ERRORS_MAX_COUNT } });
  });

  it("are told of without writing out a long name for each of thousands of failures", () => {
    const schema = object({}, { additionalProperties: { items: { type: "string" } } });
    const { verdict } = work(schema, { ["x".repeat(400_000)]: many(20_000, () => 1) });
    expect(verdict).toMatchObject({ valid: false, errors: [{ keyword: "type" }] });
    expect(JSON.stringify(verdict).length).toBeLessThan(10_000);
  });
});

describe("arguments' own size", () => {
  const anything = object({});

  it("is bounded in bytes of compact JSON, whatever they are made of", () => {
    const overhead = JSON.stringify({ a: "" }).length;
    const fits = "x".repeat(ARGUMENTS_MAX_BYTES - overhead);
    expect(work(anything, { a: fits }).verdict).toEqual({ valid: true });
    for (const args of [
      { a: `${fits}x` },
      { a: `${fits.slice(0, -1)}é` },
      { a: "\0".repeat(ARGUMENTS_MAX_BYTES / 6) },
      { [`${fits}xxx`]: 1 },
      Object.fromEntries(many(60, (index) => [`${"n".repeat(ARGUMENTS_MAX_BYTES / 50)}${index}`, 1])),
      many(50, () => "x".repeat(ARGUMENTS_MAX_BYTES / 40)),
    ]) {
      expect(work(anything, args).guard).toBe("arguments_too_large");
    }
  });

  it("is counted as JSON.stringify writes it", () => {
    const samples: readonly Json[] = [
      {},
      { a: [] },
      { a: [1, 2.5, -0, true, null] },
      { 'a"\\\u0000': "😀\n" },
      { a: { b: {} } },
    ];
    for (const sample of samples) {
      const rest =
        ARGUMENTS_MAX_BYTES - new TextEncoder().encode(JSON.stringify({ ...sample, pad: "" })).length;
      expect(work(anything, { ...sample, pad: "x".repeat(rest) }).verdict).toEqual({ valid: true });
      expect(work(anything, { ...sample, pad: "x".repeat(rest + 1) }).guard).toBe("arguments_too_large");
    }
  });
});
