import { describe, expect, it } from "vitest";
import { readPointer, sameContent, targetIn } from "../../../src/catalog/snapshot/pointer.ts";

const POINTER = { generation: 1, revision: 2, hash: "a".repeat(64), stale: ["x"] };

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
    expect(readPointer({ ...POINTER, later: true })).toEqual(POINTER);
  });

  it("says of each server which target its calls go to, and of one it does not name the first", () => {
    const targets = [
      { server: "a", target: "candidate", generation: 2 },
      { server: "__proto__", target: "configured", generation: 3 },
    ];
    const pointer = readPointer({ ...POINTER, targets });
    expect(pointer).toEqual({ ...POINTER, targets });
    if (pointer === undefined) throw new Error("no pointer");
    expect(targetIn(pointer, "a")).toEqual({ target: "candidate", generation: 2 });
    expect(targetIn(pointer, "__proto__")).toEqual({ target: "configured", generation: 3 });
    expect(targetIn(pointer, "b")).toEqual({ target: "configured", generation: 1 });
    expect(readPointer({ ...POINTER, targets: [] })).toEqual(POINTER);
  });

  it("names the other kinds' content, and whose of it is stale, where there is any", () => {
    const kinds = { resource: "b".repeat(64), prompt: "c".repeat(64) };
    const more = { kinds, staleKinds: { prompt: ["x"] } };
    expect(readPointer({ ...POINTER, ...more })).toEqual({ ...POINTER, ...more });
    const none = { kinds: { later: 7 }, staleKinds: { resource: [], prompt: 7 } };
    expect(readPointer({ ...POINTER, ...none })).toEqual(POINTER);
    const { resource } = kinds;
    expect(sameContent({ ...POINTER, kinds }, { ...POINTER, kinds })).toBe(true);
    for (const other of [{ ...POINTER, hash: resource }, POINTER, { ...POINTER, kinds: { resource } }]) {
      expect(sameContent({ ...POINTER, kinds }, other)).toBe(false);
    }
  });

  it.each([{ resource: "short" }, { prompt: 7 }])(
    "with kinds that are %j is none: it would hide what there is",
    (kinds) => {
      expect(readPointer({ ...POINTER, kinds })).toBeUndefined();
    },
  );

  it.each([
    {},
    "a",
    [null],
    [{ server: 1, target: "candidate", generation: 2 }],
    [{ server: "a", target: "elsewhere", generation: 2 }],
    [{ server: "a", target: "candidate", generation: 0 }],
  ])("with targets that are %j is none: its calls would go somewhere else", (targets) => {
    expect(readPointer({ ...POINTER, targets })).toBeUndefined();
  });
});
