import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStringifiedObject, repairArguments } from "../../src/dispatch/tolerant.ts";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { memberOf } from "../../src/json.ts";
import { compileSchema } from "../../src/schema/validator.ts";

/** The golden values of seed 000 §4.4, as JSON texts: what is sent on keeps a number's digits. */
const GOLDEN_SCHEMA = {
  type: "object",
  properties: {
    i: { type: "integer" },
    n: { type: "number" },
    b: { type: "boolean" },
    z: { type: "null" },
    zs: { type: ["string", "null"] },
    s: { type: "string" },
    u: {},
  },
};
const GOLDEN: readonly (readonly [unknown, string, readonly string[]])[] = [
  [
    { i: "42", n: "1.5e3", b: "true", z: "null", zs: "null", s: "42", u: "42" },
    '{"i":42,"n":1.5e3,"b":true,"z":null,"zs":"null","s":"42","u":"42"}',
    ["$.i str_to_integer", "$.n str_to_number", "$.b str_to_boolean", "$.z str_to_null"],
  ],
  [{ i: "042" }, '{"i":"042"}', []],
  [{ i: " 42 " }, '{"i":42}', ["$.i str_to_integer"]],
  [{ i: "+42" }, '{"i":"+42"}', []],
  [{ n: "1e999" }, '{"n":"1e999"}', []],
  [{ b: "True" }, '{"b":"True"}', []],
  ['\uFEFF {"i":"3"} ', '{"i":3}', ["$ parse_stringified_object", "$.i str_to_integer"]],
  ["[1]", '"[1]"', []],
  [{ i: "4.0" }, '{"i":"4.0"}', []],
];

function repaired(args: unknown, schema: unknown): { text: string; repairs: readonly string[] } {
  const result = repairArguments(args, schema);
  return {
    text: exactJsonText(result.args),
    repairs: result.repairs.map(({ path, rule }) => `${path} ${rule}`),
  };
}

function inheriting(prototype: object): object {
  const child = {};
  Object.setPrototypeOf(child, prototype);
  return child;
}

const one = (type: unknown, more: object = {}): object => ({
  type: "object",
  properties: { v: { type, ...more } },
});

describe("repairArguments", () => {
  it.each(GOLDEN)("gives the golden value for %j", (args, text, repairs) => {
    expect(repaired(args, GOLDEN_SCHEMA)).toEqual({ text, repairs });
  });

  it.each([
    ["integer", "12345678901234567890", "12345678901234567890"],
    ["integer", "9007199254740993", "9007199254740993"],
    ["integer", "-0", "-0"],
    ["integer", "-7", "-7"],
    ["integer", "1e3", '"1e3"'],
    ["integer", "٤٢", '"٤٢"'],
    ["integer", "", '""'],
    ["integer", "9".repeat(400), `"${"9".repeat(400)}"`],
    ["number", "1.50", "1.50"],
    ["number", "0.1", "0.1"],
    ["number", "1E+2", "1E+2"],
    ["number", "42", "42"],
    ["number", ".5", '".5"'],
    ["number", "5.", '"5."'],
    ["number", "0x10", '"0x10"'],
    ["number", "NaN", '"NaN"'],
    ["number", "Infinity", '"Infinity"'],
    ["number", "1_000", '"1_000"'],
    ["number", "1 2", '"1 2"'],
    ["boolean", "\tfalse\n", "false"],
    ["boolean", "0", '"0"'],
    ["null", "None", '"None"'],
    ["array", "[1]", '"[1]"'],
    ["object", "{}", '"{}"'],
  ])("reads for %s the text %j as %s", (type, text, expected) => {
    expect(repaired({ v: text }, one(type)).text).toBe(`{"v":${expected}}`);
  });

  it("tries a set of types in the table's order, and none where a string is allowed", () => {
    expect(repaired({ v: "1" }, one(["null", "number", "integer"])).repairs).toEqual(["$.v str_to_integer"]);
    expect(repaired({ v: "1.5" }, one(["integer", "number"])).repairs).toEqual(["$.v str_to_number"]);
    expect(repaired({ v: "null" }, one(["integer", "null"])).repairs).toEqual(["$.v str_to_null"]);
    expect(repaired({ v: "1" }, one(["integer", "string"])).repairs).toEqual([]);
    expect(repaired({ v: "1" }, one([7, null, {}, ["integer"]])).repairs).toEqual([]);
    expect(repaired({ v: "1" }, one([])).repairs).toEqual([]);
  });

  it("looks at top-level members that the schema names, and at their own type, alone", () => {
    const schema = {
      type: "object",
      properties: { o: one("integer"), list: { type: "array", items: { type: "integer" } } },
      patternProperties: { "^p": { type: "integer" } },
      additionalProperties: { type: "integer" },
    };
    const args = { o: { v: "1" }, list: ["1"], p: "1", other: "1" };
    const result = repairArguments(args, schema);
    expect(result.repairs).toEqual([]);
    expect(result.args).toBe(args);
    expect(repaired({ v: "1" }, { properties: { v: { anyOf: [{ type: "integer" }] } } }).repairs).toEqual([]);
  });

  it("leaves alone what a reference may mean otherwise", () => {
    const referring = one("integer", { $ref: "#/definitions/text" });
    expect(repaired({ v: "1" }, referring).repairs).toEqual([]);
    expect(repaired({ v: "1" }, { ...one("integer"), $ref: "#/definitions/all" }).repairs).toEqual([]);
  });

  it("keeps the order and the other members, and changes neither arguments nor schema", () => {
    const args = Object.freeze({ b: "x", v: "7", a: [1], "": null });
    const schema = Object.freeze(one("integer"));
    const before = JSON.stringify([args, schema]);
    expect(repaired(args, schema).text).toBe('{"b":"x","v":7,"a":[1],"":null}');
    expect(JSON.stringify([args, schema])).toBe(before);
  });

  it.each<readonly [string, unknown]>([
    ["text that is no JSON", "{v:1}"],
    ["a JSON string", '"{}"'],
    ["a JSON number", "1.0"],
    ["null", "null"],
    ["text that is empty but for a mark", "\uFEFF"],
    ["a member given twice", '{"v":1,"v":2}'],
    ["a member given twice, deep inside", '{"v":{"a":1,"\\u0061":2}}'],
    ["more than one object", "{}{}"],
    ["text of an object nested in text", '"{\\"v\\":1}"'],
    ["null itself", null],
    ["nothing", undefined],
    ["an array", ["1"]],
    ["a number", 7],
    ["an exact number", new ExactNumber("1.0")],
  ])("gives back %s as it is", (_, args) => {
    expect(repairArguments(args, one("integer"))).toEqual({ args, repairs: [] });
    expect(repairArguments(args, one("integer")).args).toBe(args);
  });

  it("keeps the digits of numbers in arguments that were a string", () => {
    expect(repaired('{"v":"1.50","w":12345678901234567890,"x":1.0}', one("number")).text).toBe(
      '{"v":1.50,"w":12345678901234567890,"x":1.0}',
    );
  });

  it("takes names that every object has for members like any other", () => {
    const schema: unknown = JSON.parse(
      '{"properties":{"__proto__":{"type":"integer"},"constructor":{"type":"boolean"}}}',
    );
    const args: unknown = JSON.parse('{"__proto__":"1","constructor":"true","toString":"1"}');
    const result = repairArguments(args, schema);
    expect(exactJsonText(result.args)).toBe('{"__proto__":1,"constructor":true,"toString":"1"}');
    expect(Object.getPrototypeOf(result.args)).toBe(Object.prototype);
    expect(repaired(JSON.parse('{"__proto__":"1","toString":"1"}'), { properties: {} }).repairs).toEqual([]);
  });

  it.each<readonly [string, unknown]>([
    ["no schema", undefined],
    ["null", null],
    ["true", true],
    ["an array", [one("integer")]],
    ["properties that are null", { properties: null }],
    ["properties that are an array", { properties: [{ type: "integer" }] }],
    ["a property that is null", { properties: { v: null } }],
    ["a type that is an object", one({ type: "integer" })],
    ["an inherited type", { properties: { v: inheriting({ type: "integer" }) } }],
  ])("repairs nothing by a schema that is %s", (_, schema) => {
    expect(repaired({ v: "1", 0: "1" }, schema).repairs).toEqual([]);
  });

  it("runs no code of the arguments or of the schema", () => {
    const trap = (): never => {
      throw new Error("ran");
    };
    const args = Object.defineProperty({ v: "1" }, "w", { enumerable: true, get: trap });
    const schema = { properties: Object.defineProperty({ v: { type: "integer" } }, "w", { get: trap }) };
    expect(repairArguments(args, schema).repairs).toHaveLength(1);
    expect(repairArguments(args, Object.defineProperty({}, "properties", { get: trap })).repairs).toEqual([]);
  });

  it("reads each member and each type once, however many there are", () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "integer" }]));
    let reads = 0;
    const counted = new Proxy(properties, {
      getOwnPropertyDescriptor: (target, name) => {
        reads += 1;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
    const args = Object.fromEntries(names.map((name) => [name, "1"]));
    expect(repairArguments(args, { properties: counted }).repairs).toHaveLength(names.length);
    expect(reads).toBe(names.length);
  });

  const types = fc.constantFrom("integer", "number", "boolean", "null", "string", "array", "object");
  const schemas = fc.record({
    type: fc.constant("object"),
    properties: fc.dictionary(
      fc.constantFrom("a", "b", "c", "__proto__"),
      fc.oneof(
        fc.record({ type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })) }),
        fc.constant({}),
        fc.record({ type: types, $ref: fc.constant("#/$defs/any") }),
      ),
    ),
    $defs: fc.constant({ any: true }),
    $schema: fc.constantFrom(
      "http://json-schema.org/draft-07/schema#",
      "https://json-schema.org/draft/2020-12/schema",
    ),
  });
  const spelt = fc.oneof(
    fc.constantFrom("1", " -3 ", "1.50", "true", "null", "1e999", "x", "", "12345678901234567890"),
    fc.double().map(String),
    fc.bigInt().map(String),
  );
  const members = fc.dictionary(
    fc.constantFrom("a", "b", "c", "__proto__", "d"),
    fc.oneof(spelt, fc.jsonValue()),
  );

  it("never changes arguments that satisfy the schema, and what it repaired does in those places", () => {
    const seen = { valid: 0, repaired: 0 };
    fc.assert(
      fc.property(schemas, members, (schema, args) => {
        const compiled = compileSchema(schema);
        if (!compiled.ok) throw new Error(compiled.reason.code);
        const result = repairArguments(args, schema);
        const isValid = compiled.value.validate(args).valid;
        seen.valid += Number(isValid);
        expect(isValid ? result : { args, repairs: [] }).toEqual({ args, repairs: [] });
        const verdict = compiled.value.validate(result.args);
        const failed = verdict.valid ? [] : verdict.errors.map(({ path }) => path);
        for (const { path } of result.repairs) {
          seen.repaired += 1;
          expect(failed).not.toContain(`/${path.slice(2)}`);
        }
        expect(repairArguments(result.args, schema)).toEqual({ args: result.args, repairs: [] });
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.valid, seen.repaired)).toBeGreaterThan(30);
  });

  it("changes a member only into what its text says, letter for letter", () => {
    fc.assert(
      fc.property(schemas, fc.dictionary(fc.constantFrom("a", "b", "c"), spelt), (schema, args) => {
        const { args: result, repairs } = repairArguments(args, schema);
        const given = new Map(Object.entries(args));
        for (const { path } of repairs) {
          const name = path.slice(2);
          expect(exactJsonText(memberOf(result, name))).toBe(given.get(name)?.trim());
        }
      }),
    );
  });

  it("never throws, and gives back what it did not repair, whatever it is given", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (args, schema) => {
        const result = repairArguments(args, schema);
        expect(Object.is(result.args, args)).toBe(result.repairs.length === 0);
      }),
    );
  });
});

describe("parseStringifiedObject", () => {
  it("gives the object that was put into a string, whatever it was", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom("", " ", "\uFEFF", "\uFEFF\n\t "),
        (object, before) => {
          const text = `${before}${JSON.stringify(object)} \n`;
          expect(exactJsonText(parseStringifiedObject(text))).toBe(JSON.stringify(object));
        },
      ),
    );
  });
});
