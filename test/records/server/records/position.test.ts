import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  comparePositions,
  type OrderValue,
  type Position,
  positionOf,
  positionPayload,
} from "../../../../src/records/server/records/position.ts";

const ORDER: fc.Arbitrary<OrderValue> = fc.oneof(
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((value) => ({ type: "integer" as const, value: String(value) })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ type: "real" as const, value })),
  fc.string({ unit: "binary" }).map((value) => ({ type: "text" as const, value })),
  fc.constant({ type: "null" as const }),
);
const POSITION: fc.Arbitrary<Position> = fc.record({
  order: ORDER,
  key: fc.constantFrom("a", "b", "\u{1F600}", "\uFFFD"),
  connectionId: fc.constantFrom("c1", "c2"),
});

describe("a position in a stream", () => {
  it("comes back from a cursor as it was", () => {
    fc.assert(
      fc.property(POSITION, (position) => {
        const payload: unknown = JSON.parse(JSON.stringify(positionPayload(position)));
        const back = positionOf(payload);
        expect(back && comparePositions(back, position, "asc")).toBe(0);
        expect(back?.order.type).toBe(position.order.type);
      }),
    );
  });

  it("is one of a total order, and of its reverse but for what has no value", () => {
    fc.assert(
      fc.property(POSITION, POSITION, POSITION, fc.constantFrom("asc", "desc"), (a, b, c, direction) => {
        const sign = (left: Position, right: Position) => Math.sign(comparePositions(left, right, direction));
        expect(sign(a, b) === -sign(b, a)).toBe(true);
        const [first, second, third] = [a, b, c].toSorted((left, right) =>
          comparePositions(left, right, direction),
        );
        if (first === undefined || second === undefined || third === undefined)
          throw new Error("three are three");
        expect(
          [sign(first, second), sign(second, third), sign(first, third)].every((value) => value <= 0),
        ).toBe(true);
        expect(third.order.type === "null" || first.order.type !== "null").toBe(true);
      }),
    );
  });

  it("tells apart whole numbers that are one to JavaScript", () => {
    const at = (value: string): Position => ({
      order: { type: "integer", value },
      key: "a",
      connectionId: "c",
    });
    expect(comparePositions(at("9007199254740993"), at("9007199254740992"), "asc")).toBeGreaterThan(0);
  });

  it("is none in what is no position", () => {
    for (const payload of [null, 1, "x", [], ["text", "a"], ["text", "a", 1, "c"], { 0: "text" }]) {
      expect(positionOf(payload)).toBeUndefined();
    }
  });
});
