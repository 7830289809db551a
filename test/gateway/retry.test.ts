import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../../src/errors.ts";
import { memberOf } from "../../src/json.ts";
import { foldEntries, NO_ACCOUNTS } from "../../src/ledger/accounts.ts";
import { fail, ok } from "../../src/result.ts";
import { envelopeOf, jsonOf } from "../support/fake-gateway.ts";
import { textOf } from "../outbox/entry-kit.ts";
import { getCall, run } from "./controlled.ts";

const refused: UpstreamFailure = { reason: "unreachable", outcome: "not_dispatched", detail: "refused" };
const lost: UpstreamFailure = { reason: "unreachable", outcome: "unknown", detail: "reset" };
const busy: UpstreamFailure = {
  reason: "rate_limited",
  outcome: "not_dispatched",
  retryAfterSeconds: 0,
  detail: "",
};
const ALL = ["RATE_LIMITED", "UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE"];
const fine = ok({ content: [{ type: "text", text: "fine" }] });
const trusted = { trust_hints: true };

/** A server that fails so before it answers. */
const failing = (...failures: UpstreamFailure[]) => {
  const left = [...failures];
  return () => {
    const failure = left.shift();
    return failure === undefined ? fine : fail(failure);
  };
};

describe("retry", () => {
  it("is off by default", async () => {
    const { call, calls } = run({}, trusted, { answer: failing(refused) });
    expect(jsonOf(await call(getCall))).toMatchObject({ error: "UPSTREAM_UNAVAILABLE", retryable: true });
    expect(calls.length).toBe(1);
  });

  it("tells how often the call was sent, where that was more than once", async () => {
    const { call, calls } = run({ retry: { max_attempts: 3 } }, trusted, { answer: failing(refused, lost) });
    expect(memberOf(envelopeOf(await call(getCall))["provenance"], "attempts")).toBe(3);
    expect(memberOf(envelopeOf(await call(getCall))["provenance"], "attempts")).toBeUndefined();
    expect(calls.length).toBe(4);
  });

  it("leaves a call that needs none as it is without it", async () => {
    expect(await run({ retry: { max_attempts: 10 } }).call(getCall)).toEqual(await run({}).call(getCall));
  });

  it("does not send again what may have run and may not run twice", async () => {
    const { call, calls } = run({ retry: { max_attempts: 10 } }, {}, { answer: failing(refused, lost) });
    expect(jsonOf(await call(getCall))).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      retryable: false,
      details: { outcome: "unknown", replay: "never_replay" },
    });
    expect(calls.length).toBe(2);
  });

  it("holds every fault against the server that called for another try, and a success ends their row", async () => {
    const hurt = async (tries: number, ...failures: UpstreamFailure[]) => {
      const { call, caller } = run({ retry: { max_attempts: tries, retryable_codes: ALL } }, trusted, {
        answer: failing(...failures),
      });
      await call(getCall);
      const { accounts, refused: notCounted } = foldEntries(
        NO_ACCOUNTS,
        caller.told.map((entry) => textOf(entry)),
      );
      const ledger = accounts.servers.get("github");
      expect(notCounted).toEqual([]);
      return [
        ledger?.totals.recovery_fault_count,
        ledger?.totals.retry_count,
        ledger?.totals.error_count,
        ledger?.consecutiveFailures,
      ];
    };
    expect(await hurt(4, refused, lost, lost)).toEqual([3, 3, 0, 0]);
    expect(await hurt(3, refused, lost, lost)).toEqual([3, 2, 1, 3]);
    // A server that says when to come again has answered.
    expect(await hurt(4, busy, refused)).toEqual([1, 2, 0, 0]);
  });

  it("keeps the session of the last try", async () => {
    const session = () => ({ sessionId: `s-${calls.length}`, protocolVersion: "1" });
    const { call, calls, caller } = run({ retry: { max_attempts: 2 } }, trusted, {
      answer: failing(refused),
      session,
    });
    await call(getCall);
    expect(calls.map(({ session: used }) => used?.sessionId)).toEqual([undefined, "s-1"]);
    expect(caller.reports).toMatchObject([{ opened: [{ sessionId: "s-2" }] }]);
  });
});
