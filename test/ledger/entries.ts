import * as fc from "fast-check";
import { writeEntry, type LedgerEntry, type UpstreamRecord } from "../../src/outbox/entry.ts";
import type { RefreshRecord } from "../../src/outbox/refresh-record.ts";
import { readFaultCode } from "../../src/spine/fault/fault-code.ts";
import { GENESIS, type Generation } from "../../src/spine/fault/generation.ts";
import { readEvent, type GatewayEvent } from "../../src/spine/telemetry/events.ts";
import { anyEvent } from "../spine/telemetry/event-arbitraries.ts";

export const NOON_MS = Date.UTC(2026, 0, 31, 12);

/** One call of a tool that an upstream answered. */
export function executed(
  change: {
    readonly tool?: string | null;
    readonly durationMs?: number;
    readonly atMs?: number;
    readonly attempts?: number;
    readonly failed?: boolean;
  } = {},
): GatewayEvent {
  const {
    tool = "github:create_issue#aea9ce2a",
    durationMs = 20,
    atMs = NOON_MS,
    attempts = 1,
    failed,
  } = change;
  return {
    version: 1,
    event: "execute.completed",
    timestamp: atMs,
    success: failed !== true,
    duration_ms: durationMs,
    session_id: null,
    tool_id: tool,
    namespace: null,
    attributes: { attempts, status: failed === true ? "error" : "ok" },
  };
}

/** A browse, of which no tool and no upstream knows. */
export function browsed(atMs = NOON_MS): GatewayEvent {
  return {
    version: 1,
    event: "browse.completed",
    timestamp: atMs,
    success: true,
    duration_ms: 3,
    session_id: null,
    tool_id: null,
    namespace: null,
    attributes: { card_count: 2 },
  };
}

export function answered(server: string, latencyMs = 20, of: Generation = GENESIS): UpstreamRecord {
  return {
    server,
    generation: of,
    operations: [
      { record: "request", method: "tools/call" },
      { record: "success", method: "tools/call", latency_ms: latencyMs },
    ],
  };
}

export function unreachable(
  server: string,
  detail = "the connection was refused",
  of: Generation = GENESIS,
): UpstreamRecord {
  const code = readFaultCode("unreachable");
  if (!code.ok) throw new Error(code.reason);
  return {
    server,
    generation: of,
    operations: [
      { record: "request", method: "tools/call" },
      {
        record: "recovery_fault",
        method: "tools/call",
        fault: { generation: of, class: "transport", code: code.value, detail },
      },
      { record: "error", method: "tools/call", latency_ms: 9, error: code.value },
    ],
  };
}

let drawn = 0;

export function entry(
  event: GatewayEvent,
  upstreams: readonly UpstreamRecord[] = [],
  refresh?: RefreshRecord,
): string {
  drawn += 1;
  const whole: LedgerEntry = {
    key: `key-${drawn}`,
    event,
    upstreams,
    ...(refresh === undefined ? {} : { refresh }),
  };
  const written = writeEntry(whole);
  if (!written.ok) throw new Error(written.reason);
  return written.value;
}

export function refreshed(change: Partial<RefreshRecord> = {}): RefreshRecord {
  return {
    config: "config-a",
    generation: 3,
    hash: "ab".repeat(32),
    tools: 12,
    refreshed_at_ms: NOON_MS,
    interval_s: 300,
    changed: true,
    servers: [],
    ...change,
  };
}

export function listed(
  name: string,
  change: Partial<RefreshRecord["servers"][number]> = {},
): RefreshRecord["servers"][number] {
  return { name, status: "ok", tools: 4, skipped: 0, findings: [], finding_count: 0, ...change };
}

/** Names as a configuration may have them and as nobody would want them. */
export const hostileServerName = fc.constantFrom(
  "github",
  "__proto__",
  "constructor",
  'quo"te',
  "back\\slash",
  "two\nlines",
  "pipe | pipe",
  "\u0000nul",
  "\ud800",
  "\ud801",
  "<|endoftext|>",
  "\u202eright to left",
  "# EOF",
  "}{",
  "x".repeat(10_000),
  "😀".repeat(300),
  " ",
  "-",
);

const times = fc.nat(100_000);

/** Any event, its time among the usual ones, so that sums stay countable. */
export const anyGatewayEvent: fc.Arbitrary<GatewayEvent> = fc
  .tuple(anyEvent, times, times)
  .map(([event, timestamp, duration]) => {
    const read = readEvent({ ...event, timestamp: NOON_MS + timestamp, duration_ms: duration });
    if (!read.ok) throw new Error(read.reason.reason);
    return read.value;
  });

/** Any entry: what happened, to any of a few servers. */
export const anyEntry: fc.Arbitrary<string> = fc
  .tuple(
    anyGatewayEvent,
    fc.array(
      fc.oneof(
        fc.tuple(fc.constantFrom("a", "b", "__proto__"), times).map(([server, ms]) => answered(server, ms)),
        fc.constantFrom("a", "b", "\ud800").map((server) => unreachable(server)),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([event, upstreams]) => entry(event, upstreams));
