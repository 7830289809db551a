import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import {
  isRequestId,
  type RequestId,
  requestIdKey,
  requestIdText,
  sameRequestId,
} from "../../../src/spine/frame/request-id.ts";
import { numberText } from "../../exact-json/json-texts.ts";

function read(text: string): RequestId {
  const result = parseExactJson(text, { duplicates: "refuse" });
  if (!result.ok || !isRequestId(result.value)) throw new Error(text);
  return result.value;
}

const idText = fc.oneof(
  numberText,
  fc.string({ unit: "binary" }).map((id) => JSON.stringify(id)),
  // Strings that look like numbers, and like keys.
  numberText.map((text) => `"${text}"`),
  numberText.map((text) => `"number:${text}"`),
);

describe("a request id", () => {
  it('is its type and its text: `1`, `"1"`, `1.0` and their like are all different', () => {
    const texts = ["1", '"1"', "1.0", "1e0", "1.00", "0", "-0", '"number:1"', '"string:1"', '""'];
    const ids = texts.map((text) => read(text));
    expect(new Set(ids.map((id) => requestIdKey(id))).size).toBe(texts.length);
    for (const [at, one] of ids.entries())
      for (const [index, other] of ids.entries()) expect(sameRequestId(one, other)).toBe(at === index);
  });

  it("of twenty digits is not its neighbour, which is the same double", () => {
    expect(sameRequestId(read("12345678901234567890"), read("12345678901234567891"))).toBe(false);
    expect(sameRequestId(read("12345678901234567890"), read("12345678901234567890"))).toBe(true);
  });

  it("is written as it was read", () => {
    fc.assert(
      fc.property(idText, (text) => {
        expect(requestIdText(read(text))).toBe(text);
      }),
    );
  });

  it("is another's equal exactly if their texts are equal", () => {
    fc.assert(
      fc.property(idText, idText, (one, other) => {
        expect(sameRequestId(read(one), read(other))).toBe(one === other);
        expect(requestIdKey(read(one)) === requestIdKey(read(other))).toBe(one === other);
      }),
    );
  });

  it("is a string or a number, and nothing else", () => {
    for (const id of ["", "a", "\ud800", 0, -1.5, new ExactNumber("1.0")]) expect(isRequestId(id)).toBe(true);
    for (const id of [
      null,
      undefined,
      true,
      {},
      [],
      ["a"],
      { text: "1.0" },
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
    ])
      expect(isRequestId(id)).toBe(false);
  });
});
