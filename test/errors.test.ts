import { describe, expect, it } from "vitest";
import { type GatewayFailure, logDetail, toWire } from "../src/errors.ts";

const DETAIL = "getaddrinfo ENOTFOUND db.internal.example";

const FAILURES: readonly GatewayFailure[] = [
  {
    reason: "arguments",
    path: "a:b#00000000",
    message: "m",
    errors: [{ path: "/a", keyword: "type" }],
    schema: {},
  },
  { reason: "schema", path: "a:b#00000000", finding: "ref_cycle" },
  { reason: "unknown_id", path: "x", didYouMean: [] },
  { reason: "unknown_id", path: "x", didYouMean: [], kind: "prompt" },
  { reason: "contested", path: "a:b", owners: ["resource::a:b#00000000", "resource::c:b#00000000"] },
  { reason: "path_invalid", path: "x", problem: "no_leading_slash", try: "/x" },
  { reason: "path_not_found", path: "/x", nearest: "/", try: ["/y"] },
  { reason: "no_artifact", path: "1" },
  { reason: "selector", path: "1", problem: "p", have: ["a"], try: ["bytes"] },
  {
    reason: "upstream",
    path: "a:b#00000000",
    failure: { reason: "unreachable", outcome: "unknown", detail: DETAIL },
    replay: "never_replay",
    didYouMean: [],
  },
  { reason: "policy_denied", path: "x", why: undefined },
  { reason: "approval_required", path: "x", metaTool: "tool_execute", approvalId: "a", expiresAtMs: 0 },
  { reason: "rate_limited", path: "x", scope: "tool_execute/minute", retryAfterMs: 1 },
  { reason: "artifacts_full", path: "x", retryAfterMs: 1 },
  { reason: "not_ready", path: "", what: "catalog", detail: DETAIL },
  { reason: "not_ready", path: "x", what: "principal", replay: "never_replay", detail: DETAIL },
  { reason: "not_ready", path: "1", what: "artifacts", detail: DETAIL },
  { reason: "internal", path: "", outcome: "unknown", detail: DETAIL },
  { reason: "malformed_result", path: "x", outcome: "completed", detail: DETAIL },
];

describe("an error on the wire", () => {
  it.each(FAILURES.map((failure) => [failure.reason, failure] as const))(
    "%s has the contract's keys in their order and no detail of ours",
    (_, failure) => {
      const wire = toWire(failure);
      expect(Object.keys(wire)).toEqual(["error", "message", "path", "retryable", "details"]);
      const text = JSON.stringify(wire);
      expect(text).not.toContain("\n");
      expect(text).not.toContain("internal.example");
      expect(wire.message).not.toBe("");
    },
  );

  it("tells the operator the detail where there is one", () => {
    const details = FAILURES.map(logDetail).filter((detail) => detail !== undefined);
    expect(details).toEqual([DETAIL, DETAIL, DETAIL, DETAIL, DETAIL, DETAIL]);
  });

  it("is retryable only where nothing ran or may run again", () => {
    const retryable = FAILURES.map(toWire).filter((wire) => wire.retryable);
    expect(retryable.map(({ error, details }) => [error, details?.["outcome"]])).toEqual([
      ["RATE_LIMITED", undefined],
      ["RATE_LIMITED", undefined],
      ["UPSTREAM_UNAVAILABLE", "not_dispatched"],
      ["UPSTREAM_UNAVAILABLE", "not_dispatched"],
      ["UPSTREAM_UNAVAILABLE", "not_dispatched"],
    ]);
  });

  it("has no details where the contract has none", () => {
    for (const reason of ["unauthorized", "forbidden"] as const) {
      const failure = { reason, outcome: "not_dispatched", detail: DETAIL } as const;
      const wire = toWire({ reason: "upstream", path: "x", failure, replay: "convergent", didYouMean: [] });
      expect(Object.keys(wire)).toEqual(["error", "message", "path", "retryable"]);
    }
  });
});
