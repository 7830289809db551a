import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEntry, writeEntry } from "../../src/outbox/entry.ts";
import type { JournalEntry } from "../../src/principal/journal.ts";
import { lapsedCall } from "../../src/principal/lapsed-call.ts";
import { applyOperations } from "../../src/spine/telemetry/operation.ts";
import { inFlight, timedOutcomes } from "../../src/spine/telemetry/counters.ts";
import { openLedger } from "../../src/spine/telemetry/ledger.ts";

const CALL: JournalEntry = {
  key: "attempt:x",
  attempt: "one",
  fingerprint: "f",
  contract: "never_replay",
  execution: { knowledge: "in_flight", attempts_used: 0 },
  leaseEndsAtMs: 5_000,
  expiresAtMs: 5_000,
  answer: null,
  toolId: "files:write_file#0123abcd",
  server: "files-server",
  told: false,
};

describe("what is told of a call that nobody reported on", () => {
  it("is one failure of unknown outcome, under the attempt's name, of when it is told", () => {
    expect(lapsedCall(CALL, 90_000)).toEqual({
      key: "one",
      event: {
        version: 1,
        event: "execute.failed",
        timestamp: 90_000,
        success: false,
        duration_ms: 0,
        session_id: null,
        tool_id: "files:write_file#0123abcd",
        namespace: "files",
        attributes: {
          error_code: "UPSTREAM_ERROR",
          outcome: "unknown",
          retryable: false,
          replay: "never_replay",
        },
      },
      upstreams: [
        {
          server: "files-server",
          generation: 1,
          operations: [
            { record: "request", method: "tools/call" },
            { record: "recovery_error", method: "tools/call", error: "ambiguous_outcome" },
          ],
        },
      ],
    });
  });

  it("leaves nothing in flight in the upstream's account, and no latency, since nobody knows one", () => {
    const operations = lapsedCall(CALL, 90_000).upstreams.flatMap((record) => record.operations);
    const { ledger, refused } = applyOperations(openLedger(1), operations);
    expect(refused).toEqual([]);
    expect(ledger.totals).toMatchObject({ request_count: 1, error_count: 1, success_count: 0 });
    expect([inFlight(ledger.totals), timedOutcomes(ledger.totals)]).toEqual([0, 0]);
  });

  it("is of unknown attempts: none would mean that it was never sent", () => {
    expect(lapsedCall(CALL, 90_000).event.attributes).not.toHaveProperty("attempts");
  });

  it("of an older version's row tells neither tool nor upstream", () => {
    const { event, upstreams } = lapsedCall({ ...CALL, toolId: null, server: null }, 90_000);
    expect({ ...event, upstreams }).toMatchObject({ tool_id: null, namespace: null, upstreams: [] });
  });

  it("can always be written and read back, whatever the row says of tool and server", () => {
    const foreign = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 256 }),
      fc.constantFrom("__proto__", ":", "a:", "\ud800", "x".repeat(256), "ns:tool#0000000g", "\u0000"),
    );
    fc.assert(
      fc.property(foreign, foreign, (toolId, server) => {
        const text = writeEntry(lapsedCall({ ...CALL, toolId, server }, 90_000));
        expect(text.ok && readEntry(text.value).ok).toBe(true);
      }),
    );
  });
});
