import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readHints } from "../../../src/catalog/cards/annotations.ts";

const NONE = { readOnly: false, destructive: false, costHint: 0, title: "" };

describe("reading annotations", () => {
  it("takes JSON booleans and numbers", () => {
    expect(readHints({ readOnlyHint: true, destructiveHint: false, costHint: 0.5, title: "T" })).toEqual({
      readOnly: true,
      destructive: false,
      costHint: 0.5,
      title: "T",
    });
  });

  it.each([
    [{ readOnlyHint: "false", destructiveHint: "true", costHint: "0.5" }],
    [{ readOnlyHint: 1, destructiveHint: {}, costHint: true, title: 7 }],
    [{ costHint: -1 }],
    [{ costHint: -0 }],
    [{ costHint: Number.NaN }],
    [{ costHint: Number.POSITIVE_INFINITY }],
    [JSON.parse('{"__proto__": {"readOnlyHint": true, "costHint": 9}}')],
    [Object.create({ readOnlyHint: true, destructiveHint: true, costHint: 9 })],
    [[true]],
    ["readOnlyHint"],
    [null],
    [undefined],
    [7],
  ] as [unknown][])("takes %j for nothing said", (annotations) => {
    expect(readHints(annotations)).toEqual(NONE);
  });

  it("answers every JSON value with a finite cost of at least 0 and no throw", () => {
    const hint = fc.record(
      {
        readOnlyHint: fc.jsonValue(),
        destructiveHint: fc.jsonValue(),
        costHint: fc.oneof(fc.double(), fc.jsonValue()),
        title: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), hint), (annotations) => {
        const { costHint, ...hints } = readHints(annotations);
        expect(Number.isFinite(costHint) && costHint >= 0).toBe(true);
        expect(Object.values(hints).map((value) => typeof value)).toEqual(["boolean", "boolean", "string"]);
      }),
    );
  });
});
