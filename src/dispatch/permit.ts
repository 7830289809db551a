import type { PolicyRule } from "../config.ts";
import type { GatewayFailure } from "../errors.ts";
import { fail, ok, type Result } from "../result.ts";
import type { ToolFacts } from "./policy/facts.ts";
import { judgePolicy } from "./policy/judge.ts";

/** A call that no rule forbids; `rule` is the hash of the one that wants a person's consent first. */
export interface Permitted {
  readonly rule: string | null;
  /** The operator's word on that rule. */
  readonly why: string | undefined;
}

const PERMITTED: Permitted = { rule: null, why: undefined };

/** Judges a call by the operator's rules, before its arguments are: a denied tool's schema stays hidden. */
export function permit(
  rules: readonly PolicyRule[],
  metaTool: string,
  facts: ToolFacts,
  principal: string,
): Result<Permitted, GatewayFailure> {
  const verdict = judgePolicy(rules, { ...facts, metaTool, principal });
  switch (verdict.action) {
    case "allow":
      return ok(PERMITTED);
    case "require_approval":
      return ok({ rule: verdict.rule, why: verdict.reason });
    case "deny":
      return fail({ reason: "policy_denied", path: facts.toolId, why: verdict.reason });
  }
}
