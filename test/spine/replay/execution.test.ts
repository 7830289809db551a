import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Result } from "../../../src/result.ts";
import { REPLAY_CONTRACTS, type ReplayContract } from "../../../src/spine/replay/contract.ts";
import {
  acceptTerminal,
  dispatch,
  dispositionOf,
  type Execution,
  loseWorker,
  NEW_EXECUTION,
  readExecution,
  type ReplayTerms,
  retractDispatch,
} from "../../../src/spine/replay/execution.ts";
import { PROBE_RESOLUTIONS, type ProbeResolution } from "../../../src/spine/replay/probe.ts";
import type { TransitionError } from "../../../src/spine/replay/transition.ts";
import { count, unwrap } from "./unwrap.ts";

const terms = (contract: ReplayContract, max: number): ReplayTerms => ({
  contract,
  max_attempts: count(max),
});
const lost = (under: ReplayTerms) => loseWorker(unwrap(dispatch(NEW_EXECUTION, under)));

describe("an execution", () => {
  it("counts a replay when it is sent, and neither a first dispatch, a loss, a decision nor an answer", () => {
    const under = terms("convergent", 2);
    const first = unwrap(dispatch(NEW_EXECUTION, under));
    expect(first).toEqual({ knowledge: "in_flight", attempts_used: 0 });
    const after = loseWorker(first);
    expect(after).toEqual({ knowledge: "outcome_unknown", attempts_used: 0 });
    for (let queued = 0; queued < 5; queued += 1) expect(dispositionOf(after, under)).toBe("replay");
    const second = unwrap(dispatch(after, under));
    expect(second).toEqual({ knowledge: "in_flight", attempts_used: 1 });
    expect(unwrap(acceptTerminal(second))).toEqual({ knowledge: "completed", attempts_used: 1 });
  });

  it("of a call that may never run again is refused after a loss, and takes its late answer once", () => {
    const under = terms("never_replay", 255);
    const unknown = lost(under);
    expect(dispatch(unknown, under)).toEqual({
      ok: false,
      reason: {
        reason: "dispatch_not_authorised",
        knowledge: "outcome_unknown",
        disposition: "reject_ambiguous_outcome",
      },
    });
    const late = unwrap(acceptTerminal(unknown));
    expect(late.knowledge).toBe("completed");
    expect(acceptTerminal(late)).toEqual({
      ok: false,
      reason: { reason: "no_answer_expected", knowledge: "completed" },
    });
  });

  it("waits for a probe, and is completed or sent again by what the probe finds", () => {
    const under = terms("probe_required", 1);
    const unknown = lost(under);
    expect(dispatch(unknown, under).ok).toBe(false);
    expect(dispositionOf(unknown, under, "already_completed")).toBe("complete_from_probe");
    expect(dispatch(unknown, under, "already_completed").ok).toBe(false);
    expect(unwrap(acceptTerminal(unknown)).knowledge).toBe("completed");
    expect(unwrap(dispatch(unknown, under, "safe_to_replay"))).toEqual({
      knowledge: "in_flight",
      attempts_used: 1,
    });
  });

  it("is never in flight twice", () => {
    const under = terms("convergent", 255);
    const flying = unwrap(dispatch(NEW_EXECUTION, under));
    expect(dispatch(flying, under)).toEqual({
      ok: false,
      reason: { reason: "dispatch_not_authorised", knowledge: "in_flight", disposition: "await_terminal" },
    });
  });

  it("proven unsent is as new, but after a replay the lost attempt stays unknown and counted", () => {
    const under = terms("convergent", 1);
    const flying = unwrap(dispatch(NEW_EXECUTION, under));
    expect(retractDispatch(flying)).toEqual({ ok: true, value: NEW_EXECUTION });
    const replayed = unwrap(dispatch(loseWorker(flying), under));
    const back = unwrap(retractDispatch(replayed));
    expect(back).toEqual({ knowledge: "outcome_unknown", attempts_used: 1 });
    expect(dispositionOf(back, under)).toBe("reject_replay_exhausted");
    expect(retractDispatch(back)).toEqual({
      ok: false,
      reason: { reason: "nothing_in_flight", knowledge: "outcome_unknown" },
    });
  });
});

type Move =
  | { readonly kind: "lose" | "answer" | "retract"; readonly probe: undefined }
  | { readonly kind: "dispatch"; readonly probe: ProbeResolution | undefined };

function moved(execution: Execution, move: Move, under: ReplayTerms): Result<Execution, TransitionError> {
  switch (move.kind) {
    case "dispatch":
      return dispatch(execution, under, move.probe);
    case "lose":
      return { ok: true, value: loseWorker(execution) };
    case "answer":
      return acceptTerminal(execution);
    case "retract":
      return retractDispatch(execution);
  }
}

describe("any sequence of moves", () => {
  const move: fc.Arbitrary<Move> = fc.oneof(
    fc.record({
      kind: fc.constant("dispatch" as const),
      probe: fc.constantFrom(undefined, undefined, ...PROBE_RESOLUTIONS),
    }),
    fc.record({
      kind: fc.constantFrom("lose" as const, "lose" as const, "answer" as const, "retract" as const),
      probe: fc.constant(undefined),
    }),
  );
  const life = fc.record({
    contract: fc.constantFrom(...REPLAY_CONTRACTS),
    max: fc.integer({ min: 0, max: 3 }),
    moves: fc.array(move, { maxLength: 24 }),
  });

  it("keeps the laws of authorised repetition and of the single terminal outcome", () => {
    fc.assert(
      fc.property(life, ({ contract, max, moves }) => {
        const under = terms(contract, max);
        let execution = NEW_EXECUTION;
        const seen = { first: 0, replays: 0, retracted: 0, terminals: 0 };
        for (const move of moves) {
          const before = Object.freeze({ ...execution });
          const next = moved(before, move, under);
          if (!next.ok) continue;
          execution = next.value;
          const first = before.knowledge === "not_dispatched";
          const still = before.knowledge !== "completed" || execution.knowledge === "completed";
          const probed = first || contract !== "probe_required" || move.probe === "safe_to_replay";
          if (move.kind === "dispatch") seen[first ? "first" : "replays"] += 1;
          if (move.kind === "answer") seen.terminals += 1;
          if (move.kind === "retract") seen.retracted += 1;

          expect({ still, probed: move.kind !== "dispatch" || probed }).toEqual({
            still: true,
            probed: true,
          });
          expect(execution.attempts_used).toBe(seen.replays);
          expect(seen.replays).toBeLessThanOrEqual(contract === "never_replay" ? 0 : max);
          expect(seen.terminals).toBe(execution.knowledge === "completed" ? 1 : 0);
          // Attempts of which nobody has proven that they never left.
          const possible = seen.first + seen.replays - seen.retracted;
          expect(possible).toBeLessThanOrEqual(contract === "never_replay" ? 1 : 1 + max);
          expect(readExecution(JSON.parse(JSON.stringify(execution)))).toEqual({
            ok: true,
            value: execution,
          });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("an execution read from a journal", () => {
  it.each([
    [{ knowledge: "lost", attempts_used: 0 }, "unknown_execution_knowledge"],
    [{ knowledge: "in_flight" }, "invalid_attempt_count"],
    [{ knowledge: "in_flight", attempts_used: 256 }, "invalid_attempt_count"],
    [{ knowledge: "not_dispatched", attempts_used: 1 }, "contradictory_execution"],
    [null, "unknown_execution_knowledge"],
    [["in_flight", 0], "unknown_execution_knowledge"],
  ])("%j is refused: %s", (value, reason) => {
    expect(readExecution(value)).toEqual({ ok: false, reason });
  });

  it("is a judgement about anything", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readExecution(value).ok).toBe(false);
      }),
    );
  });
});
