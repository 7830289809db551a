/** Seed 004's nine kinds of operational failure, and the one that later versions added. */
export const FAULT_CLASSES = [
  /** The connection between host and worker, or gateway and upstream. */
  "transport",
  /** The worker itself: it died, was evicted, would not start. */
  "process",
  /** Bytes that are no legal message, or a legal message out of place. */
  "protocol",
  "timeout",
  /** A well-formed refusal by whatever stands behind. */
  "downstream",
  /** A bound of ours was reached. */
  "resource",
  /** No attempt is left. */
  "replay",
  /** A generation was being exchanged. */
  "rollout",
  /** A law of ours was broken. */
  "invariant",
  /** Nobody knows whether the effect took place, and nobody may find out by trying. */
  "ambiguous_outcome",
] as const;

export type FaultClass = (typeof FAULT_CLASSES)[number];

export function isFaultClass(value: unknown): value is FaultClass {
  return FAULT_CLASSES.some((known) => known === value);
}
