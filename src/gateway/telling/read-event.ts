import { openAccount } from "../../dispatch/call-account.ts";
import type { Executed } from "../../dispatch/execute.ts";
import type { GatewayFailure } from "../../errors.ts";
import type { ToolAnswer } from "../../surface.ts";
import type { CallEventOf } from "./call-event.ts";
import type { ExecuteAccount } from "./execute-account.ts";
import { readFailure, readOutcome } from "./read-outcome.ts";

/** The one event of a `resource_read`, however it ended. */
export function readEvent(
  executed: Executed<ToolAnswer>,
  account: ExecuteAccount,
): CallEventOf<"read.completed"> | CallEventOf<"read.failed"> {
  const outcome = readOutcome(executed, account);
  return outcome.success
    ? { event: "read.completed", success: outcome.isFine, ...outcome.of }
    : { event: "read.failed", success: false, ...outcome.of };
}

/** Of one that did not get as far as to be put to anybody. */
export function readFailed(failure: GatewayFailure): CallEventOf<"read.failed"> {
  return { event: "read.failed", success: false, ...readFailure(failure, openAccount("", false)) };
}
