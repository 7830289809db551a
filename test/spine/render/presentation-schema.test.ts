import { describe, expect, it } from "vitest";
import { fail, ok } from "../../../src/result.ts";
import { withPresentationProperties } from "../../../src/spine/render/presentation-schema.ts";

const render = { type: "string", enum: ["porcelain", "json"] };
const detail = { type: "string", enum: ["concise", "full"] };

describe("the presentation's properties", () => {
  it("join a schema's own and close it", () => {
    const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const before = JSON.stringify(schema);
    expect(withPresentationProperties(schema)).toEqual(
      ok({
        type: "object",
        properties: { path: { type: "string" }, render, detail },
        required: ["path"],
        additionalProperties: false,
      }),
    );
    expect(JSON.stringify(schema)).toBe(before);
    expect(withPresentationProperties({ type: "object" })).toEqual(
      ok({ type: "object", properties: { render, detail }, additionalProperties: false }),
    );
  });

  it.each([true, { type: "string" }, false])(
    "leave additionalProperties of %j as it is",
    (additionalProperties) => {
      expect(withPresentationProperties({ type: "object", additionalProperties })).toEqual(
        ok({ type: "object", properties: { render, detail }, additionalProperties }),
      );
    },
  );

  it("are added beside a property called __proto__", () => {
    const made = withPresentationProperties(
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"null"}},"__proto__":1}'),
    );
    expect(JSON.stringify(made.ok ? made.value : undefined)).toBe(
      `{"type":"object","properties":{"__proto__":{"type":"null"},"render":${JSON.stringify(render)},"detail":${JSON.stringify(detail)}},"__proto__":1,"additionalProperties":false}`,
    );
  });

  it("are given to each schema anew", () => {
    const [one, other] = [
      withPresentationProperties({ type: "object" }),
      withPresentationProperties({ type: "object" }),
    ];
    expect(one).toEqual(other);
    expect(one.ok && other.ok && one.value["properties"] !== other.value["properties"]).toBe(true);
  });

  it.each([
    [true, { reason: "not_an_object_schema" }],
    [null, { reason: "not_an_object_schema" }],
    [{ type: "array" }, { reason: "not_an_object_schema" }],
    [{ type: ["object", "null"] }, { reason: "not_an_object_schema" }],
    [{ properties: {} }, { reason: "not_an_object_schema" }],
    [{ type: "object", properties: [] }, { reason: "invalid_properties" }],
    [
      { type: "object", properties: { detail: true } },
      { reason: "property_taken", property: "detail" },
    ],
    [
      { type: "object", properties: { render: {} } },
      { reason: "property_taken", property: "render" },
    ],
  ])("are not added to %j", (schema: unknown, problem) => {
    expect(withPresentationProperties(schema)).toEqual(fail(problem));
  });
});
