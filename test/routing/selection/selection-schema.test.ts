import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SELECTION_FORMATS, selectionSchema } from "../../../src/routing/selection/selection-schema.ts";
import { compileSchema } from "../../../src/schema/validator.ts";

const IDS = ["github:create_issue#aea9ce2a", "slack:post#00000000"];
const CHOICE = {
  type: "object",
  properties: { tool_id: { type: "string", enum: IDS } },
  required: ["tool_id"],
  additionalProperties: false,
};

describe("the selection schema", () => {
  it.each([
    ["json_schema", CHOICE],
    [
      "openai",
      { type: "json_schema", json_schema: { name: "tool_selection", strict: true, schema: CHOICE } },
    ],
    [
      "anthropic",
      { name: "tool_selection", description: expect.any(String) as unknown, input_schema: CHOICE },
    ],
  ] as const)("in the form %s", (format, expected) => {
    const made = selectionSchema(IDS, format);
    expect(made).toEqual({ ok: true, value: expected });
    expect(Object.keys(made.ok ? made.value : {})).toEqual(Object.keys(expected));
  });

  it("of nothing to choose from is a reason, in every form", () => {
    for (const format of SELECTION_FORMATS) {
      expect(selectionSchema([], format)).toEqual({ ok: false, reason: "no_candidates" });
    }
  });

  it("has each id once, at its first place", () => {
    const ids = fc.array(fc.constantFrom("a:b#00000000", "__proto__", "constructor", "", "\ud800"), {
      minLength: 1,
    });
    fc.assert(
      fc.property(ids, (candidates) => {
        const expected = candidates.filter((id, at) => candidates.indexOf(id) === at);
        expect(selectionSchema(candidates, "json_schema")).toMatchObject({
          value: { properties: { tool_id: { enum: expected } } },
        });
      }),
    );
  });

  it("lets a candidate through and nothing else", () => {
    const made = selectionSchema(IDS, "json_schema");
    const compiled = compileSchema(made.ok ? made.value : undefined);
    if (!compiled.ok) throw new Error(compiled.reason.code);
    const allows = (choice: unknown) => compiled.value.validate(choice).valid;
    for (const id of IDS) expect(allows({ tool_id: id })).toBe(true);
    for (const choice of [{}, { tool_id: "slack:post" }, { tool_id: IDS[0], why: "x" }, IDS[0], null]) {
      expect(allows(choice)).toBe(false);
    }
  });
});
