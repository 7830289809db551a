import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAULT_CLASSES } from "../../../src/spine/fault/fault-class.ts";
import { readFaultCode } from "../../../src/spine/fault/fault-code.ts";
import { createFault, readFault } from "../../../src/spine/fault/fault.ts";
import { GENESIS } from "../../../src/spine/fault/generation.ts";
import { RECOVERY_HINTS } from "../../../src/spine/fault/recovery-hint.ts";
import { unwrap } from "../replay/unwrap.ts";

const WIRE = {
  generation: 3,
  class: "timeout",
  code: "deadline",
  recovery_hint: "replace_worker",
  detail: "no answer",
};

describe("a fault", () => {
  it("has the taxonomy's words", () => {
    expect(FAULT_CLASSES).toEqual([
      "transport",
      "process",
      "protocol",
      "timeout",
      "downstream",
      "resource",
      "replay",
      "rollout",
      "invariant",
      "ambiguous_outcome",
    ]);
    expect(RECOVERY_HINTS).toEqual(["keep_worker", "replace_worker", "roll_forward", "abort_host"]);
  });

  it("is its own wire payload, with its members in order", () => {
    const fault = createFault({ detail: "x", code: "deadline", class: "timeout", generation: GENESIS });
    expect(JSON.stringify(fault)).toBe('{"generation":1,"class":"timeout","code":"deadline","detail":"x"}');
    expect(JSON.stringify(unwrap(readFault(WIRE)))).toBe(JSON.stringify(WIRE));
  });

  it.each([
    ["not_an_object", null],
    ["not_an_object", []],
    ["not_an_object", "fault"],
    ["invalid_generation", { ...WIRE, generation: 0 }],
    ["invalid_generation", { ...WIRE, generation: "3" }],
    ["unknown_fault_class", { ...WIRE, class: "Timeout" }],
    ["unknown_fault_class", { ...WIRE, class: undefined }],
    ["invalid_fault_code", { ...WIRE, code: "" }],
    ["invalid_fault_code", { ...WIRE, code: "two words" }],
    ["unknown_recovery_hint", { ...WIRE, recovery_hint: "restart_and_replay" }],
    ["unknown_recovery_hint", { ...WIRE, recovery_hint: "" }],
    ["invalid_detail", { ...WIRE, detail: null }],
    ["invalid_detail", { ...WIRE, detail: ["x"] }],
    ["invalid_generation", Object.create(WIRE)],
  ])("is refused on reading: %s, %j", (reason, value: unknown) => {
    expect(readFault(value)).toEqual({ ok: false, reason });
  });

  it("is read without what it does not know, the orders of version 1.0 among it", () => {
    const { recovery_hint: _, ...rest } = WIRE;
    expect(
      unwrap(readFault({ ...rest, recovery_hint: null, directive: "restart_and_replay", x: 1 })),
    ).toEqual(rest);
  });

  it.each([
    ["a\n\tb\u001b[31mred\r\n", "a b [31mred"],
    ["x".repeat(256), "x".repeat(256)],
    ["x".repeat(257), `${"x".repeat(255)}…`],
    ["😀".repeat(300), `${"😀".repeat(255)}…`],
    [`${"x".repeat(254)} yy`, `${"x".repeat(254)}…`],
    ["\ud800", "\ufffd"],
    [" \u0000 \u2028\u202e ", ""],
  ])("has a detail of one bounded line: %j", (detail, line) => {
    expect(unwrap(readFault({ ...WIRE, detail })).detail).toBe(line);
  });

  it("is read back as it was written, with any detail and any code", () => {
    const code = fc.stringMatching(/^[a-z0-9_]{1,64}$/);
    const made = fc.record({
      class: fc.constantFrom(...FAULT_CLASSES),
      code: code.map((text) => unwrap(readFaultCode(text))),
      detail: fc.string({ unit: "binary", maxLength: 700 }),
      hint: fc.constantFrom({}, ...RECOVERY_HINTS.map((recovery_hint) => ({ recovery_hint }))),
    });
    fc.assert(
      fc.property(made, ({ hint, ...parts }) => {
        const fault = createFault({ generation: GENESIS, ...parts, ...hint });
        expect(Array.from(fault.detail).length).toBeLessThanOrEqual(256);
        expect(fault.detail).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029]/u);
        expect(readFault(JSON.parse(JSON.stringify(fault)))).toEqual({ ok: true, value: fault });
      }),
    );
  });

  it("is a judgement about anything", () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(...Object.keys(WIRE)), (value, member) => {
        expect(readFault(value).ok).toBe(false);
        expect(typeof readFault({ ...WIRE, [member]: value }).ok).toBe("boolean");
      }),
    );
  });
});
