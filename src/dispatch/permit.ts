import type { PolicyRule } from "../config.ts";
import type { GatewayFailure } from "../errors.ts";
import { fail, ok, type Result } from "../result.ts";
import type { ToolFacts } from "./policy/facts.ts";
import { decidingRule, judgeName, judgePolicy, type PolicyVerdict } from "./policy/judge.ts";
import type { OtherNames } from "./ports.ts";

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
  if (verdict.action === "allow") return PERMITTED;
  return permissionOf(verdict, decidingRule(rules, subject), facts.toolId);
}

/**
 * What the rules say of a call that goes by other names, too, the strictest of all: a rule that denies it by any of them, else
 * one that wants a person's consent, its own before another's.
 */
export function permitAlso(
  rules: readonly PolicyRule[],
  metaTool: string,
  facts: ToolFacts,
  own: Permission,
  { alike, called }: OtherNames,
  principal: string,
): Permission {
  if (rules.length === 0) return own;
  const subject = { ...facts, metaTool, principal };
  const permissions = [
    own,
    ...alike.map((other) => permit(rules, metaTool, other, principal)),
    ...called.map((other) => {
      const { verdict, index } = judgeName(rules, subject, { ...other, metaTool, principal });
      return verdict.action === "allow" ? PERMITTED : permissionOf(verdict, index, other.toolId);
    }),
  ];
  const isDenied = ({ permitted }: Permission): boolean => !permitted.ok;
  const wantsConsent = ({ permitted }: Permission): boolean => permitted.ok && permitted.value.rule !== null;
  return permissions.find(isDenied) ?? permissions.find(wantsConsent) ?? own;
}

function permissionOf(
  verdict: Exclude<PolicyVerdict, { readonly action: "allow" }>,
  ruleIndex: number | null,
  path: string,
): Permission {
  const { reason: why } = verdict;
  const permitted: Permission["permitted"] =
    verdict.action === "deny"
      ? fail({ reason: "policy_denied", path, why })
      : ok({ rule: verdict.rule, why });
  return { permitted, ruleIndex };
}
