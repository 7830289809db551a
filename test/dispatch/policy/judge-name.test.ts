import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PolicyRule } from "../../../src/config.ts";
import { permit, permitAlso } from "../../../src/dispatch/permit.ts";
import { factsOfRead, type ToolFacts } from "../../../src/dispatch/policy/facts.ts";
import { judgeName } from "../../../src/dispatch/policy/judge.ts";

const facts = (name: string): ToolFacts =>
  factsOfRead({
    id: `resource::fs:${name}#00000000`,
    upstreamName: `x://${name}`,
    server: "fs",
    card: { tags: [], safety: "", side_effects: false },
  });
const TEMPLATE = facts("template");
const NAME = facts("name");
const rule = (tool: string, action: PolicyRule["action"]): PolicyRule => ({ match: { tool }, action });
const subject = (of: ToolFacts) => ({ ...of, metaTool: "resource_read", principal: "p" });
const verdictOf = (rules: readonly PolicyRule[]) => {
  const { verdict, index } = judgeName(rules, subject(TEMPLATE), subject(NAME));
  return [verdict.action, index];
};

describe("what the rules say of a call by another of its names", () => {
  it.each([
    [[rule("fs:name", "deny")], ["deny", 0]],
    [[rule("fs:template", "deny")], ["allow", null]],
    [
      [rule("fs:template", "allow"), rule("*", "deny")],
      ["allow", null],
    ],
    [
      [rule("fs:template", "allow"), rule("x://name", "deny"), rule("*", "deny")],
      ["deny", 1],
    ],
    [
      [rule("fs:template", "allow"), rule("*", "deny"), rule("x://name", "deny")],
      ["deny", 2],
    ],
    [
      [rule("fs:name", "allow"), rule("*", "deny")],
      ["allow", 0],
    ],
    [[rule("*", "require_approval")], ["require_approval", 0]],
  ])("by %j is %j", (rules, expected) => {
    expect(verdictOf(rules)).toEqual(expected);
  });

  it("is never less strict than what they say of it by its own, nor than a restriction of that name alone", () => {
    const tool = fc.constantFrom("fs:template", "fs:name", "x://name", "fs:*", "*", "fs:other");
    const action = fc.constantFrom("allow" as const, "deny" as const, "require_approval" as const);
    const rules = fc.array(
      fc.tuple(tool, action).map(([name, what]) => rule(name, what)),
      { maxLength: 5 },
    );
    const strictness = ({ permitted }: ReturnType<typeof permit>): number =>
      permitted.ok ? (permitted.value.rule === null ? 0 : 1) : 2;
    fc.assert(
      fc.property(rules, (all) => {
        const own = permit(all, "resource_read", TEMPLATE, "p");
        const named = permitAlso(all, "resource_read", TEMPLATE, own, { alike: [], called: [NAME] }, "p");
        const alike = permitAlso(all, "resource_read", TEMPLATE, own, { alike: [NAME], called: [] }, "p");
        const other = permit(all, "resource_read", NAME, "p");
        const first = all.find(({ match }) => match.tool === "fs:name" || match.tool === "x://name");
        const isFirst = first !== undefined && all[0] === first;
        expect(strictness(named)).toBeGreaterThanOrEqual(strictness(own));
        expect(strictness(named)).toBeGreaterThanOrEqual(isFirst ? strictness(other) : 0);
        expect(strictness(alike)).toBe(Math.max(strictness(own), strictness(other)));
      }),
    );
  });
});
