import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PolicyRule } from "../../../src/config.ts";
import { judgePolicy, judgeView } from "../../../src/dispatch/policy/judge.ts";
import { DELETE_REPO, rule, rules, subjects } from "./rules.ts";

const { metaTool: _execute, ...TOOL } = DELETE_REPO;

describe("viewing what a tool brought", () => {
  it.each<[string, PolicyRule[], string]>([
    ["is allowed by default", [], "allow"],
    ["is denied by a rule about views", [rule({ meta_tool: "tool_view" })], "deny"],
    ["is denied with the tool", [rule({ meta_tool: "tool_execute", server: "GitHub" })], "deny"],
    ["is not denied with another tool", [rule({ meta_tool: "tool_execute", server: "slack" })], "allow"],
    ["is denied by a rule about no meta-tool in particular", [rule({ tool: "github:*" })], "deny"],
    [
      "is denied with the tool, though views are allowed",
      [rule({ meta_tool: "tool_view" }, "allow"), rule({ tool: "github:*" })],
      "deny",
    ],
    [
      "is not hidden by an approval for the call",
      [rule({ meta_tool: "tool_execute" }, "require_approval")],
      "allow",
    ],
    [
      "can demand an approval of its own",
      [rule({ meta_tool: "tool_view" }, "require_approval")],
      "require_approval",
    ],
  ])("%s", (_, rules, action) => {
    expect(judgeView(rules, TOOL).action).toBe(action);
  });

  it("is never allowed where the tool is denied, and else as the rules about views say", () => {
    fc.assert(
      fc.property(rules, subjects, (rules, subject) => {
        const execute = judgePolicy(rules, { ...subject, metaTool: "tool_execute" });
        const view = judgePolicy(rules, { ...subject, metaTool: "tool_view" });
        const tool = execute.action === "deny" && view.action !== "deny" ? execute : view;
        expect(judgeView(rules, subject)).toEqual(tool);
      }),
    );
  });
});
