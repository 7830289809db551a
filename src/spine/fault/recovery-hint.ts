/**
 * What whoever reports a fault would do about the process. Advice, for operators and supervisors: a new worker says
 * nothing about whether a request may run again, and seed 004's first version, where it did, was taken back.
 */
export const RECOVERY_HINTS = ["keep_worker", "replace_worker", "roll_forward", "abort_host"] as const;

export type RecoveryHint = (typeof RECOVERY_HINTS)[number];

export function isRecoveryHint(value: unknown): value is RecoveryHint {
  return RECOVERY_HINTS.some((known) => known === value);
}
