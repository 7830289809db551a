import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PolicyRule } from "../../../src/config.ts";
import { judgePolicy } from "../../../src/dispatch/policy/judge.ts";
import { policyRuleHash } from "../../../src/dispatch/policy/rule-hash.ts";
import { DELETE_REPO, matches, rule } from "./rules.ts";

const WHOLE: PolicyRule = {
  match: {
    meta_tool: "tool_execute",
    server: "GitHub",
    tool: "github:*",
    tags: ["destructive", "repos"],
    read_only: false,
    principal: "ci-*",
  },
  action: "require_approval",
  reason: "deletes need a person",
};

describe("a rule's hash", () => {
  it("stays as it is from one version to the next", () => {
    expect(policyRuleHash(WHOLE)).toBe("30b93714d1077e8d00665e1a449f3e65");
    expect(policyRuleHash(rule({}))).toBe("3819224c5896926180c2d554ffb01bd0");
  });

  it("does not depend on the order of keys or tags, nor on keys that say nothing", () => {
    fc.assert(
      fc.property(matches, fc.constantFrom("one", undefined), (match, reason) => {
        const tags = match.tags?.toReversed();
        const turned = Object.fromEntries(Object.entries({ ...match, tags }).toReversed());
        const said = Object.fromEntries(Object.entries(turned).filter(([, value]) => value !== undefined));
        const hash = policyRuleHash({ match, action: "require_approval", reason });
        expect(policyRuleHash({ reason, action: "require_approval", match: turned })).toBe(hash);
        expect(policyRuleHash({ reason, action: "require_approval", match: said })).toBe(hash);
      }),
    );
  });

  it("does not depend on the rule's place", () => {
    const hashIn = (rules: PolicyRule[]) => {
      const verdict = judgePolicy(rules, DELETE_REPO);
      return verdict.action === "require_approval" ? verdict.rule : undefined;
    };
    expect(hashIn([WHOLE])).toBe(policyRuleHash(WHOLE));
    expect(hashIn([rule({ server: "slack" }), WHOLE])).toBe(policyRuleHash(WHOLE));
  });

  it("differs with everything that a rule says", () => {
    const { match } = WHOLE;
    const variants: PolicyRule[] = [
      WHOLE,
      { ...WHOLE, reason: "deletes" },
      { match, action: "require_approval" },
      { ...WHOLE, action: "deny" },
      { ...WHOLE, match: { ...match, meta_tool: "tool_view" } },
      { ...WHOLE, match: { ...match, server: "github" } },
      { ...WHOLE, match: { ...match, tool: "GitHub" } },
      { ...WHOLE, match: { ...match, tags: ["destructive,repos"] } },
      { ...WHOLE, match: { ...match, tags: ["destructive"] } },
      { ...WHOLE, match: { ...match, read_only: true } },
      { ...WHOLE, match: { ...match, principal: "\ud800" } },
      { ...WHOLE, match: { ...match, principal: "\udc00" } },
      { ...WHOLE, match: { ...match, principal: "\ufffd" } },
      { ...WHOLE, match: {} },
    ];
    expect(new Set(variants.map(policyRuleHash)).size).toBe(variants.length);
  });
});
