import * as fc from "fast-check";
import type { PolicyRule } from "../../../src/config.ts";
import type { PolicySubject } from "../../../src/dispatch/policy/match.ts";

/** A rule that denies, unless told otherwise. */
export function rule(match: PolicyRule["match"], action: PolicyRule["action"] = "deny"): PolicyRule {
  return { match, action };
}

/** A deleting tool of a trusted server that says so. */
export const DELETE_REPO: PolicySubject = {
  metaTool: "tool_execute",
  principal: "ci-main",
  toolId: "github:delete_repo#aea9ce2a",
  upstreamName: "delete_repo",
  servers: ["GitHub"],
  serverKnown: true,
  tags: ["destructive", "mcp", "repos"],
  readOnly: false,
  destructive: true,
  hintsTrusted: true,
};

/** Left out as often as not: a rule with every key matches nothing. */
function optional<Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(values, { nil: undefined, freq: 1 });
}

const HOSTILE = [
  "__proto__",
  "constructor",
  "\0",
  "\ud800",
  "<|endoftext|>",
  "x".repeat(10_240),
  "*".repeat(300),
];

export const someTags = [
  "destructive",
  "Destructive",
  "read-only",
  "read_only",
  "READ-ONLY",
  "repos",
  "mcp",
  "__proto__",
];
const someServers = ["GitHub", "git hub/x", "slack", "__proto__"];
const someGlobs = [
  "*",
  "github:*",
  "delete_*",
  "github.delete_*",
  "*/a",
  "get_*",
  "slack:get_me",
  "git hub/x/*",
  ...HOSTILE,
];
const somePrincipals = ["ci-main", "ann", ...HOSTILE];

const actions = fc.constantFrom<PolicyRule["action"]>("allow", "deny", "require_approval");

export const matches: fc.Arbitrary<PolicyRule["match"]> = fc.record({
  meta_tool: optional(fc.constantFrom("tool_execute", "tool_view")),
  server: optional(fc.constantFrom(...someServers)),
  tool: optional(fc.constantFrom(...someGlobs)),
  tags: optional(fc.array(fc.constantFrom(...someTags), { maxLength: 3 })),
  read_only: optional(fc.boolean()),
  principal: optional(fc.constantFrom("ci-*", "*", ...somePrincipals)),
});

export const rules: fc.Arbitrary<PolicyRule[]> = fc.array(
  fc.record({ match: matches, action: actions, reason: optional(fc.constantFrom("one", "two")) }),
  { maxLength: 6 },
);

export const subjects: fc.Arbitrary<PolicySubject> = fc.record({
  metaTool: fc.constantFrom("tool_execute", "tool_view", "resource_read"),
  principal: fc.constantFrom(...somePrincipals),
  toolId: fc.constantFrom(
    "github:delete_repo#aea9ce2a",
    "slack:get_me@1.0",
    "resource::file:a#00000000",
    ...HOSTILE,
  ),
  upstreamName: fc.option(fc.constantFrom("delete_repo", "github/delete_repo", "get_me", ...HOSTILE)),
  servers: fc.subarray(someServers),
  serverKnown: fc.boolean(),
  tags: fc.subarray(someTags),
  readOnly: fc.boolean(),
  destructive: fc.boolean(),
  hintsTrusted: fc.boolean(),
});
