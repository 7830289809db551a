import { describe, expect, it } from "vitest";
import type { Outcome, UpstreamFailure } from "../../../src/errors.ts";
import { memberOf } from "../../../src/json.ts";
import { fail } from "../../../src/result.ts";
import { jsonOf } from "../../support/fake-gateway.ts";
import { deleteCall, run } from "../controlled.ts";
import { accountOf, expectWhole, onlyEntry } from "./told.ts";

const OUTCOMES: readonly Outcome[] = ["not_dispatched", "completed", "unknown"];

type Cause = UpstreamFailure extends infer Failure
  ? Failure extends UpstreamFailure
    ? Omit<Failure, "outcome" | "detail">
    : never
  : never;

/** Every way in which an upstream can fail, the code that a caller is told, and what is written in its account. */
const CAUSES: readonly (readonly [Cause, string, string])[] = [
  [{ reason: "timeout" }, "UPSTREAM_TIMEOUT", "fault deadline, error deadline"],
  [{ reason: "cancelled" }, "UPSTREAM_ERROR", "error cancelled"],
  [{ reason: "unreachable" }, "UPSTREAM_UNAVAILABLE", "fault unreachable, error unreachable"],
  [{ reason: "unauthorized" }, "AUTH_FAILED", "fault unauthorized, error unauthorized"],
  [{ reason: "forbidden" }, "PERMISSION_DENIED", "response_error forbidden"],
  [{ reason: "unknown_tool" }, "HYDRATE_FAILED", "response_error unknown_tool"],
  [{ reason: "too_large" }, "UPSTREAM_ERROR", "fault too_large, error too_large"],
  [{ reason: "refused_address" }, "UPSTREAM_ERROR", "fault refused_address, error refused_address"],
  [{ reason: "refused_redirect" }, "UPSTREAM_ERROR", "fault refused_redirect, error refused_redirect"],
  [{ reason: "protocol" }, "UPSTREAM_ERROR", "fault illegal_answer, error illegal_answer"],
  [{ reason: "http_status", status: 500 }, "UPSTREAM_ERROR", "fault http_status_500, error http_status_500"],
  [{ reason: "rpc_error", code: -32_603 }, "UPSTREAM_ERROR", "response_error rpc_error_minus_32603"],
];

const failing = (failure: UpstreamFailure) => run({}, {}, { answer: () => fail(failure) });

describe.each(CAUSES)("a call that fails with %j", (cause, code, account) => {
  it.each(OUTCOMES)("is told once, as its caller is told, outcome %s", async (outcome) => {
    const { call, caller, log } = failing({ ...cause, outcome, detail: "the backend's own words" });
    const answer = jsonOf(await call(deleteCall));
    const entry = onlyEntry(caller.told);
    expect(entry.event).toMatchObject({
      event: "execute.failed",
      tool_id: deleteCall.tool_id,
      namespace: "github",
      success: false,
      attributes: {
        error_code: answer["error"],
        retryable: answer["retryable"],
        outcome,
        attempts: 1,
        replay: "never_replay",
        arg_count: 1,
        generation: 1,
      },
    });
    expect(accountOf(entry)).toBe(`github: request, ${account}`);
    expectWhole(entry);
    expect(JSON.stringify(entry)).not.toContain("backend");
    expect(log.join()).toContain("the backend's own words");
  });

  it("has the code of the taxonomy", async () => {
    const { call } = failing({ ...cause, outcome: "unknown", detail: "" });
    expect(memberOf(jsonOf(await call(deleteCall)), "error")).toBe(code);
  });
});

describe("a call that the upstream's own limit turns away", () => {
  const limited = (outcome: Outcome, retryAfterSeconds: number | null) =>
    failing({ reason: "rate_limited", outcome, retryAfterSeconds, detail: "slow down" });

  it.each([
    [1.2345, 1235],
    [null, undefined],
    [Infinity, undefined],
    [-1, undefined],
  ])("after %s seconds is limited by the upstream", async (seconds, retryAfterMs) => {
    const { call, caller } = limited("not_dispatched", seconds);
    await call(deleteCall);
    const entry = onlyEntry(caller.told);
    expect(entry.event).toMatchObject({ event: "execute.rate_limited", attributes: { scope: "upstream" } });
    expect(memberOf(entry.event.attributes, "retry_after_ms")).toBe(retryAfterMs);
    expect(accountOf(entry)).toBe("github: request, response_error rate_limited");
    expectWhole(entry);
  });

  it("has failed with an unknown outcome where an earlier try was lost", async () => {
    const { call, caller } = limited("unknown", 1);
    await call(deleteCall);
    expect(onlyEntry(caller.told).event).toMatchObject({
      event: "execute.failed",
      attributes: { error_code: "RATE_LIMITED", outcome: "unknown", retryable: false },
    });
  });
});

it("a call to a server that cannot be addressed has failed in its account, and was never sent", async () => {
  const { call, caller } = run({}, {}, { noServer: true });
  await call(deleteCall);
  const entry = onlyEntry(caller.told);
  expect(entry.event).toMatchObject({ event: "execute.failed", attributes: { attempts: 0 } });
  expect(accountOf(entry)).toBe("github: request, fault unreachable, error unreachable");
  expectWhole(entry);
});
