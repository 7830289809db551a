import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { covers } from "../../../scripts/doctor/config/covers.ts";
import { caughtBy, judgePolicyOrder } from "../../../scripts/doctor/config/policy-order.ts";
import { type Config, parseConfig, type PolicyRule } from "../../../src/config.ts";
import { factsOfLostTool, factsOfTool } from "../../../src/dispatch/policy/facts.ts";
import { judgePolicy, judgeView } from "../../../src/dispatch/policy/judge.ts";
import { compileGlob, matchGlob } from "../../../src/glob.ts";

const LETTERS = ["a", "b", ":"];
/** Every text of up to four letters, and those with one that no glob has. */
const TEXTS = [1, 2, 3, 4].reduce<string[]>(
  (texts) => ["", ...texts.flatMap((text) => [text, ...[...LETTERS, "!"].map((letter) => text + letter)])],
  [""],
);

const globs = fc
  .array(fc.constantFrom(...LETTERS, "*"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));

function matchesAt(glob: string, text: string): boolean {
  const compiled = compileGlob(glob);
  return compiled.ok && matchGlob(compiled.value, text);
}

describe("a glob that covers another", () => {
  it("matches whatever that one matches, and one that does not cover it misses something", () => {
    fc.assert(
      fc.property(globs, globs, (outer, inner) => {
        const missed = TEXTS.some((text) => matchesAt(inner, text) && !matchesAt(outer, text));
        expect(covers(outer, inner)).toBe(!missed);
      }),
    );
  });

  it.each([
    ["*", "github:*", true],
    ["github:*", "github:delete_*", true],
    ["github:*", "github:*:*", true],
    ["*_repo", "delete_repo", true],
    ["a*b", "ab", true],
    ["a*b", "a", false],
    ["github:delete_*", "github:*", false],
    ["*a*", "*", false],
    ["*\ue000*", "*", false],
  ])("%s over %s: %s", (outer, inner, expected) => {
    expect(covers(outer, inner)).toBe(expected);
  });
});

const SERVERS = ["a", "b"];
const TAGS = ["destructive", "read-only", "Read_Only", "files"];

const rules: fc.Arbitrary<PolicyRule> = fc.record({
  match: fc.record(
    {
      meta_tool: fc.constantFrom("tool_execute" as const, "tool_view" as const),
      server: fc.constantFrom(...SERVERS),
      tool: fc.constantFrom("*", "a:*", "a:x", "a:x*", "*x", "x/y", "*:x.y", "b:*"),
      tags: fc.subarray(TAGS),
      read_only: fc.boolean(),
      principal: fc.constantFrom("*", "ci-*", "ci-1"),
    },
    { requiredKeys: [] },
  ),
  action: fc.constantFrom("allow" as const, "deny" as const, "require_approval" as const),
});

/** Rules of which the later ones say at least what the first one says, and arbitrary ones. */
const policies: fc.Arbitrary<readonly PolicyRule[]> = fc
  .tuple(rules, fc.array(rules, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([first, others, narrower]) => {
    const narrowed = (rule: PolicyRule): PolicyRule => ({
      action: rule.action,
      match: { ...rule.match, ...first.match },
    });
    return [first].concat(narrower ? others.map(narrowed) : others);
  });

const named = SERVERS.map((name, index) => ({
  name,
  namespace: index === 0 ? ("server" as const) : ("infer" as const),
}));
const ids = fc.constantFrom("a:x", "a:x.y#0123abcd", "b:x", "a:xx", "nonsense");

const listedFacts = fc
  .record({
    id: ids,
    upstreamName: fc.constantFrom("x", "x/y", "a.x"),
    server: fc.constantFrom(...SERVERS),
    card: fc.record({
      tags: fc.subarray(TAGS),
      safety: fc.constantFrom("" as const, "read_only" as const, "destructive" as const),
      side_effects: fc.boolean(),
    }),
    trusted: fc.boolean(),
  })
  .map(({ trusted, ...tool }) => factsOfTool(tool, trusted));
const lostFacts = ids.map((id) => factsOfLostTool(id, named));
const callers = fc.record({
  metaTool: fc.constantFrom("tool_execute", "tool_view"),
  principal: fc.constantFrom("ci-1", "ci-2", "ada"),
});

describe("a rule that an earlier one is said to catch", () => {
  it("decides nothing about any tool: the rules without it judge the same", () => {
    fc.assert(
      fc.property(policies, fc.oneof(listedFacts, lostFacts), callers, (policy, facts, caller) => {
        const kept = policy.filter(
          (rule, at) => !policy.slice(0, at).some((earlier) => caughtBy(earlier, rule) === "all"),
        );
        const subject = { ...facts, ...caller };
        expect(judgePolicy(kept, subject)).toEqual(judgePolicy(policy, subject));
        expect(judgeView(kept, subject)).toEqual(judgeView(policy, subject));
      }),
      { numRuns: 5_000 },
    );
  });

  it("decides nothing about tools of the catalog, where that alone is said", () => {
    fc.assert(
      fc.property(policies, listedFacts, callers, (policy, facts, caller) => {
        const kept = policy.filter(
          (rule, at) => !policy.slice(0, at).some((earlier) => caughtBy(earlier, rule) !== "unproven"),
        );
        const subject = { ...facts, ...caller };
        expect(judgePolicy(kept, subject)).toEqual(judgePolicy(policy, subject));
      }),
      { numRuns: 5_000 },
    );
  });
});

function configWith(policy: readonly object[]): Config {
  const text = JSON.stringify({ mcpServers: { a: { url: "https://a.example.com" } }, gateway: { policy } });
  const parsed = parseConfig(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reason));
  return parsed.value;
}

describe("the order of a policy", () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ["no rules", [], ["pass"]],
    [
      "the narrow rule first",
      [
        { match: { tool: "a:delete_*" }, action: "deny" },
        { match: { tool: "a:*" }, action: "allow" },
      ],
      ["pass"],
    ],
    [
      "a denial behind what allows all of it",
      [
        { match: { tool: "a:*" }, action: "allow" },
        { match: { tool: "a:delete_*", server: "a" }, action: "deny" },
      ],
      ["fail"],
    ],
    [
      "an approval behind what allows everything",
      [
        { match: {}, action: "allow" },
        { match: { read_only: false }, action: "require_approval" },
      ],
      ["fail"],
    ],
    [
      "what allows behind a denial of everything",
      [
        { match: {}, action: "deny" },
        { match: { principal: "ada" }, action: "allow" },
        { match: { tags: ["files"] }, action: "allow" },
      ],
      ["warn", "warn"],
    ],
    [
      "hints that need not be believed",
      [
        { match: { tags: ["destructive"] }, action: "allow" },
        { match: { tags: ["destructive"] }, action: "deny" },
      ],
      ["pass"],
    ],
  ])("%s", (_name, policy, levels) => {
    const findings = judgePolicyOrder(configWith(policy));
    expect(findings.map(({ level }) => level)).toEqual(levels);
  });

  it("tells of what holds for every tool before what holds for those that a catalog lists", () => {
    const shadowed = { match: { tool: "a:delete_*" }, action: "deny" };
    const allowed = { match: { tool: "a:*" }, action: "allow" };
    const [listed] = judgePolicyOrder(configWith([allowed, shadowed]));
    expect(listed).toMatchObject({ level: "fail", subject: "gateway.policy[1]" });
    expect(listed?.what).toMatch(
      /^decides nothing about any tool that a catalog lists: gateway\.policy\[0\]/,
    );
    const [always] = judgePolicyOrder(configWith([allowed, { match: {}, action: "allow" }, shadowed]));
    expect(always?.what).toMatch(/^never decides anything: gateway\.policy\[1\]/);
  });

  it("names the rule and the one before it by their keys", () => {
    const [finding] = judgePolicyOrder(
      configWith([
        { match: {}, action: "deny" },
        { match: { server: "a" }, action: "allow" },
      ]),
    );
    expect(finding).toMatchObject({
      subject: "gateway.policy[1]",
      mend: expect.stringContaining("gateway.policy[0]") as unknown,
    });
  });
});
