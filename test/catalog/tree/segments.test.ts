import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leafSegments } from "../../../src/catalog/tree/segments.ts";
import type { Named } from "../../../src/catalog/tree/segments.ts";

const LEGAL = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const tool = (name: string, suffix: string): Named => ({ id: `n:${name}${suffix}`, name });

describe("leaf segments", () => {
  it("are the names where these are legal and alone", () => {
    expect(leafSegments([tool("create_issue", "#00000001"), tool("x.op1", "#00000002")])).toEqual([
      "create_issue",
      "x-op1",
    ]);
  });

  it("carry the hash of the id on every side of a clash", () => {
    expect(
      leafSegments([tool("getPage", "#aaaaaaaa"), tool("getpage", "#bbbbbbbb"), tool("get", "#cccccccc")]),
    ).toEqual(["getpage-aaaaaaaa", "getpage-bbbbbbbb", "get"]);
  });

  it("stay within 64 characters with the hash", () => {
    const long = "x".repeat(100);
    const segments = leafSegments([tool(long, "#aaaaaaaa"), tool(long, "#bbbbbbbb")]);
    expect(segments).toEqual([`${"x".repeat(55)}-aaaaaaaa`, `${"x".repeat(55)}-bbbbbbbb`]);
  });

  it("tell versions apart by a hash of the id", () => {
    const [first, second] = leafSegments([tool("get", "@1"), tool("get", "@2")]);
    expect(first).toMatch(/^get-[0-9a-f]{8}$/);
    expect(second).toMatch(/^get-[0-9a-f]{8}$/);
    expect(first).not.toBe(second);
  });

  it("go on where two that clash share a hash", () => {
    const segments = leafSegments([tool("get", "#aaaaaaaa"), tool("Get", "#aaaaaaaa")]);
    expect(new Set(segments).size).toBe(2);
    for (const segment of segments) expect(segment).toMatch(/^get-[0-9a-f]{16}$/);
  });

  it("go on where a lengthened one is another tool's name", () => {
    const segments = leafSegments([
      tool("a.b", "#aaaaaaaa"),
      tool("a-b", "#bbbbbbbb"),
      tool("a-b-aaaaaaaa", "#cccccccc"),
    ]);
    expect(new Set(segments).size).toBe(3);
    expect(segments[1]).toBe("a-b-bbbbbbbb");
    expect(segments[2]).toBe("a-b-aaaaaaaa-cccccccc");
  });

  it("of names without a letter are `tool` and a hash", () => {
    const segments = leafSegments([tool("___", "#aaaaaaaa"), tool("搜索", "#bbbbbbbb")]);
    expect(segments).toEqual(["tool-aaaaaaaa", "tool-bbbbbbbb"]);
  });

  it("are legal, unlike each other, and the same in any order, whatever the names are", () => {
    const name = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "A", ".", "-", "_", "1"), maxLength: 4 }),
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom("a-aaaaaaaa", "a-aaaaaaab", "tool", "__proto__", "constructor"),
    );
    const suffix = fc.constantFrom("#aaaaaaaa", "#aaaaaaab", "@1", "@1#aaaaaaaa");
    const tools = fc
      .uniqueArray(fc.tuple(name, suffix), { selector: ([n, s]) => JSON.stringify(n + s) })
      .map((pairs) => pairs.map(([n, s]) => tool(n, s)));
    const withOrder = tools.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list], { minLength: list.length })),
    );
    fc.assert(
      fc.property(withOrder, ([list, shuffled]) => {
        const segments = leafSegments(list);
        expect(new Set(segments).size).toBe(list.length);
        for (const segment of segments) expect(segment).toMatch(LEGAL);
        const inOtherOrder = leafSegments(shuffled);
        const byId = new Map(shuffled.map(({ id }, at) => [id, inOtherOrder[at]]));
        expect(list.map(({ id }) => byId.get(id))).toEqual(segments);
      }),
    );
  });
});
