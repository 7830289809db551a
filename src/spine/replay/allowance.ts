import { memberOf } from "../../json.ts";
import { REPLAY_ATTEMPTS_MAX_COUNT } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";

declare const ATTEMPT_COUNT: unique symbol;

/** How often something was, or may be, sent again: an integer from 0 to 255. The first dispatch is not counted. */
export type AttemptCount = 0 | 1 | (number & { readonly [ATTEMPT_COUNT]: true });

/** A request of its own: nothing of it was sent yet, and it may be sent once more than once. */
export const FRESH_ALLOWANCE: ReplayAllowance = Object.freeze({ attempts_used: 0, max_attempts: 1 });

function isAttemptCount(value: unknown): value is AttemptCount {
  return (
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= REPLAY_ATTEMPTS_MAX_COUNT
  );
}

export function readAttemptCount(value: unknown): Result<AttemptCount, "invalid_attempt_count"> {
  return isAttemptCount(value) ? ok(value) : fail("invalid_attempt_count");
}

/** What is used and what there is. More used than there is, after the bound was lowered, is an allowance spent. */
export interface ReplayAllowance {
  readonly attempts_used: AttemptCount;
  readonly max_attempts: AttemptCount;
}

export function createAllowance(
  attemptsUsed: number,
  maxAttempts: number,
): Result<ReplayAllowance, "invalid_attempt_count"> {
  const used = readAttemptCount(attemptsUsed);
  if (!used.ok) return used;
  const max = readAttemptCount(maxAttempts);
  return max.ok ? ok({ attempts_used: used.value, max_attempts: max.value }) : max;
}

/** Reads an allowance from JSON. */
export function readAllowance(value: unknown): Result<ReplayAllowance, "invalid_attempt_count"> {
  const used = readAttemptCount(memberOf(value, "attempts_used"));
  if (!used.ok) return used;
  const max = readAttemptCount(memberOf(value, "max_attempts"));
  return max.ok ? ok({ attempts_used: used.value, max_attempts: max.value }) : max;
}

/** The number that the next replay has, where one is left. */
export function nextAttempt({ attempts_used, max_attempts }: ReplayAllowance): AttemptCount | undefined {
  const next = attempts_used + 1;
  return next <= max_attempts && isAttemptCount(next) ? next : undefined;
}
