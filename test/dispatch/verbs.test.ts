import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsOfLostTool, factsOfRead } from "../../src/dispatch/policy/facts.ts";
import { judgeView } from "../../src/dispatch/policy/judge.ts";
import { standingOf } from "../../src/dispatch/tool-standing.ts";
import { PROMPT_GET, RESOURCE_READ, TOOL_EXECUTE, VERB_OF } from "../../src/dispatch/verb.ts";
import { type GatewayFailure, toWire } from "../../src/errors.ts";
import { kindOfId } from "../../src/identity/primitive-id.ts";
import type { PolicyRule } from "../../src/config.ts";
import { configOf } from "../support/fake-gateway.ts";

const TOOL = {
  id: "resource::a:b#00000000",
  upstreamName: "file:///b",
  server: "a",
  target: "configured",
  card: { tags: ["destructive"], safety: "", side_effects: true },
} as const;
const DEFINITION = {
  definition: { annotations: { destructiveHint: true, readOnlyHint: false } },
  schemaHash: "1",
  schemaBytes: 2,
};
const controls = { gateway: configOf({}).gateway, server: () => undefined };

describe("what a read is", () => {
  it("is read-only and may run again by the protocol's word, whatever its server says", () => {
    for (const verb of [RESOURCE_READ, PROMPT_GET]) {
      expect(standingOf(verb, TOOL, DEFINITION, controls)).toEqual({
        facts: factsOfRead(TOOL),
        replay: "convergent",
      });
    }
    expect(factsOfRead(TOOL)).toMatchObject({
      readOnly: true,
      destructive: false,
      hintsTrusted: true,
      tags: [],
    });
    expect(standingOf(TOOL_EXECUTE, TOOL, DEFINITION, controls)).toMatchObject({
      facts: { readOnly: false, destructive: true, hintsTrusted: false },
      replay: "never_replay",
    });
  });

  it("is what its id says, also once it is lost, whatever rank a collision gave it", () => {
    const servers = [
      { name: "a", namespace: "server" },
      { name: "c", namespace: "server" },
    ] as const;
    for (const id of ["resource::a:b#00000000", "prompt::a:b#00000000~2"]) {
      const facts = factsOfLostTool(id, servers);
      expect(facts).toMatchObject({ servers: ["a"], readOnly: true, hintsTrusted: true, destructive: false });
    }
    expect(factsOfLostTool("a:b#00000000", servers)).toMatchObject({ readOnly: false, hintsTrusted: false });
    expect(factsOfLostTool("resource::nonsense", servers).servers).toEqual(["a", "c"]);
  });

  it("is of the kind that its id begins with, and a tool otherwise", () => {
    expect(["resource::a:b", "prompt::a:b~2", "a:b", "other::a:b", "::", ""].map(kindOfId)).toEqual([
      "resource",
      "prompt",
      "tool",
      "tool",
      "tool",
      "tool",
    ]);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(VERB_OF[kindOfId(text)].kind).toBe(kindOfId(text));
      }),
    );
  });
});

describe("a view of what a read brought", () => {
  const rules = (metaTool: "resource_read" | "prompt_get" | "tool_execute" | "tool_view"): PolicyRule[] => [
    { match: { meta_tool: metaTool }, action: "deny" },
  ];
  const view = (id: string, list: PolicyRule[]) =>
    judgeView(list, { ...factsOfRead({ ...TOOL, id }), principal: "ada" }).action;

  it("is denied where the verb of its kind is, and by no other", () => {
    const read = "resource::a:b#00000000";
    const prompt = "prompt::a:b#00000000~2";
    expect([view(read, rules("resource_read")), view(prompt, rules("resource_read"))]).toEqual([
      "deny",
      "allow",
    ]);
    expect([view(read, rules("prompt_get")), view(prompt, rules("prompt_get"))]).toEqual(["allow", "deny"]);
    expect([view(read, rules("tool_execute")), view(prompt, rules("tool_execute"))]).toEqual([
      "allow",
      "allow",
    ]);
    expect([view(read, rules("tool_view")), view(prompt, rules("tool_view"))]).toEqual(["deny", "deny"]);
  });
});

describe("what is not found", () => {
  const upstream = { reason: "unknown_tool", outcome: "completed", detail: "secret" } as const;

  it.each([
    [undefined, "HYDRATE_FAILED"],
    ["resource", "RESOURCE_NOT_FOUND"],
    ["prompt", "PROMPT_NOT_FOUND"],
  ] as const)(
    "of %s is %s, by our word and by the upstream's, and can only be asked for otherwise",
    (kind, code) => {
      const of = kind === undefined ? {} : { kind };
      const failures: GatewayFailure[] = [
        { reason: "unknown_id", path: "x", didYouMean: ["y"], ...of },
        { reason: "upstream", path: "x", failure: upstream, replay: "convergent", didYouMean: ["y"], ...of },
      ];
      for (const failure of failures) {
        const wire = toWire(failure);
        expect(Object.keys(wire)).toEqual(["error", "message", "path", "retryable", "details"]);
        expect(wire).toMatchObject({
          error: code,
          path: "x",
          retryable: false,
          details: { did_you_mean: ["y"] },
        });
        expect(wire.message).toContain(kind ?? "tool");
        expect(JSON.stringify(wire)).not.toContain("secret");
      }
    },
  );

  it("is not what failed otherwise", () => {
    const failure = { reason: "timeout", outcome: "unknown", detail: "" } as const;
    const read = { reason: "upstream", path: "x", failure, replay: "convergent", didYouMean: [] } as const;
    expect(toWire({ ...read, kind: "resource" })).toEqual(toWire(read));
  });
});
