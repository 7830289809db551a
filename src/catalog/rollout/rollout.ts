import type { Generation } from "../../spine/fault/generation.ts";
import { GENESIS, nextGeneration } from "../../spine/fault/generation.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { TargetName } from "../../server-target.ts";

/** What a server's targets are known by: hashes of where each of them is (`TargetIdentity.key`), and of nothing else of the server. */
export interface TargetSources {
  readonly configured: string;
  /** Undefined where the configuration has no candidate. */
  readonly candidate: string | undefined;
}

/**
 * Where one server's calls go, remembered by what the target is and not by where it stands in the configuration: after a
 * promotion the candidate's address may become the server's, and nothing moves.
 */
export interface Rollout {
  /** The source that was made active last; null before any promotion. */
  readonly active: string | null;
  /** The one that was active before it, which a rollback returns to. */
  readonly previous: string | null;
  /** Of every source that was ever active, the newest; they only grow, and no two sources have the same. */
  readonly generations: ReadonlyMap<string, Generation>;
}

export const NO_ROLLOUT: Rollout = { active: null, previous: null, generations: new Map() };

/** The active target of a configuration: the remembered one where the configuration has it, else the configured one. */
export function activeTarget({ active }: Rollout, { configured, candidate }: TargetSources): TargetName {
  return active !== null && active !== configured && active === candidate ? "candidate" : "configured";
}

export function sourceOf(target: TargetName, { configured, candidate }: TargetSources): string | undefined {
  return target === "configured" ? configured : candidate;
}

/** The generation of a source that is active, given to it when it first is. */
export function withGeneration(
  rollout: Rollout,
  source: string,
): Result<{ readonly rollout: Rollout; readonly generation: Generation }, "generation_exhausted"> {
  const known = rollout.generations.get(source);
  if (known !== undefined) return ok({ rollout, generation: known });
  return renewed(rollout, source);
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
export function promote(rollout: Rollout, sources: TargetSources): Result<Move, MoveProblem> {
  if (sources.candidate === undefined || sources.candidate === sources.configured)
    return fail("no_candidate");
  if (activeTarget(rollout, sources) === "candidate") return fail("already_active");
  return moved(rollout, sources, "candidate");
}

/** Returns to what was active before the last move. */
export function rollBack(rollout: Rollout, sources: TargetSources): Result<Move, MoveProblem> {
  const { active, previous } = rollout;
  const from = activeTarget(rollout, sources);
  // What the configuration no longer has was left by an edit, not by a promotion.
  if (active === null || previous === null || active !== sourceOf(from, sources)) {
    return fail("nothing_to_roll_back");
  }
  const to = from === "configured" ? "candidate" : "configured";
  if (sourceOf(to, sources) !== previous) return fail("nothing_to_roll_back");
  const back = moved(rollout, sources, to);
  // One rollback a promotion: a second one would be a promotion that nothing was compared for.
  return back.ok ? ok({ ...back.value, rollout: { ...back.value.rollout, previous: null } }) : back;
}

function moved(rollout: Rollout, sources: TargetSources, to: TargetName): Result<Move, MoveProblem> {
  const from = to === "candidate" ? "configured" : "candidate";
  const [active, previous] = [sourceOf(to, sources), sourceOf(from, sources)];
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
  source: string,
): Result<{ readonly rollout: Rollout; readonly generation: Generation }, "generation_exhausted"> {
  let generation: Generation = GENESIS;
  if (rollout.generations.size > 0) {
    const newest = [...rollout.generations.values()].reduce((left, right) => (left > right ? left : right));
    const next = nextGeneration(newest);
    if (!next.ok) return fail("generation_exhausted");
    generation = next.value;
  }
  const generations = new Map(rollout.generations).set(source, generation);
  return ok({ rollout: { ...rollout, generations }, generation });
}
