import { describe, expect, it } from "vitest";
import { readPointer } from "../../../src/catalog/snapshot/pointer.ts";

describe("a pointer from outside", () => {
  it.each([
    null,
    [],
    {},
    "x",
    { generation: 1, revision: 1, hash: "short" },
    { generation: 0, revision: 1, hash: "a".repeat(64) },
  ])("that is %j is none", (value) => {
    expect(readPointer(value)).toBeUndefined();
  });

  it("may have members of a later version", () => {
    const pointer = { generation: 1, revision: 2, hash: "a".repeat(64), stale: ["x"] };
    expect(readPointer({ ...pointer, later: true })).toEqual(pointer);
  });
});
