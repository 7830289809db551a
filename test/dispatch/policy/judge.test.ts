import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PolicyRule } from "../../../src/config.ts";
import { compilePolicy, judgePolicy } from "../../../src/dispatch/policy/judge.ts";
import type { PolicySubject } from "../../../src/dispatch/policy/match.ts";
import { policyRuleHash } from "../../../src/dispatch/policy/rule-hash.ts";
import { DELETE_REPO, rule, rules, someTags, subjects } from "./rules.ts";

const verdict = (
  match: PolicyRule["match"],
  action: PolicyRule["action"],
  about: Partial<PolicySubject> = {},
) => judgePolicy([rule(match, action)], { ...DELETE_REPO, ...about }).action;

/** Whether an allow rule matches: what it lets through would be denied after it. */
const allows = (match: PolicyRule["match"], about: Partial<PolicySubject> = {}): boolean =>
  judgePolicy([rule(match, "allow"), rule({})], { ...DELETE_REPO, ...about }).action === "allow";

const denies = (match: PolicyRule["match"], about: Partial<PolicySubject> = {}): boolean =>
  verdict(match, "deny", about) === "deny";

describe("a policy", () => {
  it("allows what no rule is about", () => {
    expect(judgePolicy([], DELETE_REPO)).toEqual({ action: "allow" });
    expect(judgePolicy([rule({ server: "slack" })], DELETE_REPO)).toEqual({ action: "allow" });
  });

  it("gives a denial its reason, and an approval the hash of its rule besides", () => {
    const about = { match: {}, reason: "deletes need a person" };
    expect(judgePolicy([{ ...about, action: "deny" }], DELETE_REPO)).toEqual({
      action: "deny",
      reason: about.reason,
    });
    expect(judgePolicy([rule({})], DELETE_REPO)).toEqual({ action: "deny", reason: undefined });
    const demanding: PolicyRule = { ...about, action: "require_approval" };
    expect(judgePolicy([demanding], DELETE_REPO)).toEqual({
      action: "require_approval",
      reason: about.reason,
      rule: policyRuleHash(demanding),
    });
  });

  it("is decided by the first rule that matches, whatever follows", () => {
    fc.assert(
      fc.property(rules, subjects, (rules, subject) => {
        const end: PolicyRule = { match: {}, action: "deny", reason: "nothing before matched" };
        const alone = rules.map((rule) => judgePolicy([rule, end], subject));
        const first = alone.find((verdict) => !("reason" in verdict) || verdict.reason !== end.reason);
        expect(judgePolicy(rules, subject)).toEqual(first ?? { action: "allow" });
      }),
    );
  });

  it("compiles a list of rules once", () => {
    const list = [rule({ tool: "github:*" })];
    expect(compilePolicy(list)).toBe(compilePolicy(list));
  });
});

describe("a rule matches", () => {
  it.each<[string, PolicyRule["match"], boolean]>([
    ["with nothing in it", {}, true],
    ["by the meta-tool", { meta_tool: "tool_execute" }, true],
    ["not by another meta-tool", { meta_tool: "tool_view" }, false],
    ["by the server's very name", { server: "GitHub" }, true],
    ["not by the server's namespace", { server: "github" }, false],
    ["by the id", { tool: "github:delete_*" }, true],
    ["by the whole id", { tool: "github:delete_repo#aea9ce2a" }, true],
    ["by the id without its hash", { tool: "github:delete_repo" }, true],
    ["by the upstream's name", { tool: "delete_repo" }, true],
    ["not in another case", { tool: "github:Delete_*" }, false],
    ["not by another hash", { tool: "github:delete_repo#00000000" }, false],
    ["by a tag", { tags: ["repos"] }, true],
    ["by all of its tags", { tags: ["mcp", "repos"] }, true],
    ["not by some of its tags", { tags: ["repos", "issues"] }, false],
    ["not by a tag in another case", { tags: ["Repos"] }, false],
    ["by a safety tag in any case", { tags: ["DESTRUCTIVE"] }, true],
    ["not by the safety tag that it lacks", { tags: ["read-only"] }, false],
    ["by what the tool is not", { read_only: false }, true],
    ["not by what the tool is not said to be", { read_only: true }, false],
    ["by the principal", { principal: "ci-*" }, true],
    ["not by another principal", { principal: "CI-*" }, false],
    ["with all keys fitting", { server: "GitHub", tool: "delete_*", read_only: false }, true],
    ["not with one key that does not fit", { server: "GitHub", tool: "get_*", read_only: false }, false],
  ])("%s", (_, match, expected) => {
    expect(denies(match)).toBe(expected);
    expect(allows(match)).toBe(expected);
    expect(verdict(match, "require_approval")).toBe(expected ? "require_approval" : "allow");
  });

  it.each(["read-only", "read_only", "Read-Only", "READ_ONLY"])("a read-only tool by the tag %s", (tag) => {
    const readOnly = { readOnly: true, destructive: false, tags: ["read-only"] };
    expect(denies({ tags: [tag] }, readOnly)).toBe(true);
    expect(allows({ tags: [tag] }, readOnly)).toBe(true);
  });

  it("a tool that calls itself read-only and destructive as the destructive one that it may be", () => {
    const both = { readOnly: true, destructive: true, tags: ["destructive", "read-only"] };
    expect(denies({ tags: ["destructive"] }, both)).toBe(true);
    expect(denies({ read_only: false }, both)).toBe(true);
    expect(allows({ read_only: true }, both)).toBe(false);
    expect(allows({ tags: ["read-only"] }, both)).toBe(false);
  });
});

describe("a rule about a bare name", () => {
  // Upstream name, server, and the id that the catalog gives it.
  const prefixed = [
    ["GitHub.delete_repo", "github:delete_repo#aea9ce2a"],
    ["GitHub/delete_repo", "github:delete_repo@2.0#aea9ce2a"],
    ["GitHub/admin/delete_repo", "github:admin.delete_repo@1.2.0"],
  ] as const;

  it.each(prefixed)("restricts %s, which is shown without its server's prefix", (upstreamName, toolId) => {
    const about = { upstreamName, toolId };
    const shown = toolId.slice("github:".length).replace(/[@#].*$/, "");
    for (const action of ["deny", "require_approval"] as const) {
      const globs = [shown, shown.replaceAll(".", "/"), `${shown.slice(0, -2)}*`];
      expect(globs.map((glob) => verdict({ tool: glob }, action, about))).toEqual([action, action, action]);
    }
    expect(denies({ tool: "delete_rep" }, about)).toBe(false);
  });

  it.each(prefixed)("lets nothing through that its server calls otherwise, as %s", (upstreamName, toolId) => {
    expect(allows({ tool: "*delete_repo" }, { upstreamName, toolId })).toBe(true);
    expect(allows({ tool: "delete_*" }, { upstreamName, toolId })).toBe(false);
  });
});

describe("a server whose hints are not believed", () => {
  const claims: Partial<PolicySubject>[] = [
    { readOnly: true, destructive: false, tags: ["read-only"] },
    { readOnly: false, destructive: true, tags: ["destructive"] },
    { readOnly: false, destructive: false, tags: [] },
  ];

  it.each(claims)("has tools that may write and destroy, though it says %j", (claim) => {
    const untrusted = { ...claim, hintsTrusted: false };
    for (const action of ["deny", "require_approval"] as const) {
      expect(verdict({ tags: ["destructive"] }, action, untrusted)).toBe(action);
      expect(verdict({ read_only: false }, action, untrusted)).toBe(action);
      expect(verdict({ tags: ["read-only"] }, action, untrusted)).toBe("allow");
      expect(verdict({ read_only: true }, action, untrusted)).toBe("allow");
    }
  });

  it.each(claims)("has no tools that a rule allows by a hint, though it says %j", (claim) => {
    const untrusted = { ...claim, hintsTrusted: false };
    for (const match of [
      { read_only: true },
      { read_only: false },
      { tags: ["read-only"] },
      { tags: ["Read_Only"] },
      { tags: ["destructive"] },
      { tags: ["mcp", "DESTRUCTIVE"] },
    ]) {
      expect(allows(match, untrusted)).toBe(false);
    }
    expect(allows({ server: "GitHub" }, untrusted)).toBe(true);
  });

  it("decides nothing by what it says of its tools' safety", () => {
    const safetyTags = someTags.filter((tag) => /^(?:destructive|read[-_]only)$/i.test(tag));
    const claimed = fc.record({
      readOnly: fc.boolean(),
      destructive: fc.boolean(),
      tags: fc.subarray(safetyTags),
    });
    fc.assert(
      fc.property(rules, subjects, claimed, claimed, (rules, subject, one, other) => {
        const others = subject.tags.filter((tag) => !safetyTags.includes(tag));
        const saying = (claim: typeof one): PolicySubject => ({
          ...subject,
          ...claim,
          tags: [...others, ...claim.tags],
          hintsTrusted: false,
        });
        expect(judgePolicy(rules, saying(one))).toEqual(judgePolicy(rules, saying(other)));
      }),
    );
  });
});

describe("a text that is no glob", () => {
  const long = "*".repeat(300);

  it.each([{ tool: long }, { principal: long }])("restricts everything and allows nothing", (match) => {
    expect(denies(match)).toBe(true);
    expect(allows(match)).toBe(false);
  });
});
