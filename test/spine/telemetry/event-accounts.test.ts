import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inFlight } from "../../../src/spine/telemetry/counters.ts";
import { hotCallOf, ledgerOperationsOf } from "../../../src/spine/telemetry/event-accounts.ts";
import { type GatewayEvent, readEvent } from "../../../src/spine/telemetry/events.ts";
import { openLedger } from "../../../src/spine/telemetry/ledger.ts";
import {
  applyOperations,
  type LedgerOperation,
  readLedgerOperation,
} from "../../../src/spine/telemetry/operation.ts";
import { generation } from "../health/arbitraries.ts";
import { anyEvent, CATALOG_IDS } from "./event-arbitraries.ts";

const opened = openLedger(generation(1));

/** A legal event of one kind. */
function event(name: string, success: boolean, attributes: object) {
  const read = readEvent({
    version: 1,
    event: name,
    timestamp: 0,
    success,
    duration_ms: 30,
    session_id: null,
    tool_id: CATALOG_IDS[0],
    namespace: null,
    attributes,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.reason));
  return read.value;
}

const anyLegal = anyEvent.map((value) => {
  const read = readEvent(value);
  if (!read.ok) throw new Error(JSON.stringify(read.reason));
  return read.value;
});

const request = { record: "request", method: "execute" };
const replay = { record: "replay", method: "execute" };

describe("what an event means for a ledger", () => {
  it.each<[GatewayEvent, readonly object[]]>([
    [event("catalog.loaded", true, { tool_count: 3 }), []],
    [
      event("records.completed", true, { operation: "search", via: "mcp" }),
      [
        { record: "request", method: "records" },
        { record: "success", method: "records", latency_ms: 30 },
      ],
    ],
    [
      event("records.failed", false, { operation: "fetch", via: "rest", error_code: "not_found" }),
      [
        { record: "request", method: "records" },
        { record: "error", method: "records", latency_ms: 30, error: "not_found" },
      ],
    ],
    [
      event("execute.completed", true, { attempts: 3, status: "ok" }),
      [request, replay, replay, { record: "success", method: "execute", latency_ms: 30 }],
    ],
    [
      event("execute.completed", false, { attempts: 1, status: "error" }),
      [request, { record: "response_error", method: "execute", latency_ms: 30, error: "tool_error" }],
    ],
    [
      event("execute.failed", false, { error_code: "UPSTREAM_TIMEOUT", attempts: 2, outcome: "unknown" }),
      [
        request,
        replay,
        { record: "response_error", method: "execute", latency_ms: 30, error: "upstream_timeout" },
      ],
    ],
    ...(["execute", "read", "prompt"] as const).flatMap((method) =>
      (["completed", "unknown", "not_dispatched"] as const).flatMap((outcome): [GatewayEvent, object[]][] => {
        const of = (attempts: number) =>
          event(`${method}.failed`, false, { error_code: "UPSTREAM_ERROR", attempts, outcome });
        const ended = { method, latency_ms: 30, error: "upstream_error" };
        return [
          [
            of(1),
            [
              { record: "request", method },
              { record: "response_error", ...ended },
            ],
          ] as const,
          // Not sent this time, whatever became of an earlier one.
          [
            of(0),
            [
              { record: "request", method },
              { record: "error", ...ended },
            ],
          ] as const,
        ];
      }),
    ),
    [
      // Its lease ran out: nobody saw it end.
      event("execute.failed", false, { error_code: "UPSTREAM_ERROR", outcome: "unknown" }),
      [request, { record: "recovery_error", method: "execute", error: "upstream_error" }],
    ],
    [
      event("execute.failed", false, { error_code: "ARGS_INVALID" }),
      [request, { record: "error", method: "execute", latency_ms: 30, error: "args_invalid" }],
    ],
    [
      event("execute.failed", false, { error_code: "UPSTREAM_ERROR", outcome: "completed" }),
      [request, { record: "response_error", method: "execute", latency_ms: 30, error: "upstream_error" }],
    ],
    [
      event("execute.denied", false, { error_code: "POLICY_DENIED", action: "deny" }),
      [request, { record: "error", method: "execute", latency_ms: 30, error: "policy_denied" }],
    ],
    [
      event("execute.rate_limited", false, { scope: "upstream" }),
      [request, { record: "response_error", method: "execute", latency_ms: 30, error: "rate_limited" }],
    ],
    [
      event("execute.rate_limited", false, { scope: "tool_minute" }),
      [request, { record: "error", method: "execute", latency_ms: 30, error: "rate_limited" }],
    ],
  ])("is the whole of its call: %j", (event, operations) => {
    expect(ledgerOperationsOf(event)).toEqual(operations);
  });

  it("is one request with one ending, or nothing, and is refused nowhere", () => {
    fc.assert(
      fc.property(fc.array(anyLegal, { maxLength: 20 }), (events) => {
        const operations = events.flatMap((event) => ledgerOperationsOf(event));
        const read = operations.map((operation) => readLedgerOperation(operation));
        expect(read.filter(({ ok }) => !ok)).toEqual([]);
        // Time that a counter cannot hold is the only thing that a ledger may say no to.
        const small = operations.map((operation): LedgerOperation =>
          "latency_ms" in operation ? Object.assign({}, operation, { latency_ms: 1 }) : operation,
        );
        const { ledger, refused } = applyOperations(opened, small);
        expect([refused, inFlight(ledger.totals)]).toEqual([[], 0]);
        const calls = events.filter(({ event }) => !event.startsWith("catalog."));
        expect(ledger.totals.request_count).toBe(calls.length);
        expect(ledger.totals.success_count).toBe(calls.filter(({ success }) => success).length);
      }),
    );
  });
});

describe("what an event means for the hottest and slowest tools", () => {
  it("is a call of its tool where it reached one", () => {
    const failed = event("execute.failed", false, { error_code: "UPSTREAM_TIMEOUT" });
    expect(hotCallOf(failed)).toEqual({ key: CATALOG_IDS[0], latencyMs: 30, failed: true });
    expect(hotCallOf(event("execute.cache_hit", true, {}))).toMatchObject({ failed: false });
    const lapsed = event("execute.failed", false, { error_code: "UPSTREAM_ERROR", outcome: "unknown" });
    expect(hotCallOf(lapsed)).toBeUndefined();
    const unsent = event("execute.failed", false, { error_code: "ARGS_INVALID", attempts: 0 });
    expect(hotCallOf(unsent)).toBeUndefined();
    const denied = event("execute.denied", false, { error_code: "POLICY_DENIED", action: "deny" });
    expect(hotCallOf(denied)).toBeUndefined();
    expect(hotCallOf(event("browse.completed", true, { card_count: 0 }))).toBeUndefined();
  });
});
