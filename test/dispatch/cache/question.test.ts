import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CacheSettings } from "../../../src/config.ts";
import { type CachedCall, cacheQuestion } from "../../../src/dispatch/cache/question.ts";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { CACHED_ARGUMENTS_MAX_CHARS } from "../../../src/limits.ts";
import { anyString } from "../../identity/arbitraries.ts";

const SETTINGS: CacheSettings = {
  read_only: true,
  allow: [],
  shared: ["shared:*"],
  ttl_s: 60,
  max_entries: 256,
};

const CALL: CachedCall = {
  catalogVersion: { catalog: "c", generation: 1 },
  toolId: "github:get_me#aea9ce2a",
  definitionHash: "h",
  args: { a: 1, b: { c: 2, d: 3 } },
  principal: "ann",
};

const keyOf = (over: Partial<CachedCall>) => cacheQuestion(SETTINGS, { ...CALL, ...over })?.key;

describe("a question", () => {
  it("is the same for a call with its arguments in another order", () => {
    expect(keyOf({ args: { b: { d: 3, c: 2 }, a: 1 } })).toBe(keyOf({}));
  });

  it("is another with anything else that the answer may depend on", () => {
    const others: Partial<CachedCall>[] = [
      {},
      { catalogVersion: { catalog: "d", generation: 1 } },
      { catalogVersion: { catalog: "c", generation: 2 } },
      { toolId: "github:get_me#00000000" },
      { definitionHash: "i" },
      { args: { a: new ExactNumber("1.0"), b: { c: 2, d: 3 } } },
      { args: { a: 1, b: { c: 2, d: [3] } } },
      { args: {} },
      { principal: "bob" },
      { principal: "null" },
      { principal: "" },
      { toolId: "shared:get_me#aea9ce2a" },
    ];
    expect(new Set(others.map(keyOf)).size).toBe(others.length);
  });

  it("is never the same for two principals, unless the tool is shared", () => {
    fc.assert(
      fc.property(anyString, anyString, fc.constantFrom("github", "shared"), (one, other, namespace) => {
        fc.pre(one !== other);
        const toolId = `${namespace}:get_me#aea9ce2a`;
        const same = keyOf({ toolId, principal: one }) === keyOf({ toolId, principal: other });
        expect(same).toBe(namespace === "shared");
      }),
    );
  });

  it("is not mistaken for another where parts end elsewhere", () => {
    fc.assert(
      fc.property(fc.tuple(anyString, anyString), fc.tuple(anyString, anyString), (one, other) => {
        const key = ([definitionHash, principal]: [string, string]) => keyOf({ definitionHash, principal });
        expect(key(one) === key(other)).toBe(one[0] === other[0] && one[1] === other[1]);
      }),
    );
    expect(keyOf({ definitionHash: "a", principal: 'b","c' })).not.toBe(
      keyOf({ definitionHash: 'a","b', principal: "c" }),
    );
  });

  it("is none for arguments that are too long", () => {
    const text = (chars: number) => ({ args: { a: "x".repeat(chars - '{"a":""}'.length) } });
    expect(keyOf(text(CACHED_ARGUMENTS_MAX_CHARS))).toMatch(/^[0-9a-f]{64}$/);
    expect(keyOf(text(CACHED_ARGUMENTS_MAX_CHARS + 1))).toBeUndefined();
  });
});
