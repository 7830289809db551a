/** How far the set of workers is, seen from outside (seed 004 "Health"). */
export const LIFECYCLE_STATES = [
  /** No worker is alive. */
  "cold",
  /** The first one is on its way. */
  "starting",
  /** A worker is initialised and serves. */
  "ready",
  /** One is on its way after a fault. */
  "recovering",
] as const;

export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

export function isLifecycleState(value: unknown): value is LifecycleState {
  return LIFECYCLE_STATES.some((state) => state === value);
}
