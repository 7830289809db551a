import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ENTRY_KEY_MAX_CHARS,
  ENTRY_MAX_CHARS,
  ENTRY_OPERATIONS_MAX_COUNT,
  ENTRY_UPSTREAMS_MAX_COUNT,
  SERVER_NAME_MAX_CHARS,
} from "../../src/limits.ts";
import {
  asTakenBack,
  type LedgerEntry,
  readEntry,
  type UpstreamRecord,
  writeEntry,
  writtenChars,
} from "../../src/outbox/entry.ts";
import { memberOf } from "../../src/json.ts";
import { createFault } from "../../src/spine/fault/fault.ts";
import { GENESIS } from "../../src/spine/fault/generation.ts";
import { specOf } from "../../src/spine/telemetry/event-vocabulary.ts";
import { readEvent } from "../../src/spine/telemetry/events.ts";
import { anyEvent } from "../spine/telemetry/event-arbitraries.ts";
import { browsed, executed, textOf } from "./entry-kit.ts";

const account = (over: Partial<UpstreamRecord> = {}): UpstreamRecord => ({
  server: "files",
  generation: 1,
  operations: [
    { record: "request", method: "tools/call" },
    { record: "success", method: "tools/call", latency_ms: 12 },
  ],
  ...over,
});

/** What reading gives for an entry with these members put in or over. */
const readWith = (over: Record<string, unknown>) =>
  readEntry(JSON.stringify({ version: 1, ...browsed("k"), ...over }));

describe("an entry for the ledger", () => {
  it.each<[string, LedgerEntry]>([
    ["a browse", browsed("k")],
    ["an execute with its upstream's account", { ...executed("k"), upstreams: [account()] }],
    ["a foreign key", browsed("__proto__\u0000<|endoftext|>\ud800")],
    ["the longest key", browsed("k".repeat(ENTRY_KEY_MAX_CHARS))],
  ])("is read as it was written: %s", (_, entry) => {
    const text = textOf(entry);
    expect(readEntry(text)).toEqual({ ok: true, value: entry });
    const read = readEntry(text);
    expect(read.ok ? textOf(read.value) : null).toBe(text);
  });

  it("is read whole or not at all: what does not belong into an event is refused, not left out", () => {
    const { event } = browsed("k");
    for (const over of [
      { event: { ...event, arguments: { password: "hunter2" } } },
      { event: { ...event, attributes: { card_count: 1, query: "secret" } } },
      { event: { ...event, event: "browse.imagined" } },
      { event: { ...event, duration_ms: -1 } },
      { event: null },
    ]) {
      expect(readWith(over)).toEqual({ ok: false, reason: "invalid_event" });
    }
    const operations = [{ record: "success", method: "tools/call", latency_ms: 1.5 }];
    for (const over of [{ operations }, { operations: [null] }, { generation: 0 }, { generation: "1" }]) {
      expect(readWith({ upstreams: [{ ...account(), ...over }] })).toEqual({
        ok: false,
        reason: "invalid_operation",
      });
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ["another version", { version: 2 }],
    ["no key", { key: "" }],
    ["a key too long", { key: "k".repeat(ENTRY_KEY_MAX_CHARS + 1) }],
    ["upstreams that are none", { upstreams: {} }],
    [
      "too many upstreams",
      { upstreams: Array.from({ length: ENTRY_UPSTREAMS_MAX_COUNT + 1 }, () => account({ operations: [] })) },
    ],
    ["a server's name too long", { upstreams: [account({ server: "s".repeat(SERVER_NAME_MAX_CHARS + 1) })] }],
    [
      "too many operations",
      {
        upstreams: [
          account({
            operations: Array.from({ length: ENTRY_OPERATIONS_MAX_COUNT + 1 }, () => ({
              record: "request",
              method: "m",
            })),
          }),
        ],
      },
    ],
    ["a refresh that is none", { refresh: { tools: 5 } }],
  ])("is refused with %s", (_, over) => {
    expect(readWith(over)).toEqual({ ok: false, reason: "malformed" });
  });

  it("is bounded in its length, before anything of it is parsed", () => {
    expect(readEntry("[".repeat(ENTRY_MAX_CHARS))).toEqual({ ok: false, reason: "not_json" });
    expect(readEntry("[".repeat(ENTRY_MAX_CHARS + 1))).toEqual({ ok: false, reason: "too_large" });
    const many = Array.from({ length: ENTRY_OPERATIONS_MAX_COUNT }, () => ({
      record: "request" as const,
      method: "m".repeat(200),
    }));
    const entry = {
      ...browsed("k"),
      upstreams: Array.from({ length: 4 }, () => account({ operations: many })),
    };
    expect(writeEntry(entry)).toEqual({ ok: false, reason: "too_large" });
    expect(writtenChars(entry)).toBeGreaterThan(ENTRY_MAX_CHARS);
  });

  const failedWith = (
    name: "execute.failed" | "read.failed" | "prompt.failed",
    outcome: "completed" | "not_dispatched",
  ) => {
    const event: LedgerEntry["event"] = {
      ...executed("k").event,
      event: name,
      success: false,
      attributes: { error_code: "UPSTREAM_ERROR", outcome, retryable: false },
    };
    return { ...executed("k"), event };
  };

  it.each(["execute.failed", "read.failed", "prompt.failed"] as const)(
    "says of a call that was taken back and ended as %s what the journal says: unknown, unless it was never sent",
    (name) => {
      const completed = failedWith(name, "completed");
      const { attributes } = asTakenBack(completed).event;
      expect(attributes).toMatchObject({ outcome: "unknown", retryable: false, cancelled: true });
      const unsent = asTakenBack(failedWith(name, "not_dispatched"));
      expect(unsent.event.attributes).toMatchObject({ outcome: "not_dispatched", cancelled: true });
      expect(readEntry(textOf(unsent))).toEqual({ ok: true, value: unsent });
    },
  );

  it("says that it was taken back in every event that a sent call can end in, and changes no other", () => {
    fc.assert(
      fc.property(anyEvent, (drawn) => {
        const event = readEvent(drawn);
        if (!event.ok) throw new Error(event.reason.reason);
        const entry = { ...browsed("k"), event: event.value };
        const told = asTakenBack(entry);
        const canSay = Object.hasOwn(specOf(event.value.event).optional, "cancelled");
        expect(memberOf(told.event.attributes, "cancelled")).toBe(canSay ? true : undefined);
        expect(told).toEqual(canSay ? told : entry);
        expect(readEvent(told.event)).toEqual({ ok: true, value: told.event });
        expect(asTakenBack(told)).toEqual(told);
      }),
    );
  });

  it("keeps the faults of earlier tries where the call that was taken back was answered after all", () => {
    const fault = createFault({
      generation: GENESIS,
      class: "transport",
      code: "unreachable",
      detail: "gone",
    });
    const overcome = account({
      operations: [
        { record: "request", method: "tools/call" },
        { record: "recovery_fault", method: "tools/call", fault },
        { record: "replay", method: "tools/call" },
        { record: "success", method: "tools/call", latency_ms: 5 },
      ],
    });
    expect(asTakenBack({ ...executed("k"), upstreams: [overcome] }).upstreams).toEqual([overcome]);
  });

  it("loses the failures of upstreams alone, record by record, where its call was taken back", () => {
    const failed = account({
      server: "bank",
      operations: [
        { record: "request", method: "tools/call" },
        { record: "error", method: "tools/call", latency_ms: 5, error: "deadline" },
      ],
    });
    const entry = { ...executed("k"), upstreams: [account(), failed] };
    expect(asTakenBack(entry).upstreams).toEqual([account()]);
  });

  it("throws at nothing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: "binary" })), (text) => {
        expect(readEntry(text).ok).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (event, upstreams) => {
        expect(readWith({ event, upstreams }).ok).toBe(false);
      }),
    );
    const deep = "[".repeat(30_000) + "]".repeat(30_000);
    expect(readEntry(`{"version":1,"key":"k","event":${deep}}`)).toEqual({
      ok: false,
      reason: "invalid_event",
    });
  });
});
