import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callSchema, promptArguments } from "../../../src/catalog/primitives/call-schema.ts";
import { canonicalJson } from "../../../src/catalog/snapshot/canonical-json.ts";
import { isRecord, memberOf } from "../../../src/json.ts";

const TEXT = { type: "string" };
const TEXTS = { anyOf: [TEXT, { type: "array", items: TEXT }] };

describe("the schema of a call", () => {
  it("is an object without members for a plain resource, whatever else that says", () => {
    for (const definition of [{ uri: "a://b" }, { uri: "a://{b}" }, { uriTemplate: 7 }, null, "x"]) {
      expect(callSchema("resource", definition)).toEqual({
        type: "object",
        properties: {},
        additionalProperties: false,
      });
    }
  });

  it("has a template's variables: needed in a path, free in a query, lists where they are exploded", () => {
    const uriTemplate = "a://{host}/{+path}{/rest*}{#part}{?q,list*}{&more}";
    expect(callSchema("resource", { uriTemplate })).toEqual({
      type: "object",
      properties: { host: TEXT, path: TEXT, rest: TEXTS, part: TEXT, q: TEXT, list: TEXTS, more: TEXT },
      required: ["host", "path", "rest", "part"],
      additionalProperties: false,
    });
  });

  it("asks for a variable that stands in a path and in a query", () => {
    expect(callSchema("resource", { uriTemplate: "a://{x}{?x*}" })).toMatchObject({
      properties: { x: TEXTS },
      required: ["x"],
    });
  });

  it("has a prompt's arguments with their descriptions, each once", () => {
    const listed = [
      { name: "a", description: "An a.", required: true },
      { name: "b", required: "yes" },
      { name: "a" },
      { name: "" },
      { name: 7 },
      null,
    ];
    expect(callSchema("prompt", { arguments: listed })).toEqual({
      type: "object",
      properties: { a: { ...TEXT, description: "An a." }, b: TEXT },
      required: ["a"],
      additionalProperties: false,
    });
    expect(promptArguments({ arguments: "no list" })).toEqual([]);
  });

  it("keeps names that objects inherit as names", () => {
    const named = ["__proto__", "constructor", "toString"];
    const schemas = [
      callSchema("prompt", { arguments: named.map((name) => ({ name, required: true })) }),
      callSchema("resource", { uriTemplate: named.map((name) => `{${name}}`).join("/") }),
    ];
    for (const schema of schemas) {
      const properties = memberOf(schema, "properties");
      expect(isRecord(properties) && Object.keys(properties)).toEqual(named);
      expect(memberOf(schema, "required")).toEqual(named);
    }
  });

  it("is the same text for the same definition, and never throws", () => {
    fc.assert(
      fc.property(fc.constantFrom("resource" as const, "prompt" as const), fc.json(), (kind, json) => {
        const read = () => canonicalJson(callSchema(kind, JSON.parse(json)));
        expect(read()).toBe(read());
      }),
    );
  });
});
