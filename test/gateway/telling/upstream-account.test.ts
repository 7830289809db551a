import { describe, expect, it } from "vitest";
import { upstreamRecord } from "../../../src/gateway/telling/upstream-account.ts";
import { SERVER_NAME_MAX_CHARS } from "../../../src/limits.ts";
import { writeEntry } from "../../../src/outbox/entry.ts";
import { REPLAY_ATTEMPTS_MAX_COUNT } from "../../../src/limits/spine.ts";
import { GENESIS, nextGeneration } from "../../../src/spine/fault/generation.ts";
import type { GatewayEvent } from "../../../src/spine/telemetry/events.ts";

const EVENT: GatewayEvent = {
  version: 1,
  event: "execute.completed",
  timestamp: 0,
  success: true,
  duration_ms: 0,
  session_id: null,
  tool_id: null,
  namespace: null,
  attributes: { attempts: 1, status: "ok" },
};
const turn = (attempts: number, server = "s") =>
  upstreamRecord({
    method: "tools/call",
    server,
    generation: GENESIS,
    attempts,
    latencyMs: 7,
    ending: { kind: "answered" },
  });

describe("an upstream's account of a call", () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [REPLAY_ATTEMPTS_MAX_COUNT + 1, REPLAY_ATTEMPTS_MAX_COUNT],
  ])("of %d tries is one request and %d replays, and fits an entry", (attempts, replays) => {
    const record = turn(attempts);
    const of = (name: string) => record.operations.filter((operation) => operation.record === name).length;
    expect([of("request"), of("replay"), of("success")]).toEqual([1, replays, 1]);
    expect(record.operations.at(-1)).toEqual({ record: "success", method: "tools/call", latency_ms: 7 });
    expect(writeEntry({ key: "k", event: EVENT, upstreams: [record] }).ok).toBe(true);
  });

  it("calls a server with an endless name by a bounded one of its own", () => {
    const [left, right] = [
      turn(1, `${"s".repeat(10_000)}1`).server,
      turn(1, `${"s".repeat(10_000)}2`).server,
    ];
    expect([left.length, right.length]).toEqual([SERVER_NAME_MAX_CHARS, SERVER_NAME_MAX_CHARS]);
    expect(left).not.toBe(right);
  });

  it("holds an illegal result against the server", () => {
    const later = nextGeneration(GENESIS);
    if (!later.ok) throw new Error(later.reason);
    const { generation, operations } = upstreamRecord({
      method: "tools/call",
      server: "s",
      generation: later.value,
      attempts: 1,
      latencyMs: 7,
      ending: { kind: "illegal_result" },
    });
    expect(generation).toBe(2);
    expect(operations).toMatchObject([
      { record: "request" },
      { record: "recovery_fault", fault: { generation: 2, class: "protocol", code: "illegal_result" } },
      { record: "error", error: "illegal_result", latency_ms: 7 },
    ]);
  });
});
