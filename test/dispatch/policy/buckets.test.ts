import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RateLimits } from "../../../src/config.ts";
import { bucketsFor } from "../../../src/dispatch/policy/buckets.ts";

const ID = "github:create_issue#aea9ce2a";
const limits = (over: Partial<RateLimits>): RateLimits => ({ per: "session", tools: {}, ...over });
const TEN = { max_calls_per_minute: 10 };

describe("the counts of a call", () => {
  it("are none without limits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (metaTool, id) => {
        expect(bucketsFor(metaTool, id, limits({}))).toBeNull();
      }),
    );
    expect(bucketsFor("tool_execute", ID, limits({ tool_execute: {}, tools: { "*": {} } }))).toBeNull();
  });

  it("are the meta-tool's and the tool's own", () => {
    const both = limits({
      per: "principal",
      tool_execute: { max_calls_per_minute: 60, max_calls_per_session: 1000 },
      tools: { "github:*": TEN },
    });
    expect(bucketsFor("tool_execute", ID, both)).toEqual({
      per: "principal",
      buckets: [
        { name: "tool_execute", perMinute: 60, perSession: 1000 },
        { name: `tool:${ID}`, perMinute: 10 },
      ],
    });
  });

  it.each(["tool_browse", "tool_view"] as const)("of %s are its own alone", (metaTool) => {
    const some = limits({ [metaTool]: { max_calls_per_session: 5 }, tools: { "*": TEN } });
    expect(bucketsFor(metaTool, ID, some)?.buckets).toEqual([{ name: metaTool, perSession: 5 }]);
  });

  it.each(["resource_read", "prompt_get"] as const)("of %s are its own and its id's", (metaTool) => {
    const id = "resource::github:readme#aea9ce2a~2";
    const some = limits({ [metaTool]: { max_calls_per_session: 5 }, tools: { "github:readme": TEN } });
    expect(bucketsFor(metaTool, id, some)?.buckets).toEqual([
      { name: metaTool, perSession: 5 },
      { name: `tool:${id}`, perMinute: 10 },
    ]);
  });

  it.each(["resource_browse", "prompt_browse", "tool_hydrate"] as const)(
    "of %s are its own alone",
    (name) => {
      const some = limits({ [name]: { max_calls_per_session: 5 }, tools: { "*": TEN } });
      expect(bucketsFor(name, ID, some)?.buckets).toEqual([{ name, perSession: 5 }]);
    },
  );

  it("give every tool a count of its own under one glob", () => {
    const some = limits({ tools: { "github:*": TEN } });
    const names = ["github:a#00000000", "github:b#00000000"].map(
      (id) => bucketsFor("tool_execute", id, some)?.buckets[0]?.name,
    );
    expect(names).toEqual(["tool:github:a#00000000", "tool:github:b#00000000"]);
  });

  it.each<[string, RateLimits["tools"], number | undefined]>([
    ["the first glob", { "github:create_*": { max_calls_per_minute: 1 }, "*": TEN }, 1],
    ["the first glob, though it has none", { "github:create_*": {}, "*": TEN }, undefined],
    ["a later glob if the first names others", { "slack:*": { max_calls_per_minute: 1 }, "*": TEN }, 10],
    ["the id without its hash", { "github:create_issue": TEN }, 10],
    ["no glob over the upstream's name", { create_issue: TEN }, undefined],
    ["a key of digits alone, which names no id", { "*": TEN, "7": { max_calls_per_minute: 1 } }, 10],
    ["a text that is no glob, rather than nothing", { ["*".repeat(300)]: TEN }, 10],
  ])("take their limits from %s", (_, tools, perMinute) => {
    expect(bucketsFor("tool_execute", ID, limits({ tools }))?.buckets[0]?.perMinute).toBe(perMinute);
  });

  it("are none of a meta-tool that is called like another key or like a member of objects", () => {
    const all = limits({ tool_browse: TEN, tool_execute: TEN, tool_view: TEN, tools: { "*": TEN } });
    for (const name of ["per", "tools", "__proto__", "constructor", "resource_list"]) {
      expect(bucketsFor(name, ID, all)).toBeNull();
    }
  });
});
