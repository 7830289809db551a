import { type Config, keyOf, type PolicyRule } from "../../../src/config.ts";
import { failed, type Finding, orPassed, warned } from "../finding.ts";
import { covers } from "./covers.ts";

const STRICTNESS: Readonly<Record<PolicyRule["action"], number>> = { allow: 0, require_approval: 1, deny: 2 };

/** What of a later rule an earlier one catches: all, or all about tools that a catalog lists. */
type Caught = "all" | "listed" | "unproven";

const IN_VAIN: Readonly<Record<Exclude<Caught, "unproven">, string>> = {
  all: "never decides anything",
  listed: "decides nothing about any tool that a catalog lists",
};

/**
 * Rules that decide nothing, since an earlier one catches all they match. Only what is certain is told: one earlier rule
 * alone, key by key. What a rule wanted stricter than the one before it lets happen is a failure, the rest a warning.
 */
export function judgePolicyOrder({ gateway: { policy } }: Config): readonly Finding[] {
  const found = policy.flatMap((rule, index): Finding[] => {
    const catches = policy.slice(0, index).map((before) => caughtBy(before, rule));
    // What holds for every tool there ever was is said before what holds for those that a catalog lists.
    const earlier = catches.includes("all") ? catches.indexOf("all") : catches.indexOf("listed");
    const [before, caught] = [policy[earlier], catches[earlier]];
    if (before === undefined || caught === undefined || caught === "unproven") return [];
    const subject = keyOf(["gateway", "policy", index]);
    const earlierKey = keyOf(["gateway", "policy", earlier]);
    const words = {
      subject,
      what: `${IN_VAIN[caught]}: ${earlierKey} (${before.action}) catches all that it (${rule.action}) matches`,
      mend: `put it before ${earlierKey}, make that one narrower, or remove it`,
    };
    const tell = STRICTNESS[rule.action] > STRICTNESS[before.action] ? failed : warned;
    return [tell("config.policy", words)];
  });
  const what =
    policy.length === 0
      ? "no rules: everything is allowed"
      : "no rule stands behind one that catches all it matches";
  return orPassed(found, "config.policy", what);
}

/**
 * A rule that allows matches only what it is sure of, and one that restricts whatever it may mean. So where the earlier
 * allows and the later restricts, equal words are a proof for tools alone that a catalog lists, and words about what a
 * server's hints say are none.
 */
export function caughtBy(earlier: PolicyRule, later: PolicyRule): Caught {
  const [wide, narrow] = [earlier.match, later.match];
  const sameSide = earlier.action !== "allow" || later.action === "allow";
  const hinted =
    wide.read_only !== undefined || (wide.tags ?? []).some((tag) => tag.toLowerCase() === "destructive");
  const isCaught =
    covered(wide.meta_tool, narrow.meta_tool) &&
    covered(wide.server, narrow.server) &&
    covered(wide.read_only, narrow.read_only) &&
    (wide.tags ?? []).every((tag) => (narrow.tags ?? []).includes(tag)) &&
    globCovered(wide.principal, narrow.principal) &&
    globCovered(wide.tool, narrow.tool) &&
    (sameSide || (!hinted && (wide.tool === undefined || covers(wide.tool, "*") || isWholeId(narrow.tool))));
  if (!isCaught) return "unproven";
  const speaksOfTools =
    wide.server !== undefined ||
    (wide.tags ?? []).length > 0 ||
    (wide.tool !== undefined && !covers(wide.tool, "*"));
  return sameSide || !speaksOfTools ? "all" : "listed";
}

/** Whether a rule that restricts means whole ids alone by a glob: a bare name, a `/` and a capital reach further than where it allows. */
function isWholeId(glob = "*"): boolean {
  return /^[^:/A-Z]+:[^/A-Z]*$/.test(glob);
}

function covered<Value>(wide: Value | undefined, narrow: Value | undefined): boolean {
  return wide === undefined || wide === narrow;
}

function globCovered(wide: string | undefined, narrow: string | undefined): boolean {
  return wide === undefined || covers(wide, narrow ?? "*");
}
