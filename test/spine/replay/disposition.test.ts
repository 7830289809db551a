import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REPLAY_CONTRACTS, type ReplayContract } from "../../../src/spine/replay/contract.ts";
import {
  REQUEST_DISPOSITIONS,
  type RequestDisposition,
  requestDisposition,
} from "../../../src/spine/replay/disposition.ts";
import { EXECUTION_KNOWLEDGE, type ExecutionKnowledge } from "../../../src/spine/replay/knowledge.ts";
import { PROBE_RESOLUTIONS, type ProbeResolution } from "../../../src/spine/replay/probe.ts";
import { allowance } from "./unwrap.ts";

type Row = readonly [
  knowledge: ExecutionKnowledge,
  contract: ReplayContract,
  probe: ProbeResolution | undefined,
  attemptLeft: RequestDisposition,
  noneLeft: RequestDisposition,
];

const NONE = undefined;
const UNEXPECTED = ["reject_unexpected_probe_resolution", "reject_unexpected_probe_resolution"] as const;

const TABLE: readonly Row[] = [
  ["not_dispatched", "convergent", NONE, "first_dispatch", "first_dispatch"],
  ["not_dispatched", "convergent", "already_completed", ...UNEXPECTED],
  ["not_dispatched", "convergent", "safe_to_replay", ...UNEXPECTED],
  ["not_dispatched", "probe_required", NONE, "first_dispatch", "first_dispatch"],
  ["not_dispatched", "probe_required", "already_completed", ...UNEXPECTED],
  ["not_dispatched", "probe_required", "safe_to_replay", ...UNEXPECTED],
  ["not_dispatched", "never_replay", NONE, "first_dispatch", "first_dispatch"],
  ["not_dispatched", "never_replay", "already_completed", ...UNEXPECTED],
  ["not_dispatched", "never_replay", "safe_to_replay", ...UNEXPECTED],
  ["in_flight", "convergent", NONE, "await_terminal", "await_terminal"],
  ["in_flight", "convergent", "already_completed", ...UNEXPECTED],
  ["in_flight", "convergent", "safe_to_replay", ...UNEXPECTED],
  ["in_flight", "probe_required", NONE, "await_terminal", "await_terminal"],
  ["in_flight", "probe_required", "already_completed", ...UNEXPECTED],
  ["in_flight", "probe_required", "safe_to_replay", ...UNEXPECTED],
  ["in_flight", "never_replay", NONE, "await_terminal", "await_terminal"],
  ["in_flight", "never_replay", "already_completed", ...UNEXPECTED],
  ["in_flight", "never_replay", "safe_to_replay", ...UNEXPECTED],
  ["completed", "convergent", NONE, "completed", "completed"],
  ["completed", "convergent", "already_completed", ...UNEXPECTED],
  ["completed", "convergent", "safe_to_replay", ...UNEXPECTED],
  ["completed", "probe_required", NONE, "completed", "completed"],
  ["completed", "probe_required", "already_completed", ...UNEXPECTED],
  ["completed", "probe_required", "safe_to_replay", ...UNEXPECTED],
  ["completed", "never_replay", NONE, "completed", "completed"],
  ["completed", "never_replay", "already_completed", ...UNEXPECTED],
  ["completed", "never_replay", "safe_to_replay", ...UNEXPECTED],
  ["outcome_unknown", "convergent", NONE, "replay", "reject_replay_exhausted"],
  ["outcome_unknown", "convergent", "already_completed", ...UNEXPECTED],
  ["outcome_unknown", "convergent", "safe_to_replay", ...UNEXPECTED],
  ["outcome_unknown", "probe_required", NONE, "hold_for_probe", "hold_for_probe"],
  ["outcome_unknown", "probe_required", "already_completed", "complete_from_probe", "complete_from_probe"],
  ["outcome_unknown", "probe_required", "safe_to_replay", "replay", "reject_replay_exhausted"],
  ["outcome_unknown", "never_replay", NONE, "reject_ambiguous_outcome", "reject_ambiguous_outcome"],
  ["outcome_unknown", "never_replay", "already_completed", ...UNEXPECTED],
  ["outcome_unknown", "never_replay", "safe_to_replay", ...UNEXPECTED],
];

describe("the decision table", () => {
  it.each(TABLE)(
    "%s, %s, probe %s: %s, or %s with no attempt left",
    (knowledge, contract, probe, left, none) => {
      expect(requestDisposition(knowledge, contract, probe, allowance(0, 1))).toBe(left);
      expect(requestDisposition(knowledge, contract, probe, allowance(1, 1))).toBe(none);
      expect(requestDisposition(knowledge, contract, probe, allowance(0, 0))).toBe(none);
    },
  );

  it("is written out for every knowledge, contract and probe, and reaches every disposition", () => {
    const probes = [NONE, ...PROBE_RESOLUTIONS];
    const all = EXECUTION_KNOWLEDGE.flatMap((knowledge) =>
      REPLAY_CONTRACTS.flatMap((contract) => probes.map((probe) => `${knowledge} ${contract} ${probe}`)),
    );
    expect(TABLE.map(([knowledge, contract, probe]) => `${knowledge} ${contract} ${probe}`)).toEqual(all);
    expect(new Set(TABLE.flatMap(([, , , left, none]) => [left, none]))).toEqual(
      new Set(REQUEST_DISPOSITIONS),
    );
  });
});

describe("laws of the decision table", () => {
  const counts = fc.integer({ min: 0, max: 255 });
  const asked = {
    knowledge: fc.constantFrom(...EXECUTION_KNOWLEDGE),
    contract: fc.constantFrom(...REPLAY_CONTRACTS),
    probe: fc.constantFrom(NONE, ...PROBE_RESOLUTIONS),
    used: counts,
    max: counts,
  };
  const everyAsked = (
    law: (
      decided: RequestDisposition,
      ask: {
        knowledge: ExecutionKnowledge;
        contract: ReplayContract;
        probe: ProbeResolution | undefined;
        used: number;
        max: number;
      },
    ) => void,
  ) => {
    fc.assert(
      fc.property(fc.record(asked), (ask) => {
        const { knowledge, contract, probe, used, max } = ask;
        law(requestDisposition(knowledge, contract, probe, allowance(used, max)), ask);
      }),
      { numRuns: 2_000 },
    );
  };

  it("nothing that may never run again is replayed", () => {
    everyAsked((decided, { contract }) => {
      expect(contract === "never_replay" && decided === "replay").toBe(false);
    });
  });

  it("a first dispatch is of what was never dispatched, and all of that without a probe is one", () => {
    everyAsked((decided, { knowledge, probe }) => {
      expect(decided === "first_dispatch").toBe(knowledge === "not_dispatched" && probe === NONE);
    });
  });

  it("a replay is of an unknown outcome within the allowance, and is refused for want of one only beyond it", () => {
    everyAsked((decided, { knowledge, used, max }) => {
      const within = used < max;
      expect(decided !== "replay" || (within && knowledge === "outcome_unknown")).toBe(true);
      expect(decided !== "reject_replay_exhausted" || !within).toBe(true);
    });
  });

  it("what needs a probe waits for one, whatever attempts there are", () => {
    everyAsked((decided, { knowledge, contract, probe }) => {
      const waits = knowledge === "outcome_unknown" && contract === "probe_required" && probe === NONE;
      expect(decided === "hold_for_probe").toBe(waits);
    });
  });
});
