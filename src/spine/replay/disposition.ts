import { nextAttempt, type ReplayAllowance } from "./allowance.ts";
import type { ReplayContract } from "./contract.ts";
import type { ExecutionKnowledge } from "./knowledge.ts";
import type { ProbeResolution } from "./probe.ts";

/** What happens to a request now. */
export const REQUEST_DISPOSITIONS = [
  "first_dispatch",
  "await_terminal",
  "completed",
  "replay",
  "hold_for_probe",
  "complete_from_probe",
  "reject_ambiguous_outcome",
  "reject_replay_exhausted",
  "reject_unexpected_probe_resolution",
] as const;

export type RequestDisposition = (typeof REQUEST_DISPOSITIONS)[number];

/**
 * The one place that says whether a request may run, and run again: total, pure, and blind to faults and to what became
 * of the worker. A first dispatch is no replay and needs no allowance.
 */
export function requestDisposition(
  knowledge: ExecutionKnowledge,
  contract: ReplayContract,
  probe: ProbeResolution | undefined,
  allowance: ReplayAllowance,
): RequestDisposition {
  const probeFits = knowledge === "outcome_unknown" && contract === "probe_required";
  if (probe !== undefined && !probeFits) return "reject_unexpected_probe_resolution";
  switch (knowledge) {
    case "not_dispatched":
      return "first_dispatch";
    case "in_flight":
      return "await_terminal";
    case "completed":
      return "completed";
    case "outcome_unknown":
      return ofUnknownOutcome(contract, probe, allowance);
  }
}

function ofUnknownOutcome(
  contract: ReplayContract,
  probe: ProbeResolution | undefined,
  allowance: ReplayAllowance,
): RequestDisposition {
  switch (contract) {
    case "convergent":
      return replayWithin(allowance);
    case "probe_required":
      return ofProbe(probe, allowance);
    case "never_replay":
      return "reject_ambiguous_outcome";
  }
}

function ofProbe(probe: ProbeResolution | undefined, allowance: ReplayAllowance): RequestDisposition {
  switch (probe) {
    case undefined:
      return "hold_for_probe";
    case "already_completed":
      return "complete_from_probe";
    case "safe_to_replay":
      return replayWithin(allowance);
  }
}

function replayWithin(allowance: ReplayAllowance): RequestDisposition {
  return nextAttempt(allowance) === undefined ? "reject_replay_exhausted" : "replay";
}
