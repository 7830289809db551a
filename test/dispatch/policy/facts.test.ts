import { describe, expect, it } from "vitest";
import { buildCard } from "../../../src/catalog/cards/card.ts";
import { factsOfTool } from "../../../src/dispatch/policy/facts.ts";
import { judgePolicy } from "../../../src/dispatch/policy/judge.ts";
import { rule } from "./rules.ts";

const facts = (annotations: unknown, trusted = true) => {
  const named = { id: "github:a#00000000", upstreamName: "a" };
  const card = buildCard({ ...named, namespace: "github", annotations });
  return factsOfTool({ ...named, server: "GitHub", card }, trusted);
};

describe("the facts of a catalog's tool", () => {
  it("name it, its server and whether the server is believed", () => {
    expect(facts({}, false)).toEqual({
      toolId: "github:a#00000000",
      upstreamName: "a",
      servers: ["GitHub"],
      serverKnown: true,
      tags: ["mcp"],
      readOnly: false,
      destructive: false,
      hintsTrusted: false,
    });
  });

  it.each([
    [{ readOnlyHint: true }, true, false],
    [{ readOnlyHint: "false" }, false, false],
    [{ readOnlyHint: "true" }, false, false],
    [{ readOnlyHint: 1 }, false, false],
    [{ readOnlyHint: true, destructiveHint: false }, true, false],
    [{ readOnlyHint: true, destructiveHint: true }, false, true],
    [{ destructiveHint: true }, false, true],
    [{ destructiveHint: "true" }, false, false],
    [undefined, false, false],
    ["readOnlyHint", false, false],
  ])("read the hints of %j", (annotations, readOnly, destructive) => {
    expect(facts(annotations)).toMatchObject({ readOnly, destructive });
  });

  it("take no tag for a hint", () => {
    const card = { tags: ["read-only"], safety: "read_only", side_effects: true } as const;
    const tool = { id: "a:b#00000000", upstreamName: "b", server: "a", card };
    expect(factsOfTool(tool, true).readOnly).toBe(false);
  });

  it('let no rule allow a tool as read-only whose hint is the string "false"', () => {
    const subject = { ...facts({ readOnlyHint: "false" }), metaTool: "tool_execute", principal: "ann" };
    expect(judgePolicy([rule({ read_only: true }, "allow"), rule({})], subject).action).toBe("deny");
    expect(judgePolicy([rule({ read_only: false })], subject).action).toBe("deny");
  });
});
