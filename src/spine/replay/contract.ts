import { fail, ok, type Result } from "../../result.ts";

/**
 * What an operation promises about running again (seed 004 "Replay"): `convergent` may, since it arrives at the same
 * observable result; `probe_required` may once somebody has shown that the first attempt took no effect; `never_replay`
 * fails instead.
 */
export const REPLAY_CONTRACTS = ["convergent", "probe_required", "never_replay"] as const;

export type ReplayContract = (typeof REPLAY_CONTRACTS)[number];

function isReplayContract(value: unknown): value is ReplayContract {
  return REPLAY_CONTRACTS.some((contract) => contract === value);
}

export function readReplayContract(value: unknown): Result<ReplayContract, "unknown_replay_contract"> {
  return isReplayContract(value) ? ok(value) : fail("unknown_replay_contract");
}
