/** Whether another release is about to take over (seed 004 "Health"). */
export const ROLLOUT_STATES = [
  "stable",
  /** Another release is known and has taken over nothing yet. */
  "pending",
  /** The exchange is under way. */
  "reloading",
] as const;

export type RolloutState = (typeof ROLLOUT_STATES)[number];

export function isRolloutState(value: unknown): value is RolloutState {
  return ROLLOUT_STATES.some((state) => state === value);
}
