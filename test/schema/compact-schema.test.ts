import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWritten } from "../../src/exact-json/parse.ts";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { isRecord } from "../../src/json.ts";
import { COMPACT_SCHEMA_MAX_TOKENS } from "../../src/limits.ts";
import { compactSchema } from "../../src/schema/compact-schema.ts";
import { tokenBound } from "../../src/schema/token-bound.ts";

/** A count that lets a test decide how much fits. */
const counting = (each: number) => (text: string) => text.length * each;

const issue = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  title: "create_issue",
  properties: {
    owner: { type: "string", description: "  Who owns the   repository. " },
    labels: { type: "array", items: { type: "string", minLength: 1 }, maxItems: 10 },
    state: { type: "string", enum: ["open", "closed"], default: "open" },
    author: { $ref: "#/definitions/user" },
  },
  required: ["owner"],
  additionalProperties: false,
  definitions: { user: { type: "object", properties: { login: { type: "string" } }, required: ["login"] } },
};

describe("compactSchema", () => {
  it("shows a small schema with its descriptions, references followed", () => {
    expect(compactSchema(issue)).toEqual({
      type: "object",
      properties: {
        owner: { type: "string", description: "Who owns the repository." },
        labels: { type: "array", maxItems: 10, items: { type: "string", minLength: 1 } },
        state: { type: "string", enum: ["open", "closed"], default: "open" },
        author: { type: "object", properties: { login: { type: "string" } }, required: ["login"] },
      },
      required: ["owner"],
      additionalProperties: false,
    });
  });

  it("drops descriptions first, then constraints, and keeps names, types, required and enums", () => {
    expect(JSON.stringify(compactSchema(issue, counting(0.8)))).not.toContain("description");
    expect(JSON.stringify(compactSchema(issue, counting(0.8)))).toContain("maxItems");
    const bare = compactSchema(issue, counting(1.05));
    expect(JSON.stringify(bare)).not.toContain("maxItems");
    expect(bare).toMatchObject({
      properties: { state: { enum: ["open", "closed"] }, owner: { type: "string" } },
      required: ["owner"],
    });
  });

  it("gives required parameters the first places and counts what had to go", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`parameter_${index}`, { type: "string" }]),
    );
    const compact = compactSchema({ type: "object", properties, required: ["parameter_399", "parameter_7"] });
    expect(compact).toMatchObject({ required: ["parameter_7", "parameter_399"] });
    const shown: unknown = isRecord(compact) ? compact["properties"] : undefined;
    const names = isRecord(shown) ? Object.keys(shown) : [];
    expect(names.slice(0, 2)).toEqual(["parameter_7", "parameter_399"]);
    expect(compact).toMatchObject({ omitted: 400 - names.length });
  });

  it("passes over a name too long to show and shows the rest", () => {
    const compact = compactSchema({
      type: "object",
      properties: { ["n".repeat(10_000)]: { type: "string" }, path: { type: "string" } },
    });
    expect(compact).toEqual({ type: "object", properties: { path: { type: "string" } }, omitted: 1 });
  });

  it("keeps a member called __proto__ a member", () => {
    const schema: unknown = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    expect(JSON.stringify(compactSchema(schema))).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
    );
  });

  it("ends on schemas that contain themselves, double, or nest without end", () => {
    expect(JSON.stringify(compactSchema({ $ref: "#" })).length).toBeLessThan(100);
    const doubling = { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })) };
    expect(JSON.stringify(compactSchema(doubling)).length).toBeLessThan(2000);
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level += 1) deep = { type: "array", items: deep };
    expect(JSON.stringify(compactSchema(deep)).length).toBeLessThan(300);
  });

  it("shows numbers as their server wrote them", () => {
    const text =
      '{"type":"object","properties":{"id":{"minimum":9007199254740993,"maximum":12345678901234567890,"default":1.0},' +
      '"kind":{"enum":[9007199254740993,1e400,"a"]},"only":{"const":12345678901234567891}}}';
    const shown = exactJsonText(compactSchema(parseWritten(text)));
    expect(JSON.parse(shown)).toEqual(JSON.parse(text));
    for (const [number] of text.matchAll(/[0-9][0-9.e]+/g)) expect(shown).toContain(number);
  });

  it("counts them as they are shown", () => {
    const long = parseWritten(`{"properties":{"id":{"enum":[${`${"7".repeat(60)},`.repeat(63)}1]}}}`);
    const shown = exactJsonText(compactSchema(long));
    expect(shown).toContain("7".repeat(60));
    expect(tokenBound(shown)).toBeLessThanOrEqual(COMPACT_SCHEMA_MAX_TOKENS);
  });

  it("renders valid JSON of anything", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const text = JSON.stringify(compactSchema(value));
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
      }),
    );
  });
});
