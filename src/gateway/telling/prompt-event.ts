import { openAccount } from "../../dispatch/call-account.ts";
import type { Executed } from "../../dispatch/execute.ts";
import type { GatewayFailure } from "../../errors.ts";
import type { ToolAnswer } from "../../surface.ts";
import type { CallEventOf } from "./call-event.ts";
import type { ExecuteAccount } from "./execute-account.ts";
import { readFailure, readOutcome } from "./read-outcome.ts";

/** The one event of a `prompt_get`, however it ended. */
export function promptEvent(
  executed: Executed<ToolAnswer>,
  account: ExecuteAccount,
): CallEventOf<"prompt.completed"> | CallEventOf<"prompt.failed"> {
  const outcome = readOutcome(executed, account);
  return outcome.success
    ? { event: "prompt.completed", success: outcome.isFine, ...outcome.of }
    : { event: "prompt.failed", success: false, ...outcome.of };
}

/** Of one that did not get as far as to be put to anybody. */
export function promptFailed(failure: GatewayFailure): CallEventOf<"prompt.failed"> {
  return { event: "prompt.failed", success: false, ...readFailure(failure, openAccount("", false)) };
}
