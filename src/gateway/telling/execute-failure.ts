import { type GatewayFailure, type Outcome, toWire } from "../../errors.ts";
import { UNDER_WAY_SCOPE } from "../../limit-scopes.ts";
import { type CallEvent, type CallEventOf, counts, named } from "./call-event.ts";
import { askedOf, type ExecuteAccount, type QuotaOwner } from "./execute-account.ts";

type LimitScope = CallEventOf<"execute.rate_limited">["attributes"]["scope"];

/**
 * The event of an execute that gave no result. A dry run of which a rule says no is denied as the call would be; whatever
 * else it fails of is a dry run that failed.
 */
export function executeFailed(
  failure: GatewayFailure,
  account: ExecuteAccount,
  quotaOwner: QuotaOwner,
): CallEvent {
  const event = eventOf(failure, account, quotaOwner);
  if (!account.dryRun || event.event === "execute.denied") return event;
  return {
    event: "execute.dry_run",
    success: false,
    ...named(account.tool?.id ?? null),
    attributes: {
      args_valid: account.argsValid,
      ...askedOf(account),
      error_code: toWire(failure).error,
    },
  };
}

function eventOf(failure: GatewayFailure, account: ExecuteAccount, per: QuotaOwner): CallEvent {
  switch (failure.reason) {
    case "policy_denied":
      // A person who was asked has said no; or nobody was.
      return denied(failure, account.needsConsent ? "require_approval" : "deny", account);
    case "approval_required":
      return denied(failure, "require_approval", account);
    case "rate_limited": {
      const scope = scopeOf(failure.scope);
      return scope === undefined
        ? failed(failure, "not_dispatched", account)
        : limited(
            scope,
            { retryAfterMs: failure.retryAfterMs, ...(scope === "in_flight" ? {} : { per }) },
            account,
          );
    }
    case "in_flight":
      return limited("in_flight", failure, account);
    case "upstream": {
      const { failure: cause } = failure;
      // Where an earlier try was lost, that nobody knows whether the call ran counts for more than the last refusal.
      if (cause.reason !== "rate_limited" || cause.outcome === "unknown") {
        return failed(failure, cause.outcome, account);
      }
      const { retryAfterSeconds } = cause;
      const retryAfterMs = retryAfterSeconds === null ? null : Math.ceil(retryAfterSeconds * 1000);
      return limited("upstream", { retryAfterMs }, account);
    }
    case "ambiguous":
      return failed(failure, "unknown", account);
    case "answer_gone":
      return failed(failure, "completed", account);
    case "internal":
    case "malformed_result":
      return failed(failure, failure.outcome, account);
    case "arguments":
    case "schema":
    case "unknown_id":
    case "listed_only":
    case "contested":
    case "whose":
    case "not_ready":
    case "artifacts_full":
    // No execute ends like these.
    case "path_invalid":
    case "path_not_found":
    case "no_artifact":
    case "selector":
      return failed(failure, "not_dispatched", account);
  }
}

function failed(
  failure: GatewayFailure,
  outcome: Outcome,
  account: ExecuteAccount,
): CallEventOf<"execute.failed"> {
  const { error, retryable } = toWire(failure);
  return {
    event: "execute.failed",
    success: false,
    ...named(account.tool?.id ?? null),
    attributes: {
      error_code: error,
      attempts: account.attempts,
      outcome,
      retryable,
      ...askedOf(account),
    },
  };
}

function denied(
  failure: GatewayFailure,
  action: "deny" | "require_approval",
  account: ExecuteAccount,
): CallEventOf<"execute.denied"> {
  return {
    event: "execute.denied",
    success: false,
    ...named(account.tool?.id ?? null),
    attributes: {
      error_code: toWire(failure).error,
      action,
      ...askedOf(account),
      ...counts({ rule_index: account.ruleIndex }),
      ...(account.dryRun ? { dry_run: true } : {}),
    },
  };
}

function limited(
  scope: LimitScope,
  { retryAfterMs, per }: { readonly retryAfterMs: number | null; readonly per?: QuotaOwner },
  account: ExecuteAccount,
): CallEventOf<"execute.rate_limited"> {
  return {
    event: "execute.rate_limited",
    success: false,
    ...named(account.tool?.id ?? null),
    attributes: {
      scope,
      attempts: account.attempts,
      ...askedOf(account),
      ...counts({ retry_after_ms: retryAfterMs }),
      ...(per === undefined ? {} : { per }),
    },
  };
}

/** A bucket's limit in the event's words; a tool's bucket has the tool's id in its name, which stands in the event anyway. */
function scopeOf(scope: string): LimitScope | undefined {
  if (scope === UNDER_WAY_SCOPE) return "in_flight";
  const owner = scope.startsWith("tool:") ? "tool" : "meta_tool";
  if (scope.endsWith("/minute")) return `${owner}_minute`;
  return scope.endsWith("/session") ? `${owner}_session` : undefined;
}
