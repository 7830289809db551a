import { compareCodePoints } from "../../code-points.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { Fault } from "../fault/fault.ts";
import type { Generation } from "../fault/generation.ts";
import type { LifecycleState } from "../health/lifecycle.ts";
import { reportedState } from "../health/reported-state.ts";
import type { RolloutState } from "../health/rollout-state.ts";
import type { HealthSnapshot } from "../health/snapshot.ts";
import type { WorkerHandshakePhase } from "../health/worker-handshake.ts";
import { averageLatencyMs, type MethodAggregate } from "./aggregate.ts";
import { type CallCounters, isCount } from "./counters.ts";
import type { OperationalLedger } from "./ledger.ts";

/** The counters of all calls together. */
export type TelemetryTotals = CallCounters;

/** Counters and times of some calls. Latencies are whole milliseconds of outcomes that were timed; the average drops the rest. */
export interface CallTelemetry extends CallCounters {
  readonly last_latency_ms?: number;
  readonly max_latency_ms: number;
  readonly avg_latency_ms: number;
  /** A code, never a text. */
  readonly last_error?: string;
}

export interface MethodTelemetry extends CallTelemetry {
  readonly method: string;
}

/** The base payload of every server's telemetry (seed 004 "Telemetry"), as it is on the wire. */
export interface TelemetrySnapshot {
  readonly uptime_ms: number;
  readonly state: LifecycleState;
  readonly worker_handshake: WorkerHandshakePhase;
  readonly generation: Generation;
  readonly consecutive_failures: number;
  readonly restart_count: number;
  readonly totals: TelemetryTotals;
  /** In the order of code points. */
  readonly methods: readonly MethodTelemetry[];
  /** Calls that have no row of their own, where there are any: with the rows they make up the totals. */
  readonly other_methods?: CallTelemetry;
  readonly last_fault?: Fault;
}

/** What a process knows of itself beside the ledger. */
export interface ProcessStanding {
  readonly uptimeMs: number;
  /** What the host believes; a `ready` that the handshake does not bear out is reported as `recovering`. */
  readonly lifecycle: LifecycleState;
  readonly handshake: WorkerHandshakePhase;
  readonly rollout?: RolloutState;
}

/** The telemetry payload. */
export function telemetrySnapshot(
  ledger: OperationalLedger,
  standing: ProcessStanding,
): Result<TelemetrySnapshot, "invalid_uptime"> {
  if (!isCount(standing.uptimeMs)) return fail("invalid_uptime");
  return ok({
    uptime_ms: standing.uptimeMs,
    state: reportedState(standing.lifecycle, standing.handshake),
    worker_handshake: standing.handshake,
    generation: ledger.generation,
    consecutive_failures: ledger.consecutiveFailures,
    restart_count: ledger.restartCount,
    totals: { ...ledger.totals },
    methods: [...ledger.methods]
      .sort(([left], [right]) => compareCodePoints(left, right))
      .map(([method, aggregate]) => methodTelemetry(method, aggregate)),
    ...(ledger.other === null ? {} : { other_methods: callTelemetry(ledger.other) }),
    ...(ledger.lastFault === null ? {} : { last_fault: ledger.lastFault }),
  });
}

/** The health payload, from the same ledger, so that the two never tell different stories. */
export function healthSnapshot(
  ledger: OperationalLedger,
  standing: ProcessStanding,
): Result<HealthSnapshot, "invalid_uptime"> {
  if (!isCount(standing.uptimeMs)) return fail("invalid_uptime");
  return ok({
    state: reportedState(standing.lifecycle, standing.handshake),
    worker_handshake: standing.handshake,
    generation: ledger.generation,
    uptime_ms: standing.uptimeMs,
    consecutive_failures: ledger.consecutiveFailures,
    restart_count: ledger.restartCount,
    ...(standing.rollout === undefined ? {} : { rollout: standing.rollout }),
    ...(ledger.lastFault === null ? {} : { last_fault: ledger.lastFault }),
  });
}

function methodTelemetry(method: string, aggregate: MethodAggregate): MethodTelemetry {
  return { method, ...callTelemetry(aggregate) };
}

function callTelemetry(aggregate: MethodAggregate): CallTelemetry {
  return {
    ...aggregate.counters,
    ...(aggregate.lastLatencyMs === null ? {} : { last_latency_ms: aggregate.lastLatencyMs }),
    max_latency_ms: aggregate.maxLatencyMs,
    avg_latency_ms: averageLatencyMs(aggregate),
    ...(aggregate.lastError === null ? {} : { last_error: aggregate.lastError }),
  };
}
