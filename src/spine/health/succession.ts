import type { HealthSnapshot } from "./snapshot.ts";

/** What a later snapshot of the same public session may not do. */
export type SuccessionBreach =
  | "generation_went_back"
  | "restarts_went_back"
  /** A worker was replaced and kept its generation, or the other way round. */
  | "restarts_and_generation_disagree";

/**
 * Holds two snapshots of one public session, the earlier first, against the laws of their counters' scopes: the
 * generation and the restarts never go back and grow together. Uptime may, since it belongs to the process, and so may
 * consecutive failures, which a success ends. The first breach, or nothing.
 */
export function breachOfSuccession(
  earlier: HealthSnapshot,
  later: HealthSnapshot,
): SuccessionBreach | undefined {
  const generations = later.generation - earlier.generation;
  const restarts = later.restart_count - earlier.restart_count;
  if (generations < 0) return "generation_went_back";
  if (restarts < 0) return "restarts_went_back";
  // Generations may be left out, those of candidates that never served; restarts may not.
  const together = generations === 0 ? restarts === 0 : restarts >= 1 && restarts <= generations;
  return together ? undefined : "restarts_and_generation_disagree";
}
