import { describe, expect, it } from "vitest";
import { readReplayContract } from "../../../src/spine/replay/contract.ts";
import { NOTIFICATION_CONTRACT, requestMethodContract } from "../../../src/spine/replay/methods.ts";

const READING = [
  "initialize",
  "ping",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
];

describe("the contract of an MCP method", () => {
  it.each(READING)("%s converges", (method) => {
    expect(requestMethodContract(method)).toBe("convergent");
  });

  it("is the tool's for a call", () => {
    expect(requestMethodContract("tools/call")).toBe("by_tool");
  });

  it("is never to run again for every other method and every notification", () => {
    expect(NOTIFICATION_CONTRACT).toBe("never_replay");
    for (const method of [
      "",
      "logging/setLevel",
      "resources/subscribe",
      "Ping",
      "tools/list ",
      "tools/CALL",
      "__proto__",
      "constructor",
      "notifications/initialized",
      "x".repeat(10_240),
    ]) {
      expect(requestMethodContract(method)).toBe("never_replay");
    }
  });
});

describe("a replay contract", () => {
  it.each(["convergent", "probe_required", "never_replay"])("%s is read", (contract) => {
    expect(readReplayContract(contract)).toEqual({ ok: true, value: contract });
  });

  it.each([
    ["Convergent"],
    ["replay_safe"],
    [""],
    [null],
    [0],
    [["convergent"]],
    [{ toString: "convergent" }],
  ])("%j is refused", (value: unknown) => {
    expect(readReplayContract(value)).toEqual({ ok: false, reason: "unknown_replay_contract" });
  });
});
