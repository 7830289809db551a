import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeSession } from "../../src/principal/session-standing.ts";
import type { SessionIntent, SessionRow } from "../../src/principal/session-standing.ts";

const EXPIRY_MS = 1000;
const judge = (intent: SessionIntent, row: SessionRow, nowMs = 0) =>
  judgeSession({ key: "k", expiresAtMs: EXPIRY_MS, intent }, row, nowMs);

describe("a session's standing", () => {
  it.each([
    ["open", null, { step: "insert" }],
    ["open", { ended: false }, { step: "proceed" }],
    ["open", { ended: true }, { step: "refuse", reason: "session_ended" }],
    ["use", null, { step: "refuse", reason: "session_unknown" }],
    ["use", { ended: false }, { step: "proceed" }],
    ["use", { ended: true }, { step: "refuse", reason: "session_ended" }],
    ["end", null, { step: "refuse", reason: "session_unknown" }],
    ["end", { ended: false }, { step: "mark_ended" }],
    ["end", { ended: true }, { step: "refuse", reason: "session_ended" }],
  ] as const)("to %s with row %j: %j", (intent, row, step) => {
    expect(judge(intent, row)).toEqual(step);
    expect(judge(intent, row, EXPIRY_MS - 1)).toEqual(step);
    expect(judge(intent, row, EXPIRY_MS)).toEqual({ step: "refuse", reason: "session_expired" });
  });

  it("never comes back from its end, in any order of calls", () => {
    const intents = fc.array(fc.constantFrom<SessionIntent>("open", "use", "end"), { maxLength: 20 });
    fc.assert(
      fc.property(intents, (calls) => {
        let row: SessionRow = null;
        let ended = false;
        for (const intent of calls) {
          const { step } = judge(intent, row);
          expect(ended && step !== "refuse").toBe(false);
          if (step === "insert") row = { ended: false };
          if (step === "mark_ended") {
            row = { ended: true };
            ended = true;
          }
        }
      }),
    );
  });
});
