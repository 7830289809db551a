import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../../src/result.ts";
import { SURFACE_BOUNDS, SURFACE_KINDS } from "../../../src/spine/render/bounds.ts";
import { checkProjection, projectionPolicy } from "../../../src/spine/render/projection.ts";
import { anyJson, anything, chars, nestedArrays, nestedObjects, turnedAround } from "./json-values.ts";

const strict = projectionPolicy("list", { referenceOnly: true, forbidOpaqueIds: true });

describe("a projection", () => {
  it.each([
    [{ a: [{ b: { id: 1 } }] }, "opaque_id", "$.a[0].b.id"],
    [[{ x: 1 }, { connection_id: "c" }], "opaque_id", "$[1].connection_id"],
    [{ z: { id: 1 }, a: { text: "t" } }, "reference_only", "$.a.text"],
    [{ body: null }, "reference_only", "$.body"],
    [{ rationale: "r" }, "list_payload", "$.rationale"],
    [{ "a b": [[{ bytes: "" }]] }, "reference_only", '$["a b"][0][0].bytes'],
    [JSON.parse('{"__proto__":{"id":1}}'), "opaque_id", "$.__proto__.id"],
    [{ "\n": { _id: 1 } }, "opaque_id", '$["\\n"]._id'],
  ])("of %j breaks %s at %s", (value: unknown, rule, path) => {
    expect(checkProjection(value, strict)).toEqual(fail({ rule, path }));
  });

  it("forbids ids only where a surface says so, and content only where its kind or its policy does", () => {
    const value = { id: 1, record_id: 2, text: "t", body: "b" };
    expect(checkProjection(value, projectionPolicy("read"))).toEqual(ok(value));
    expect(checkProjection(value, projectionPolicy("list"))).toEqual(
      fail({ rule: "list_payload", path: "$.body" }),
    );
    expect(checkProjection(value, projectionPolicy("read", { referenceOnly: true }))).toEqual(
      fail({ rule: "reference_only", path: "$.body" }),
    );
    expect(checkProjection(value, projectionPolicy("ops", { forbidOpaqueIds: true }))).toEqual(
      fail({ rule: "opaque_id", path: "$.id" }),
    );
  });

  it.each([
    { idea: 1 },
    { identity: "x" },
    { requestId: 1 },
    { ID: 1 },
    { valid: 1, grid: 2, uuid: 3 },
    { a: "id" },
    ["body"],
    { texts: 1 },
  ])("lets %j pass", (value) => {
    expect(checkProjection(value, strict)).toEqual(ok(value));
  });

  it("is judged to any depth, and where it holds itself", () => {
    const circle: Record<string, unknown> = {};
    circle["again"] = [circle];
    expect(checkProjection(circle, strict).ok).toBe(true);
    expect(checkProjection(nestedArrays(100_000), strict).ok).toBe(true);
    const breach = checkProjection(nestedObjects(100_000), { ...strict, kind: "read" });
    expect(breach.ok).toBe(true);
    let deep: unknown = { id: 1 };
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
    expect(checkProjection(deep, strict)).toEqual(fail({ rule: "opaque_id", path: `$${".a".repeat(127)}…` }));
  });

  it("is refused exactly where a forbidden name stands, at the same place whatever the members' order", () => {
    const seeded = fc
      .tuple(anyJson, fc.constantFrom("id", "a_id", "text", "analysis", "free"))
      .map(([value, name]) => ({ some: [value, { [name]: value }] }));
    fc.assert(
      fc.property(seeded, (value) => {
        const verdict = checkProjection(value, strict);
        const names =
          /"(?:id|(?:[^"\\]|\\.)*_id|body|content|text|bytes|payload_preview|analysis|rationale)":/u;
        expect(verdict.ok).toBe(!names.test(JSON.stringify(value)));
        const other = checkProjection(turnedAround(value), strict);
        expect(other.ok ? verdict.ok : other).toEqual(verdict.ok || verdict);
      }),
    );
  });

  it("is judged of anything", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const verdict = checkProjection(value, strict);
        expect(verdict.ok || chars(verdict.reason.path) <= 256).toBe(true);
      }),
    );
  });
});

describe("the bounds of the surfaces", () => {
  it("are lines and characters, concise and full", () => {
    const figures = SURFACE_KINDS.map((kind) => {
      const { concise, full } = SURFACE_BOUNDS[kind];
      return [kind, concise.maxLines, concise.maxInlineChars, full.maxLines, full.maxInlineChars];
    });
    expect(figures).toEqual([
      ["overview", 10, 144, 28, 240],
      ["list", 16, 128, 32, 176],
      ["read", 18, 176, 40, 320],
      ["mutation", 12, 160, 24, 256],
      ["ops", 8, 160, 24, 240],
    ]);
  });
});
