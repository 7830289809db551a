import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REPLAY_CONTRACTS } from "../../../src/spine/replay/contract.ts";
import { toolContract } from "../../../src/spine/replay/tool-contract.ts";

const noRule = () => undefined;

describe("a tool's contract", () => {
  it.each([
    ["no annotations", undefined, "never_replay"],
    ["nothing said", {}, "never_replay"],
    ["read-only", { readOnlyHint: true }, "convergent"],
    ["idempotent", { idempotentHint: true }, "convergent"],
    ["read-only, not idempotent", { readOnlyHint: true, idempotentHint: false }, "convergent"],
    ["writing, idempotent", { readOnlyHint: false, idempotentHint: true }, "convergent"],
    ["idempotent, destructive", { idempotentHint: true, destructiveHint: true }, "convergent"],
    ["read-only, not destructive", { readOnlyHint: true, destructiveHint: false }, "convergent"],
    ["read-only, destructive", { readOnlyHint: true, destructiveHint: true }, "never_replay"],
    [
      "read-only, destructive, idempotent",
      { readOnlyHint: true, destructiveHint: true, idempotentHint: true },
      "never_replay",
    ],
    ["read-only, destructive in words", { readOnlyHint: true, destructiveHint: "yes" }, "never_replay"],
    ["read-only, destructive null", { readOnlyHint: true, destructiveHint: null }, "never_replay"],
    ["not read-only", { readOnlyHint: false, idempotentHint: false }, "never_replay"],
    ["read-only in words", { readOnlyHint: "true" }, "never_replay"],
    ["read-only as a number", { readOnlyHint: 1, idempotentHint: 1 }, "never_replay"],
    ["read-only in an object", { readOnlyHint: { valueOf: true } }, "never_replay"],
    ["a list", [true], "never_replay"],
    ["a text", "readOnlyHint", "never_replay"],
    ["inherited hints", Object.create({ readOnlyHint: true }), "never_replay"],
    ["another case", { readonlyHint: true, ReadOnlyHint: true }, "never_replay"],
  ] as const)("of a trusted server, %s, %j: %s", (_, annotations: unknown, contract) => {
    expect(toolContract({ name: "t", annotations, trusted: true }, noRule)).toBe(contract);
  });

  it("is decided by the operator's rule first, of trusted servers too", () => {
    const evidence = { name: "create_issue", annotations: { readOnlyHint: true }, trusted: true };
    for (const contract of REPLAY_CONTRACTS) {
      const rule = (name: string) => (name === "create_issue" ? contract : undefined);
      expect(toolContract(evidence, rule)).toBe(contract);
      expect(toolContract({ ...evidence, trusted: false }, rule)).toBe(contract);
      expect(toolContract({ ...evidence, name: "other" }, rule)).toBe("convergent");
    }
  });

  it("is never to run again where the server is not trusted, whatever it hints", () => {
    fc.assert(
      fc.property(fc.anything(), (annotations) => {
        expect(toolContract({ name: "t", annotations, trusted: false }, noRule)).toBe("never_replay");
      }),
    );
    const hint = fc.constantFrom(true, false, "true", null, 1);
    fc.assert(
      fc.property(
        fc.record(
          { readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint },
          { requiredKeys: [] },
        ),
        (annotations) => {
          expect(toolContract({ name: "t", annotations, trusted: false }, noRule)).toBe("never_replay");
        },
      ),
    );
  });

  it("is never to run again where nothing says `true`, of a trusted server too", () => {
    const hint = fc.anything().filter((value) => value !== true);
    const hints = fc.record({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint });
    fc.assert(
      fc.property(fc.oneof(hints, fc.anything()), (annotations) => {
        expect(toolContract({ name: "t", annotations, trusted: true }, noRule)).toBe("never_replay");
      }),
    );
  });
});
