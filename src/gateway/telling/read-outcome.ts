import type { Executed } from "../../dispatch/execute.ts";
import { type GatewayFailure, type Outcome, toWire } from "../../errors.ts";
import type { ToolAnswer } from "../../surface.ts";
import { firstAnswer } from "../first-answer.ts";
import { named } from "./call-event.ts";
import { askedOf, type ExecuteAccount } from "./execute-account.ts";
import { resultCounts } from "./result-figures.ts";

/** How a read or a prompt ended, in what the events of both have in common. A refusal of any kind is a failure here. */
export function readOutcome(executed: Executed<ToolAnswer>, account: ExecuteAccount) {
  switch (executed.kind) {
    case "failed":
      return { success: false, of: readFailure(executed.failure, account) } as const;
    case "repeated": {
      const { first, toolId } = executed;
      if (first === null) {
        return { success: false, of: readFailure({ reason: "answer_gone", path: toolId }, account) } as const;
      }
      return completed(firstAnswer(first, toolId).isError !== true, account);
    }
    // A read is never run dry.
    case "report":
    case "answer":
      return completed(account.figures?.status !== "error", account);
  }
}

function completed(isFine: boolean, account: ExecuteAccount) {
  return {
    success: true,
    isFine,
    of: {
      ...named(account.tool?.id ?? null),
      attributes: { attempts: account.attempts, ...askedOf(account), ...resultCounts(account.figures) },
    },
  } as const;
}

/** What is told of a read that gave nothing. */
export function readFailure(failure: GatewayFailure, account: ExecuteAccount) {
  const { error, retryable } = toWire(failure);
  return {
    ...named(account.tool?.id ?? null),
    attributes: {
      error_code: error,
      attempts: account.attempts,
      outcome: outcomeOf(failure),
      retryable,
      ...askedOf(account),
    },
  };
}

function outcomeOf(failure: GatewayFailure): Outcome {
  switch (failure.reason) {
    case "upstream":
      return failure.failure.outcome;
    case "internal":
    case "malformed_result":
      return failure.outcome;
    case "ambiguous":
      return "unknown";
    case "answer_gone":
      return "completed";
    case "arguments":
    case "schema":
    case "unknown_id":
    case "contested":
    case "whose":
    case "not_ready":
    case "policy_denied":
    case "approval_required":
    case "rate_limited":
    case "in_flight":
    case "artifacts_full":
    // No read ends like these.
    case "listed_only":
    case "path_invalid":
    case "path_not_found":
    case "no_artifact":
    case "selector":
      return "not_dispatched";
  }
}
