import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveCollisions } from "../../src/identity/collisions.ts";
import { formatPrimitiveId, parsePrimitiveId } from "../../src/identity/primitive-id.ts";
import { formatToolId, parseToolId } from "../../src/identity/tool-id.ts";
import { fail, ok } from "../../src/result.ts";
import { anyString, legalParts, nearIds } from "./arbitraries.ts";

const kinds = fc.constantFrom("tool" as const, "resource" as const, "prompt" as const);
const legalPrimitives = fc.record({ kind: kinds, parts: legalParts });

const ids = legalPrimitives.map(({ kind, parts }) => {
  const id = formatPrimitiveId({ kind, ...parts });
  return id.ok ? id.value : "";
});

describe("ids across kinds", () => {
  it("write a resource's and a prompt's kind and never a tool's", () => {
    const parts = { namespace: "fs", name: "readme", version: null, hash8: "ab12cd34" };
    expect(formatPrimitiveId({ kind: "resource", ...parts })).toEqual(ok("resource::fs:readme#ab12cd34"));
    expect(formatPrimitiveId({ kind: "prompt", ...parts })).toEqual(ok("prompt::fs:readme#ab12cd34"));
    expect(formatPrimitiveId({ kind: "tool", ...parts })).toEqual(formatToolId(parts));
  });

  it.each([
    ["tool::fs:readme#ab12cd34", "unknown_kind"],
    ["template::fs:readme#ab12cd34", "unknown_kind"],
    ["Resource::fs:readme#ab12cd34", "unknown_kind"],
    ["::fs:readme#ab12cd34", "unknown_kind"],
    ["fs::readme#ab12cd34", "unknown_kind"],
    ["resource:::fs:readme#ab12cd34", "bad_namespace"],
    ["resource::prompt::readme#ab12cd34", "bad_name"],
    ["resource::readme#ab12cd34", "no_namespace"],
    ["resource::fs:readme", "no_version_or_hash8"],
    ["resource::fs:readme#ab12cd34~2", "bad_hash8"],
    [`prompt::${"x".repeat(300)}`, "too_long"],
  ])("refuse %j as %s", (id, reason) => {
    expect(parsePrimitiveId(id)).toEqual(fail(reason));
  });

  it("round trip, and no id of one kind is one of another", () => {
    fc.assert(
      fc.property(legalPrimitives, ({ kind, parts }) => {
        const id = formatPrimitiveId({ kind, ...parts });
        if (!id.ok) throw new Error(id.reason);
        expect(parsePrimitiveId(id.value)).toEqual(ok({ kind, ...parts }));
        expect(parseToolId(id.value).ok).toBe(kind === "tool");
      }),
      { numRuns: 500 },
    );
  });

  it("are told apart from every other text, and format back to themselves", () => {
    const tagged = fc
      .tuple(fc.constantFrom("resource::", "prompt::", "tool::", "::", ""), fc.oneof(nearIds, ids))
      .map(([kind, text]) => `${kind}${text}`);
    fc.assert(
      fc.property(fc.oneof(anyString, tagged), (text) => {
        const parts = parsePrimitiveId(text);
        expect(parts.ok ? formatPrimitiveId(parts.value) : ok(text)).toEqual(ok(text));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("collisions", () => {
  it("leave the first its id and number the later ones in order", () => {
    expect(resolveCollisions(["a:x#1", "b:y#2", "a:x#1", "__proto__", "a:x#1", "__proto__"])).toEqual([
      "a:x#1",
      "b:y#2",
      "a:x#1~2",
      "__proto__",
      "a:x#1~3",
      "__proto__~2",
    ]);
  });

  it("give distinct keys, one an entry, canonical exactly where the id is new", () => {
    const few = fc.array(ids, { minLength: 1, maxLength: 3 });
    const repeated = few.chain((pool) => fc.array(fc.constantFrom(...pool), { maxLength: 20 }));
    fc.assert(
      fc.property(repeated, (list) => {
        const keys = resolveCollisions(list);
        expect(keys.length).toBe(list.length);
        expect(new Set(keys).size).toBe(list.length);
        for (const [index, key] of keys.entries()) {
          const isNew = list.indexOf(list[index] ?? "") === index;
          expect(key === list[index]).toBe(isNew);
          expect(parsePrimitiveId(key).ok).toBe(isNew);
        }
      }),
    );
  });
});
