import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createValidatorCache } from "../../src/schema/validator-cache.ts";

const schemaOf = (index: number): object => ({
  type: "object",
  properties: { [`p${index}`]: { type: "integer" } },
});

describe("createValidatorCache", () => {
  it("compiles a content once, failures included", () => {
    const cache = createValidatorCache();
    const first = cache.compile("h1", schemaOf(1), 50);
    expect(cache.compile("h1", schemaOf(1), 50)).toBe(first);
    const broken = cache.compile("h2", { type: "nothing" }, 50);
    expect(broken.ok).toBe(false);
    expect(cache.compile("h2", { type: "nothing" }, 50)).toBe(broken);
    expect(cache.size).toBe(2);
  });

  it("does not confuse what describes arguments with what describes any value", () => {
    const cache = createValidatorCache();
    expect(cache.compile("h", { type: "string" }, 50).ok).toBe(false);
    expect(cache.compile("h", { type: "string" }, 50, { describes: "value" }).ok).toBe(true);
  });

  it("forgets what was unused for longest", () => {
    const cache = createValidatorCache(2, 1_000);
    const one = cache.compile("1", schemaOf(1), 10);
    const two = cache.compile("2", schemaOf(2), 10);
    cache.compile("1", schemaOf(1), 10);
    cache.compile("3", schemaOf(3), 10);
    expect(cache.compile("1", schemaOf(1), 10)).toBe(one);
    expect(cache.compile("2", schemaOf(2), 10)).not.toBe(two);
  });

  it("stays within its number and its bytes, whatever comes, and always answers for the schema asked", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(6), fc.nat(80)), { maxLength: 40 }), (asked) => {
        const cache = createValidatorCache(3, 100);
        for (const [index, bytes] of asked) {
          const compiled = cache.compile(`h${index}`, schemaOf(index), bytes);
          expect(compiled.ok && compiled.value.validate({ [`p${index}`]: "x" })).toMatchObject({
            valid: false,
          });
          expect(cache.size).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
