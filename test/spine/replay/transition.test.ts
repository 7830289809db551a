import { describe, expect, it } from "vitest";
import { REQUEST_DISPOSITIONS } from "../../../src/spine/replay/disposition.ts";
import { EXECUTION_KNOWLEDGE } from "../../../src/spine/replay/knowledge.ts";
import { afterDispatch, afterTerminal, afterWorkerLoss } from "../../../src/spine/replay/transition.ts";

describe("worker loss", () => {
  it.each([
    ["not_dispatched", "not_dispatched"],
    ["in_flight", "outcome_unknown"],
    ["completed", "completed"],
    ["outcome_unknown", "outcome_unknown"],
  ] as const)("makes %s %s", (before, after) => {
    expect(afterWorkerLoss(before)).toBe(after);
  });
});

describe("dispatch", () => {
  const pairs = EXECUTION_KNOWLEDGE.flatMap((knowledge) =>
    REQUEST_DISPOSITIONS.map((disposition) => ({ knowledge, disposition })),
  );

  it("is allowed for two pairs of knowledge and disposition, and refused with the pair for all others", () => {
    const allowed = pairs.filter(({ knowledge, disposition }) => afterDispatch(knowledge, disposition).ok);
    expect(allowed).toEqual([
      { knowledge: "not_dispatched", disposition: "first_dispatch" },
      { knowledge: "outcome_unknown", disposition: "replay" },
    ]);
    const refused = pairs.filter((pair) => !allowed.includes(pair));
    for (const { knowledge, disposition } of allowed) {
      expect(afterDispatch(knowledge, disposition)).toEqual({ ok: true, value: "in_flight" });
    }
    for (const { knowledge, disposition } of refused) {
      const reason = { reason: "dispatch_not_authorised", knowledge, disposition };
      expect(afterDispatch(knowledge, disposition)).toEqual({ ok: false, reason });
    }
    expect(refused).toHaveLength(34);
  });
});

describe("a terminal answer", () => {
  it.each(["in_flight", "outcome_unknown"] as const)("completes what is %s", (knowledge) => {
    expect(afterTerminal(knowledge)).toEqual({ ok: true, value: "completed" });
  });

  it.each(["not_dispatched", "completed"] as const)("is an error for what is %s", (knowledge) => {
    expect(afterTerminal(knowledge)).toEqual({
      ok: false,
      reason: { reason: "no_answer_expected", knowledge },
    });
  });
});
