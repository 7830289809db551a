import { describe, expect, it } from "vitest";
import {
  applyOperations,
  GENESIS,
  type LedgerOperation,
  NEW_EXECUTION,
  openLedger,
  registerOperations,
  renderJsonPorcelain,
  requestDisposition,
  telemetrySnapshot,
} from "../../../src/spine/index.ts";
import {
  dispatchViolations,
  dispositionViolations,
  foldOrderViolations,
  porcelainViolations,
  registrationViolations,
  resultShapeViolations,
  telemetryViolations,
} from "../../../src/spine/testkit/index.ts";
import { attempts } from "./attempts.ts";

describe("the laws of the testkit", () => {
  it("hold for the spine's own table, and find every single case in which another differs", () => {
    expect(dispositionViolations(requestDisposition)).toEqual([]);
    expect(dispositionViolations(() => "replay").length).toBeGreaterThan(60);
    const lax = dispositionViolations((knowledge, contract, probe, allowance) =>
      knowledge === "outcome_unknown" && contract === "never_replay" && probe === undefined
        ? "replay"
        : requestDisposition(knowledge, contract, probe, allowance),
    );
    const used = ["0 of 1", "1 of 1", "0 of 0", "1 of 0"];
    expect(lax).toEqual(
      used.map(
        (of) =>
          `outcome_unknown, never_replay, no probe, ${of} attempts used: replay instead of reject_ambiguous_outcome`,
      ),
    );
    const generous = dispositionViolations((knowledge, contract, probe, { attempts_used, max_attempts }) =>
      requestDisposition(knowledge, contract, probe, {
        attempts_used,
        max_attempts: attempts(max_attempts + 1),
      }),
    );
    const at = generous.map((violation) => /\d of \d/.exec(violation)?.[0]);
    expect(at).toEqual(["1 of 1", "0 of 0", "1 of 1", "0 of 0"]);
    expect(
      dispositionViolations(() => {
        throw new Error("no");
      })[0],
    ).toContain("threw Error: no");
  });

  it("find what reached a worker against its contract", () => {
    const sent = (...counts: number[]) => counts.map((count) => ({ id: "a", attempt: attempts(count) }));
    expect(dispatchViolations(sent(0, 1), () => "convergent", 1)).toEqual([]);
    expect(dispatchViolations(sent(0, 1), () => "never_replay", 9)).toEqual([
      '"a": sent again although never_replay',
    ]);
    expect(dispatchViolations(sent(0, 2), () => "convergent", 9)).toEqual(['"a": attempt 2 after 0']);
    expect(dispatchViolations(sent(0, 1, 2), () => "convergent", 1)).toEqual(['"a": attempt 2 of at most 1']);
    expect(dispatchViolations(sent(1), () => "convergent", 1)).toEqual(['"a": first seen as attempt 1']);
  });

  it("find a registry that takes operations without a contract", () => {
    expect(registrationViolations((declared) => registerOperations(declared).ok)).toEqual([]);
    expect(registrationViolations(() => true)).toHaveLength(4);
    expect(registrationViolations(() => false)).toEqual(["refused a good operation"]);
    const throwing = (declared: readonly unknown[]) => {
      if (!registerOperations(declared).ok) throw new TypeError("no");
      return true;
    };
    expect(registrationViolations(throwing)).toEqual([]);
  });

  it("find counters that do not add up", () => {
    const applied = applyOperations(openLedger(GENESIS), [
      { record: "request", method: "b" },
      { record: "success", method: "b", latency_ms: 4 },
      { record: "request", method: "a" },
    ]);
    const made = telemetrySnapshot(applied.ledger, { uptimeMs: 1, lifecycle: "ready", handshake: "ready" });
    if (!made.ok) throw new Error(made.reason);
    const snapshot = made.value;
    expect(applied.refused).toEqual([]);
    expect(snapshot.methods.map(({ method }) => method)).toEqual(["a", "b"]);
    expect(telemetryViolations(snapshot)).toEqual([]);
    const lying = { ...snapshot, totals: { ...snapshot.totals, request_count: 3 } };
    expect(telemetryViolations(lying)).toEqual(["request_count: rows make 2, totals say 3"]);
    expect(telemetryViolations({ ...snapshot, methods: snapshot.methods.toReversed() })).toEqual([
      "a stands behind b",
    ]);
    const slow = snapshot.methods.map((row) => ({ ...row, avg_latency_ms: 9 }));
    expect(telemetryViolations({ ...snapshot, methods: slow })).toContain(
      "b: the average is above the maximum",
    );
  });

  it("find a ledger that depends on the order in which its sources arrive", () => {
    const fold = (operations: readonly LedgerOperation[]) => {
      const made = telemetrySnapshot(applyOperations(openLedger(GENESIS), operations).ledger, {
        uptimeMs: 1,
        lifecycle: "ready",
        handshake: "ready",
      });
      if (!made.ok) throw new Error(made.reason);
      return made.value;
    };
    expect(foldOrderViolations(fold)).toEqual([]);
    expect(telemetryViolations(fold([]))).toEqual([]);
    expect(
      foldOrderViolations((operations) => {
        const { totals, methods, ...rest } = fold(operations);
        const [first] = operations;
        const firstCounts = first?.record === "request" && first.method === "ping" ? 1 : 0;
        return {
          ...rest,
          methods,
          totals: { ...totals, request_count: totals.request_count + firstCounts },
        };
      }),
    ).toEqual(["totals, the last source first: [7,3,3,1,1,0,1] instead of [6,3,3,1,1,0,1]"]);
    // One that keeps the last latency for the average.
    const lazy = foldOrderViolations((operations) => {
      const snapshot = fold(operations);
      const methods = snapshot.methods.map((row) => ({ ...row, avg_latency_ms: row.last_latency_ms ?? 0 }));
      return { ...snapshot, methods };
    });
    expect(lazy.length).toBeGreaterThan(0);
    expect(lazy.every((violation) => violation.startsWith("tools/call, "))).toBe(true);
    expect(
      foldOrderViolations(() => {
        throw new Error("no");
      }),
    ).toEqual(["threw Error: no"]);
  });

  it("find porcelain that is too long, changes, or depends on the order of members", () => {
    const bounds = { maxLines: 3 };
    const value = { b: 1, a: [{ d: 1, c: 2 }], e: 0, f: 0 };
    const ours = (each: unknown) => renderJsonPorcelain(each, { maxLines: 3, maxInlineChars: 40 });
    expect(porcelainViolations(ours, value, bounds)).toEqual([]);
    expect(porcelainViolations(() => "a\nb\nc\nd", value, bounds)).toEqual(["4 lines of at most 3"]);
    expect(porcelainViolations((each) => JSON.stringify(each), value, bounds)).toEqual([
      "another text for members in another order",
    ]);
    let calls = 0;
    expect(porcelainViolations(() => `${(calls += 1)}`, value, bounds)).toContain(
      "another text for the same value",
    );
    expect(porcelainViolations(() => "\u001b[31m", value, bounds)).toEqual(["a control character"]);
    expect(porcelainViolations(ours, value, { maxLines: 3, maxLineChars: 82 })).toEqual([]);
    expect(porcelainViolations(() => "four", value, { maxLines: 3, maxLineChars: 3 })).toEqual([
      "a line of 4 characters of at most 3",
    ]);
    const deep = { a: { a: { a: { c: 1, b: 2 } } } };
    expect(porcelainViolations((each) => JSON.stringify(each), deep, bounds)).toHaveLength(1);
    expect(porcelainViolations(() => JSON.stringify(1n), value, bounds)[0]).toContain("threw TypeError");
  });

  it("find results that say the same twice, or a dual one that does not", () => {
    const text = (words: string) => [{ type: "text", text: words }];
    const structuredContent = { a: 1 };
    expect(resultShapeViolations({ content: text("a: 1") }, "exclusive")).toEqual([]);
    expect(resultShapeViolations({ content: text('{"a":1}'), structuredContent }, "exclusive")).toEqual([]);
    expect(resultShapeViolations({ content: text('{ "a": 1 }'), structuredContent }, "exclusive")).toEqual(
      [],
    );
    expect(resultShapeViolations({ content: [], structuredContent }, "exclusive")).toEqual([]);
    const image = { type: "image", data: "", mimeType: "image/png" };
    expect(resultShapeViolations({ content: [image], structuredContent }, "exclusive")).toEqual([]);
    expect(resultShapeViolations({ content: text("a: 1"), structuredContent }, "exclusive")).toEqual([
      "structured content beside another text",
    ]);
    const both = [...text('{"a":1}'), ...text("a: 1")];
    expect(resultShapeViolations({ content: both, structuredContent }, "exclusive")).toEqual([
      "structured content beside another text",
    ]);
    const twice = [...text('{"a":1}'), ...text('{"a":1}')];
    expect(resultShapeViolations({ content: twice, structuredContent }, "exclusive")).toEqual([
      "structured content mirrored twice",
    ]);
    expect(resultShapeViolations({ content: text("a: 1"), structuredContent }, "dual")).toEqual([]);
    expect(resultShapeViolations({ content: text("a: 1") }, "dual")).toHaveLength(1);
    expect(resultShapeViolations({}, "dual")).toEqual(["content is not an array"]);
  });

  it("begin from a request that was never sent", () => {
    expect(NEW_EXECUTION).toEqual({ knowledge: "not_dispatched", attempts_used: 0 });
  });
});
