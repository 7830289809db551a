import type { PolicyRule } from "../../config.ts";
import { kindOfId } from "../../identity/primitive-id.ts";
import { oncePerObject } from "../../once-per-object.ts";
import { VERB_OF } from "../verb.ts";
import { compileMatch, type PolicySubject, prepareSubject, type SubjectTest } from "./match.ts";
import { policyRuleHash } from "./rule-hash.ts";

/** What becomes of a call. `rule` is the hash of the rule that wants an approval. */
export type PolicyVerdict =
  | { readonly action: "allow" }
  | { readonly action: "deny"; readonly reason: string | undefined }
  | { readonly action: "require_approval"; readonly reason: string | undefined; readonly rule: string };

interface CompiledRule {
  readonly matches: SubjectTest;
  readonly verdict: PolicyVerdict;
}

/** The rules of a configuration, ready to judge by. */
export type CompiledPolicy = readonly CompiledRule[];

const ALLOW: PolicyVerdict = { action: "allow" };

/** Compiles a list of rules, once for each list: it has to be the configuration's own array, and to stay as it is. */
export const compilePolicy: (rules: readonly PolicyRule[]) => CompiledPolicy = oncePerObject((rules) =>
  rules.map((rule) => ({ matches: compileMatch(rule), verdict: verdictOf(rule) })),
);

/** The verdict of the first rule that matches; what none matches is allowed. Pure, and total over any subject. */
export function judgePolicy(rules: readonly PolicyRule[], subject: PolicySubject): PolicyVerdict {
  if (rules.length === 0) return ALLOW;
  const prepared = prepareSubject(subject);
  return compilePolicy(rules).find(({ matches }) => matches(prepared))?.verdict ?? ALLOW;
}

/** Where the rule stands that decides over a subject; `null` where none matches. */
export function decidingRule(rules: readonly PolicyRule[], subject: PolicySubject): number | null {
  const prepared = prepareSubject(subject);
  const index = compilePolicy(rules).findIndex(({ matches }) => matches(prepared));
  return index === -1 ? null : index;
}

/**
 * What the rules say of a subject by another of its names, and where the rule stands: the first that matches it so. A rule that
 * restricts the subject by its own name too was judged there, and does not count where an earlier one overruled it: so a rule
 * that allows a template before one that denies all else goes on to allow what the template gives.
 */
export function judgeName(
  rules: readonly PolicyRule[],
  subject: PolicySubject,
  named: PolicySubject,
): { readonly verdict: PolicyVerdict; readonly index: number | null } {
  const [own, other] = [prepareSubject(subject), prepareSubject(named)];
  let isDecided = false;
  for (const [index, { matches, verdict }] of compilePolicy(rules).entries()) {
    const isOwn = matches(own);
    const isOverruled = isOwn && isDecided;
    isDecided ||= isOwn;
    if (!matches(other) || (isOverruled && verdict.action !== "allow")) continue;
    return { verdict, index };
  }
  return { verdict: ALLOW, index: null };
}

/**
 * Whether an artifact of a tool may be viewed, of whatever kind it is: the rules decide as for any `tool_view`, and who is
 * denied the tool is denied what the tool brought. An approval that execution demands hides nothing: the call that brought
 * the artifact had it.
 */
export function judgeView(
  rules: readonly PolicyRule[],
  subject: Omit<PolicySubject, "metaTool">,
): PolicyVerdict {
  return judgeReading(rules, subject, "tool_view");
}

/** Whether a tool's definition may be read. Who may not run the tool at all does not learn how it would be called. */
export function judgeHydrate(
  rules: readonly PolicyRule[],
  subject: Omit<PolicySubject, "metaTool">,
): PolicyVerdict {
  return judgeReading(rules, subject, "tool_hydrate");
}

function judgeReading(
  rules: readonly PolicyRule[],
  subject: Omit<PolicySubject, "metaTool">,
  metaTool: string,
): PolicyVerdict {
  const reading = judgePolicy(rules, { ...subject, metaTool });
  if (reading.action === "deny") return reading;
  // Of a resource and a prompt, the verb that brings it.
  const { metaTool: verb } = VERB_OF[kindOfId(subject.toolId)];
  const execute = judgePolicy(rules, { ...subject, metaTool: verb });
  return execute.action === "deny" ? execute : reading;
}

function verdictOf(rule: PolicyRule): PolicyVerdict {
  const { action, reason } = rule;
  switch (action) {
    case "allow":
      return ALLOW;
    case "deny":
      return { action, reason };
    case "require_approval":
      return { action, reason, rule: policyRuleHash(rule) };
  }
}
