import { describe, expect, it } from "vitest";
import type { CacheSettings } from "../../../src/config.ts";
import { cacheFacts, isShared, mayCache } from "../../../src/dispatch/cache/may-cache.ts";

const ID = "github:get_me#aea9ce2a";
const settings = (over: Partial<CacheSettings>): CacheSettings => ({
  read_only: true,
  allow: [],
  shared: [],
  ttl_s: 60,
  max_entries: 256,
  ...over,
});

/** Annotations, and whether answers may be kept: [trusted, trusted and allowed, untrusted, untrusted and allowed]. */
const TABLE: [unknown, [boolean, boolean, boolean, boolean]][] = [
  [undefined, [false, true, false, true]],
  [{}, [false, true, false, true]],
  [{ readOnlyHint: true }, [true, true, false, true]],
  [{ readOnlyHint: true, destructiveHint: false }, [true, true, false, true]],
  [{ readOnlyHint: true, destructiveHint: true }, [false, false, false, true]],
  [{ readOnlyHint: true, destructiveHint: "true" }, [false, true, false, true]],
  [{ readOnlyHint: false }, [false, false, false, true]],
  [{ readOnlyHint: false, destructiveHint: false }, [false, false, false, true]],
  [{ destructiveHint: true }, [false, false, false, true]],
  [{ destructiveHint: false }, [false, true, false, true]],
  [{ readOnlyHint: "false" }, [false, true, false, true]],
  [{ readOnlyHint: "true" }, [false, true, false, true]],
  [{ readOnlyHint: 1 }, [false, true, false, true]],
  [{ idempotentHint: true }, [false, true, false, true]],
  ["readOnlyHint", [false, true, false, true]],
  [[{ readOnlyHint: true }], [false, true, false, true]],
];

describe("a tool's answers may be used again", () => {
  it.each(TABLE)("of one with the annotations %j as the table says", (annotations, expected) => {
    const kept = [true, false].flatMap((trusted) =>
      [[], ["github:get_*"]].map((allow) =>
        mayCache(settings({ allow }), cacheFacts(ID, annotations, trusted)),
      ),
    );
    expect(kept).toEqual(expected);
  });

  it.each(TABLE)("never with the cache off: %j", (annotations) => {
    for (const trusted of [true, false]) {
      for (const allow of [[], ["*"]]) {
        const facts = cacheFacts(ID, annotations, trusted);
        expect(mayCache(settings({ read_only: false, allow }), facts)).toBe(false);
      }
    }
  });

  it.each(TABLE)("never of one that the list of allowed tools does not name: %j", (annotations) => {
    for (const trusted of [true, false]) {
      for (const allow of [["slack:*"], ["get_me"], ["GitHub:*"], ["*".repeat(300)]]) {
        expect(mayCache(settings({ allow }), cacheFacts(ID, annotations, trusted))).toBe(false);
      }
    }
  });

  it.each(["github:get_me", ID, "*", "github:*"])("of one that is allowed as %s", (glob) => {
    expect(mayCache(settings({ allow: ["slack:*", glob] }), cacheFacts(ID, {}, false))).toBe(true);
  });

  it("never of a trusted one whose facts call it destructive, whoever made them", () => {
    const facts = { toolId: ID, trusted: true, readOnly: true, destructive: true, explicitlyWrites: false };
    expect(mayCache(settings({}), facts)).toBe(false);
    expect(mayCache(settings({ allow: ["*"] }), facts)).toBe(false);
  });
});

describe("a tool's answers are everybody's", () => {
  it("only where a glob says so", () => {
    expect(isShared(settings({ shared: ["github:get_me"] }), ID)).toBe(true);
    expect(isShared(settings({ allow: ["*"] }), ID)).toBe(false);
    expect(isShared(settings({ shared: ["slack:*", "*".repeat(300)] }), ID)).toBe(false);
  });
});
