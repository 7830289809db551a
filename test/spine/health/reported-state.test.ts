import { describe, expect, it } from "vitest";
import { LIFECYCLE_STATES } from "../../../src/spine/health/lifecycle.ts";
import { reportedState } from "../../../src/spine/health/reported-state.ts";
import { ROLLOUT_STATES } from "../../../src/spine/health/rollout-state.ts";
import { WORKER_HANDSHAKE_PHASES } from "../../../src/spine/health/worker-handshake.ts";

describe("the words of health", () => {
  it("are the specification's", () => {
    expect(LIFECYCLE_STATES).toEqual(["cold", "starting", "ready", "recovering"]);
    expect(ROLLOUT_STATES).toEqual(["stable", "pending", "reloading"]);
    expect(WORKER_HANDSHAKE_PHASES).toEqual(["absent", "starting", "initializing", "ready", "failed"]);
  });
});

describe("the state that is reported", () => {
  const pairs = LIFECYCLE_STATES.flatMap((lifecycle) =>
    WORKER_HANDSHAKE_PHASES.map((handshake) => ({ lifecycle, handshake })),
  );

  it.each(pairs)("is ready only when both are: $lifecycle, $handshake", ({ lifecycle, handshake }) => {
    const both = lifecycle === "ready" && handshake === "ready";
    expect(reportedState(lifecycle, handshake) === "ready").toBe(both);
  });

  it.each(pairs)("else takes nothing back: $lifecycle, $handshake", ({ lifecycle, handshake }) => {
    const demoted = lifecycle === "ready" && handshake !== "ready";
    expect(reportedState(lifecycle, handshake)).toBe(demoted ? "recovering" : lifecycle);
  });
});
