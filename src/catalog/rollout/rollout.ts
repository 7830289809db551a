import type { Generation } from "../../spine/fault/generation.ts";
import { GENESIS, nextGeneration } from "../../spine/fault/generation.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { TargetName } from "../../server-target.ts";

/** What a server's targets are known by: hashes of where each of them is (`TargetIdentity.key`), and of nothing else of the server. */
export interface TargetKeys {
  readonly configured: string;
  /** Undefined where the configuration has no candidate. */
  readonly candidate: string | undefined;
}

/**
 * Where one server's calls go, remembered by what the target is and not by where it stands in the configuration: after a
 * promotion the candidate's address may become the server's, and nothing moves.
 */
export interface Rollout {
  /** The key that was made active last; null before any promotion. */
  readonly active: string | null;
  /** The one that was active before it, which a rollback returns to. */
  readonly previous: string | null;
  /** Of every key that was ever active, the newest; they only grow, and no two keys have the same. */
  readonly generations: ReadonlyMap<string, Generation>;
}

export const NO_ROLLOUT: Rollout = { active: null, previous: null, generations: new Map() };

/** The active target of a configuration: the remembered one where the configuration has it, else the configured one. */
export function activeTarget({ active }: Rollout, { configured, candidate }: TargetKeys): TargetName {
  return active !== null && active !== configured && active === candidate ? "candidate" : "configured";
}

export function keyOf(target: TargetName, { configured, candidate }: TargetKeys): string | undefined {
  return target === "configured" ? configured : candidate;
}

/**
 * The generation of a key that is active. It has a new one whenever another was active in between, since what becomes active
 * last has the newest: so generations only grow, also where an edit of the configuration goes back.
 */
export function withGeneration(
  rollout: Rollout,
  key: string,
): Result<{ readonly rollout: Rollout; readonly generation: Generation }, "generation_exhausted"> {
  const known = rollout.generations.get(key);
  if (known !== undefined && known === newestGeneration(rollout)) return ok({ rollout, generation: known });
  return renewed(rollout, key);
}

/**
 * What is left of a rollout under the configuration of the deployment that serves: a promotion to what it no longer has is
 * over, so that the same candidate, written there again later, waits for a promotion again.
 */
export function withoutLost(rollout: Rollout, { configured, candidate }: TargetKeys): Rollout {
  const { active } = rollout;
  if (active === null || active === configured || active === candidate) return rollout;
  return { ...rollout, active: null, previous: null };
}

/** Why calls cannot be moved. */
export type MoveProblem =
  /** The configuration has one target alone. */
  | "no_candidate"
  /** The calls go there already. */
  | "already_active"
  /** What was active before is no target of this configuration, or nothing was. */
  | "nothing_to_roll_back"
  | "generation_exhausted";

export interface Move {
  readonly from: TargetName;
  readonly to: TargetName;
  readonly rollout: Rollout;
  readonly generation: Generation;
}

/** Makes the candidate active, under a generation of its own. */
export function promote(rollout: Rollout, keys: TargetKeys): Result<Move, MoveProblem> {
  if (keys.candidate === undefined || keys.candidate === keys.configured) return fail("no_candidate");
  if (activeTarget(rollout, keys) === "candidate") return fail("already_active");
  return moved(rollout, keys, "candidate");
}

/** Returns to what was active before the last move. */
export function rollBack(rollout: Rollout, keys: TargetKeys): Result<Move, MoveProblem> {
  const { active, previous } = rollout;
  const from = activeTarget(rollout, keys);
  // What the configuration no longer has was left by an edit, not by a promotion.
  if (active === null || previous === null || active !== keyOf(from, keys)) {
    return fail("nothing_to_roll_back");
  }
  const to = from === "configured" ? "candidate" : "configured";
  if (keyOf(to, keys) !== previous) return fail("nothing_to_roll_back");
  const back = moved(rollout, keys, to);
  // One rollback a promotion: a second one would be a promotion that nothing was compared for.
  return back.ok ? ok({ ...back.value, rollout: { ...back.value.rollout, previous: null } }) : back;
}

function moved(rollout: Rollout, keys: TargetKeys, to: TargetName): Result<Move, MoveProblem> {
  const from = to === "candidate" ? "configured" : "candidate";
  const [active, previous] = [keyOf(to, keys), keyOf(from, keys)];
  if (active === undefined || previous === undefined) return fail("no_candidate");
  // A server that was never moved has had its first generation all along.
  const begun = withGeneration(rollout, previous);
  if (!begun.ok) return begun;
  const next = renewed(begun.value.rollout, active);
  if (!next.ok) return next;
  const { generation, rollout: renewal } = next.value;
  return ok({ from, to, generation, rollout: { ...renewal, active, previous } });
}

function renewed(
  rollout: Rollout,
  key: string,
): Result<{ readonly rollout: Rollout; readonly generation: Generation }, "generation_exhausted"> {
  let generation: Generation = GENESIS;
  if (rollout.generations.size > 0) {
    const next = nextGeneration(newestGeneration(rollout));
    if (!next.ok) return fail("generation_exhausted");
    generation = next.value;
  }
  const generations = new Map(rollout.generations).set(key, generation);
  return ok({ rollout: { ...rollout, generations }, generation });
}

/** The last one that was given; the first where none was. */
export function newestGeneration({ generations }: Rollout): Generation {
  return [...generations.values()].reduce((left, right) => (left > right ? left : right), GENESIS);
}
