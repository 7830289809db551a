import { GENESIS } from "../spine/fault/generation.ts";
import type { RolloutState } from "../spine/health/rollout-state.ts";
import type { HealthSnapshot } from "../spine/health/snapshot.ts";
import { isCount } from "../spine/telemetry/counters.ts";
import { openLedger, type OperationalLedger } from "../spine/telemetry/ledger.ts";
import { readLedger } from "../spine/telemetry/ledger-json.ts";
import {
  healthSnapshot,
  type ProcessStanding,
  telemetrySnapshot,
  type TelemetrySnapshot,
} from "../spine/telemetry/snapshot.ts";

type Standing = Pick<ProcessStanding, "lifecycle" | "handshake">;

/** A ledger out of a view. One that cannot be read was written by another version, and is shown as nothing yet. */
export function ledgerOf(stored: unknown): OperationalLedger {
  const read = readLedger(stored);
  return read.ok ? read.value : openLedger(GENESIS);
}

/** How an upstream fares, from what its calls and listings came to: nobody asks it for that. */
function standingOf({ totals, consecutiveFailures }: OperationalLedger): Standing {
  if (consecutiveFailures > 0) return { lifecycle: "recovering", handshake: "failed" };
  if (totals.success_count + totals.response_error_count > 0)
    return { lifecycle: "ready", handshake: "ready" };
  if (totals.request_count > 0) return { lifecycle: "starting", handshake: "starting" };
  return { lifecycle: "cold", handshake: "absent" };
}

export function healthOf(
  ledger: OperationalLedger,
  uptimeMs: number,
  rollout: RolloutState | undefined,
): HealthSnapshot {
  const standing = {
    ...standingOf(ledger),
    uptimeMs: wholeMs(uptimeMs),
    ...(rollout === undefined ? {} : { rollout }),
  };
  const health = healthSnapshot(ledger, standing);
  // Its time was just made one that is legal.
  if (!health.ok) throw new RangeError(health.reason);
  return health.value;
}

export function telemetryOf(
  ledger: OperationalLedger,
  standing: Standing,
  uptimeMs: number,
): TelemetrySnapshot {
  const telemetry = telemetrySnapshot(ledger, { ...standing, uptimeMs: wholeMs(uptimeMs) });
  if (!telemetry.ok) throw new RangeError(telemetry.reason);
  return telemetry.value;
}

function wholeMs(value: number): number {
  return isCount(value) ? value : 0;
}
