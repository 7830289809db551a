import type { PolicyRule } from "../../config.ts";
import { compareCodePoints } from "../../code-points.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { POLICY_RULE_HASH_CHARS } from "../../limits.ts";

/**
 * What an approval names a rule by: a hash of all that the rule says, reason included, so that an approval ends when its
 * rule changes. The rule's place in the list, the order of its keys and the order of its tags do not count.
 */
export function policyRuleHash({ match, action, reason }: PolicyRule): string {
  const tags = match.tags === undefined ? undefined : [...new Set(match.tags)].sort(compareCodePoints);
  const said = Object.entries({ ...match, tags })
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => compareCodePoints(left, right));
  return sha256Hex(JSON.stringify([action, reason ?? null, said])).slice(0, POLICY_RULE_HASH_CHARS);
}
