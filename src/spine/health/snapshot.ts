import { isRecord, memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import { type Fault, type FaultProblem, readFault } from "../fault/fault.ts";
import { type Generation, readGeneration } from "../fault/generation.ts";
import { isCount } from "../telemetry/counters.ts";
import { isLifecycleState, type LifecycleState } from "./lifecycle.ts";
import { isRolloutState, type RolloutState } from "./rollout-state.ts";
import { isWorkerHandshakePhase, type WorkerHandshakePhase } from "./worker-handshake.ts";

/** The base payload of every server's health (seed 004 "Health"), as it is on the wire. */
export interface HealthSnapshot {
  /** Never `ready` while `worker_handshake` is something else. */
  readonly state: LifecycleState;
  readonly worker_handshake: WorkerHandshakePhase;
  /** Grows with every replacement of the worker, as long as the public session lives. */
  readonly generation: Generation;
  /** Of this process alone: it starts again at zero where the counters go on. */
  readonly uptime_ms: number;
  /** Faults that called for recovery since a request last succeeded. */
  readonly consecutive_failures: number;
  /** Replacements of the worker, kept when the host itself is replaced. */
  readonly restart_count: number;
  /** Absent where the server knows no rollouts. */
  readonly rollout?: RolloutState;
  readonly last_fault?: Fault;
}

/** The names of the base payload, in the wire's order, those of absent members too. */
export const HEALTH_MEMBERS = [
  "state",
  "worker_handshake",
  "generation",
  "uptime_ms",
  "consecutive_failures",
  "restart_count",
  "rollout",
  "last_fault",
] as const satisfies readonly (keyof HealthSnapshot)[];

export type HealthProblem =
  | { readonly reason: "not_an_object" }
  | { readonly reason: "invalid_member"; readonly member: keyof HealthSnapshot }
  | { readonly reason: "invalid_fault"; readonly problem: FaultProblem }
  /** `ready`, and the worker is not. */
  | { readonly reason: "false_ready" }
  /** More replacements than a generation that grows with each of them can count. */
  | { readonly reason: "restarts_beyond_generation" }
  | { readonly reason: "fault_of_later_generation" };

/**
 * Judges a snapshot, our own before it is sent and one from JSON alike, and makes it anew with its members in the wire's
 * order. Members beyond the base are a consumer's own and left out: `extensionOf` reads them. A null `rollout` or
 * `last_fault` is none.
 */
export function readHealthSnapshot(value: unknown): Result<HealthSnapshot, HealthProblem> {
  if (!isRecord(value)) return fail({ reason: "not_an_object" });
  const state = memberOf(value, "state");
  if (!isLifecycleState(state)) return invalid("state");
  const handshake = memberOf(value, "worker_handshake");
  if (!isWorkerHandshakePhase(handshake)) return invalid("worker_handshake");
  const generation = readGeneration(memberOf(value, "generation"));
  if (!generation.ok) return invalid("generation");
  const uptime = memberOf(value, "uptime_ms");
  if (!isCount(uptime)) return invalid("uptime_ms");
  const failures = memberOf(value, "consecutive_failures");
  if (!isCount(failures)) return invalid("consecutive_failures");
  const restarts = memberOf(value, "restart_count");
  if (!isCount(restarts)) return invalid("restart_count");
  const rollout = memberOf(value, "rollout") ?? undefined;
  if (rollout !== undefined && !isRolloutState(rollout)) return invalid("rollout");
  const written = memberOf(value, "last_fault") ?? undefined;
  const fault = written === undefined ? ok(undefined) : readFault(written);
  if (!fault.ok) return fail({ reason: "invalid_fault", problem: fault.reason });

  if (state === "ready" && handshake !== "ready") return fail({ reason: "false_ready" });
  if (restarts >= generation.value) return fail({ reason: "restarts_beyond_generation" });
  if (fault.value !== undefined && fault.value.generation > generation.value) {
    return fail({ reason: "fault_of_later_generation" });
  }
  return ok({
    state,
    worker_handshake: handshake,
    generation: generation.value,
    uptime_ms: uptime,
    consecutive_failures: failures,
    restart_count: restarts,
    ...(rollout === undefined ? {} : { rollout }),
    ...(fault.value === undefined ? {} : { last_fault: fault.value }),
  });
}

function invalid(member: keyof HealthSnapshot): Result<never, HealthProblem> {
  return fail({ reason: "invalid_member", member });
}
