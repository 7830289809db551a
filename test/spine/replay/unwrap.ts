import {
  type AttemptCount,
  type ReplayAllowance,
  readAttemptCount,
} from "../../../src/spine/replay/allowance.ts";
import type { Result } from "../../../src/result.ts";

/** The value of a result that the test knows to be one. */
export function unwrap<Value, Reason>(result: Result<Value, Reason>): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.reason)}`);
  return result.value;
}

export const count = (attempts: number): AttemptCount => unwrap(readAttemptCount(attempts));

export const allowance = (used: number, max: number): ReplayAllowance => ({
  attempts_used: count(used),
  max_attempts: count(max),
});
