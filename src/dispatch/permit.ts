import type { PolicyRule } from "../config.ts";
import type { GatewayFailure } from "../errors.ts";
import { fail, ok, type Result } from "../result.ts";
import type { ToolFacts } from "./policy/facts.ts";
import { decidingRule, judgePolicy } from "./policy/judge.ts";

/** A call that no rule forbids; `rule` is the hash of the one that wants a person's consent first. */
export interface Permitted {
  readonly rule: string | null;
  /** The operator's word on that rule. */
  readonly why: string | undefined;
}

/** What the rules say of a call, and where the one stands that stands in its way, if any. */
export interface Permission {
  readonly permitted: Result<Permitted, GatewayFailure>;
  readonly ruleIndex: number | null;
}

const PERMITTED: Permission = { permitted: ok({ rule: null, why: undefined }), ruleIndex: null };

/** Judges a call by the operator's rules, before its arguments are: a denied tool's schema stays hidden. */
export function permit(
  rules: readonly PolicyRule[],
  metaTool: string,
  facts: ToolFacts,
  principal: string,
): Permission {
  const subject = { ...facts, metaTool, principal };
  const verdict = judgePolicy(rules, subject);
  switch (verdict.action) {
    case "allow":
      return PERMITTED;
    case "require_approval":
      return {
        permitted: ok({ rule: verdict.rule, why: verdict.reason }),
        ruleIndex: decidingRule(rules, subject),
      };
    case "deny": {
      const failure = { reason: "policy_denied", path: facts.toolId, why: verdict.reason } as const;
      return { permitted: fail(failure), ruleIndex: decidingRule(rules, subject) };
    }
  }
}
