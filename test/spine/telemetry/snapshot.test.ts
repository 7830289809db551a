import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../../src/code-points.ts";
import { fail, ok } from "../../../src/result.ts";
import { readHealthSnapshot } from "../../../src/spine/health/snapshot.ts";
import { CALL_COUNTERS, NO_CALLS } from "../../../src/spine/telemetry/counters.ts";
import { openLedger } from "../../../src/spine/telemetry/ledger.ts";
import { applyOperations } from "../../../src/spine/telemetry/operation.ts";
import { healthSnapshot, telemetrySnapshot } from "../../../src/spine/telemetry/snapshot.ts";
import {
  anyCount,
  anyHandshake,
  anyLifecycle,
  anyRollout,
  code,
  fault,
  generation,
} from "../health/arbitraries.ts";
import { anyLedger } from "./arbitraries.ts";

const ready = { uptimeMs: 5000, lifecycle: "ready", handshake: "ready" } as const;
const anyStanding = fc.record({
  uptimeMs: anyCount,
  lifecycle: anyLifecycle,
  handshake: anyHandshake,
  rollout: anyRollout,
});

describe("the telemetry payload", () => {
  it("is this of a ledger that has seen something", () => {
    const { ledger } = applyOperations(openLedger(generation(1)), [
      { record: "request", method: "tools/list" },
      { record: "success", method: "tools/list", latency_ms: 2 },
      { record: "request", method: "initialize" },
      { record: "request", method: "tools/list" },
      { record: "response_error", method: "tools/list", latency_ms: 9, error: code("http_500") },
      { record: "request", method: "no name" },
      { record: "recovery_fault", method: null, fault: fault(1) },
    ]);
    const none = { ...NO_CALLS, max_latency_ms: 0, avg_latency_ms: 0 };
    expect(telemetrySnapshot(ledger, ready)).toEqual(
      ok({
        uptime_ms: 5000,
        state: "ready",
        worker_handshake: "ready",
        generation: 1,
        consecutive_failures: 1,
        restart_count: 0,
        totals: {
          request_count: 4,
          success_count: 1,
          error_count: 1,
          response_error_count: 1,
          recovery_error_count: 0,
          recovery_fault_count: 1,
          retry_count: 0,
        },
        methods: [
          { ...none, method: "initialize", request_count: 1 },
          {
            ...none,
            method: "tools/list",
            request_count: 2,
            success_count: 1,
            error_count: 1,
            response_error_count: 1,
            last_latency_ms: 9,
            max_latency_ms: 9,
            avg_latency_ms: 5,
            last_error: "http_500",
          },
        ],
        other_methods: { ...none, request_count: 1 },
        last_fault: fault(1),
      }),
    );
  });

  it("has sorted methods that make up the totals with the others", () => {
    fc.assert(
      fc.property(anyLedger, anyStanding, (ledger, standing) => {
        const written = telemetrySnapshot(ledger, standing);
        expect(written.ok).toBe(true);
        if (!written.ok) return;
        const { methods, other_methods, totals, state, worker_handshake } = written.value;
        const names = methods.map(({ method }) => method);
        expect(names).toEqual([...names].sort(compareCodePoints));
        expect(state === "ready" && worker_handshake !== "ready").toBe(false);
        for (const counter of CALL_COUNTERS) {
          const sum = [...methods, ...(other_methods === undefined ? [] : [other_methods])].reduce(
            (sum, row) => sum + row[counter],
            0,
          );
          expect(sum).toBeLessThanOrEqual(totals[counter]);
          expect(counter === "recovery_fault_count" ? sum : totals[counter]).toBe(sum);
        }
        for (const row of methods) expect(row.avg_latency_ms).toBeLessThanOrEqual(row.max_latency_ms);
      }),
    );
  });
});

describe("the health payload of a ledger", () => {
  it("is legal whatever the host believes, and agrees with the telemetry", () => {
    fc.assert(
      fc.property(anyLedger, anyStanding, (ledger, standing) => {
        const health = healthSnapshot(ledger, standing);
        expect(health.ok ? readHealthSnapshot(health.value) : health).toEqual(health);
        expect(health.ok).toBe(true);
        const { rollout, ...shared } = health.ok ? health.value : { rollout: undefined };
        expect(rollout).toBe(standing.rollout);
        expect(telemetrySnapshot(ledger, standing)).toMatchObject({ value: shared });
      }),
    );
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])("has no uptime of %s", (uptimeMs) => {
    const ledger = openLedger(generation(1));
    expect(healthSnapshot(ledger, { ...ready, uptimeMs })).toEqual(fail("invalid_uptime"));
    expect(telemetrySnapshot(ledger, { ...ready, uptimeMs })).toEqual(fail("invalid_uptime"));
  });
});
