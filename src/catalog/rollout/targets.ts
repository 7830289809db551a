import type { TargetName } from "../../server-target.ts";
import { GENESIS, type Generation } from "../../spine/fault/generation.ts";
import type { ServerSettings, TargetIdentity } from "../refresh/settings.ts";
import type { Pointer, PointerTarget } from "../snapshot/pointer.ts";
import type { RolloutStore } from "./rollout-ports.ts";
import { activeTarget, newestGeneration, type TargetKeys, withGeneration, withoutLost } from "./rollout.ts";

/** One target of a server of the configuration. */
export interface ServerTargetSettings {
  readonly server: ServerSettings;
  readonly target: TargetName;
  /** Its listings are kept under it. */
  readonly source: string;
}

/** A server and where its calls go. */
export interface ActiveTarget extends ServerTargetSettings {
  readonly generation: Generation;
}

/** What the rollouts know a server's targets by. */
export function targetKeys({ configured, candidate }: ServerSettings): TargetKeys {
  return { configured: configured.key, candidate: candidate?.key };
}

export function targetOf(server: ServerSettings, target: TargetName): ServerTargetSettings | undefined {
  const identity: TargetIdentity | undefined = server[target];
  return identity && { server, target, source: identity.source };
}

/** The target that calls do not go to, if there is one. */
export function otherTarget({
  server,
  target,
}: Pick<ActiveTarget, "server" | "target">): ServerTargetSettings | undefined {
  return targetOf(server, target === "configured" ? "candidate" : "configured");
}

/**
 * Where the calls of each server go under its configuration. One that was not active last has its new generation from here
 * on, whatever becomes of the run: no other target is ever given the same.
 */
export function activeTargets(
  servers: readonly ServerSettings[],
  rollouts: RolloutStore,
): readonly ActiveTarget[] {
  return servers.map((server): ActiveTarget => {
    const known = rollouts.rollout(server.name);
    const target = activeTarget(known, targetKeys(server));
    const { key, source } = server[target] ?? server.configured;
    const given = withGeneration(known, key);
    if (given.ok && given.value.rollout !== known) rollouts.saveRollout(server.name, given.value.rollout);
    // Nobody has counted as far. If one had, accounts would be mixed, and calls not.
    return {
      server,
      target,
      source,
      generation: given.ok ? given.value.generation : newestGeneration(known),
    };
  });
}

/**
 * To be called under the configuration of the deployment that serves, and no other: an older one lacks what was promoted
 * since. Gives the servers whose promotion is over.
 */
export function forgetLostPromotions(
  servers: readonly ServerSettings[],
  rollouts: RolloutStore,
): readonly string[] {
  return servers.flatMap((server) => {
    const known = rollouts.rollout(server.name);
    const left = withoutLost(known, targetKeys(server));
    if (left === known) return [];
    rollouts.saveRollout(server.name, left);
    return [server.name];
  });
}

/** As a pointer names them: those that are not where every server begins. */
export function pointerTargets(actives: readonly ActiveTarget[]): readonly PointerTarget[] {
  return actives.flatMap(({ server, target, generation }) =>
    target === "configured" && generation === GENESIS ? [] : [{ server: server.name, target, generation }],
  );
}

export function sameTargets(
  { targets: left = [] }: Pick<Pointer, "targets">,
  right: readonly PointerTarget[],
): boolean {
  return (
    left.length === right.length &&
    left.every(({ server, target, generation }, at) => {
      const other = right[at];
      return other?.server === server && other.target === target && other.generation === generation;
    })
  );
}
