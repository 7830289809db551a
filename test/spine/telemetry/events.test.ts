import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_IDS_MAX_COUNT, JSONL_RECORD_MAX_BYTES } from "../../../src/limits/spine.ts";
import { fail, ok } from "../../../src/result.ts";
import type { AttributeKind } from "../../../src/spine/telemetry/attribute.ts";
import { specOf } from "../../../src/spine/telemetry/event-vocabulary.ts";
import { eventLine, type GatewayEvent, readEvent } from "../../../src/spine/telemetry/events.ts";
import { anythingWith } from "../health/arbitraries.ts";
import { anyEvent, CATALOG_IDS, EVENT_NAMES, SECRETS, STREAM_NAMES, textsIn } from "./event-arbitraries.ts";

const executed: GatewayEvent = {
  version: 1,
  event: "execute.completed",
  timestamp: 1_777_000_000_000,
  success: true,
  duration_ms: 42,
  session_id: "0123456789abcdef",
  tool_id: "billing:refund@1#a1b2c3d4",
  namespace: "billing",
  attributes: { attempts: 2, status: "ok", replay: "convergent", raw_bytes: 9000, shown_tokens: 120 },
};

const MEMBERS = Object.keys(executed);

/** Every word of the vocabulary, and the forms of identifiers, written once more. */
const OURS: ReadonlySet<string> = new Set([
  ...MEMBERS,
  ...EVENT_NAMES,
  ...EVENT_NAMES.flatMap((name) => {
    const { required, optional } = specOf(name);
    return Object.entries({ ...required, ...optional }).flatMap(([attribute, kind]) =>
      [attribute].concat(kind.kind === "word" ? kind.words : []),
    );
  }),
]);
const FORMS = [
  /^(?:grt|pkg)_[0-9a-f]{32}$/,
  /^[0-9a-f]{16}$/,
  /^[a-z][a-z0-9_-]{0,63}$/,
  /^(resource::|prompt::)?[a-z][a-z0-9_-]{0,63}:[A-Za-z_][A-Za-z0-9_.-]{0,127}(@[A-Za-z0-9._-]{1,32})?(#[0-9a-f]{8})?$/,
  /^(resource|prompt)::[a-z][a-z0-9_-]{0,63}:[A-Za-z_][A-Za-z0-9_.-]{0,127}#[0-9a-f]{8}~[1-9][0-9]{0,9}$/,
  /^[A-Z_]{1,48}$/,
];

function isOurs(text: string): boolean {
  return (
    OURS.has(text) || STREAM_NAMES.some((name) => name === text) || FORMS.some((form) => form.test(text))
  );
}

describe("the vocabulary of events", () => {
  it("is closed, and has each name of the specification", () => {
    expect([...EVENT_NAMES].sort()).toEqual([
      "browse.completed",
      "browse.failed",
      "catalog.loaded",
      "catalog.refresh",
      "catalog.refresh.live",
      "execute.cache_hit",
      "execute.completed",
      "execute.denied",
      "execute.dry_run",
      "execute.failed",
      "execute.rate_limited",
      "hydrate.completed",
      "hydrate.failed",
      "prompt.completed",
      "prompt.failed",
      "read.completed",
      "read.failed",
      "records.completed",
      "records.failed",
      "view.completed",
      "view.failed",
    ]);
  });

  it.each(EVENT_NAMES)("gives %s names of its own style only", (name) => {
    const { required, optional } = specOf(name);
    for (const attribute of Object.keys({ ...required, ...optional })) expect(attribute).toMatch(/^[a-z_]+$/);
    expect(Object.keys(required).filter((attribute) => Object.hasOwn(optional, attribute))).toEqual([]);
  });
});

describe("an event", () => {
  it("is one line, its members and attributes in one order whatever order they came in", () => {
    const { attributes, ...rest } = executed;
    const turned = Object.fromEntries(Object.entries({ attributes, ...rest }).toReversed());
    const line =
      '{"version":1,"event":"execute.completed","timestamp":1777000000000,"success":true,"duration_ms":42,' +
      '"session_id":"0123456789abcdef","tool_id":"billing:refund@1#a1b2c3d4","namespace":"billing",' +
      '"attributes":{"attempts":2,"status":"ok","replay":"convergent","raw_bytes":9000,"shown_tokens":120}}';
    expect([eventLine(executed), eventLine(turned)]).toEqual([ok(line), ok(line)]);
  });

  it("reads back from its line", () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const line = eventLine(event);
        expect(readEvent(line.ok ? JSON.parse(line.value) : undefined)).toEqual(ok(event));
      }),
    );
  });

  it.each([
    [{ event: "execute.finished" }, { reason: "unknown_event" }],
    [{ event: "toString" }, { reason: "unknown_event" }],
    [{ event: "tool_call" }, { reason: "unknown_event" }],
    [{ message: "hello" }, { reason: "unknown_member" }],
    [{ version: 2 }, { reason: "invalid_member", member: "version" }],
    [{ timestamp: -1 }, { reason: "invalid_member", member: "timestamp" }],
    [{ timestamp: "2026-01-01" }, { reason: "invalid_member", member: "timestamp" }],
    [{ duration_ms: 0.5 }, { reason: "invalid_member", member: "duration_ms" }],
    [{ success: 1 }, { reason: "invalid_member", member: "success" }],
    [{ session_id: undefined }, { reason: "invalid_member", member: "session_id" }],
    [{ session_id: "0123456789ABCDEF" }, { reason: "invalid_member", member: "session_id" }],
    [{ session_id: "0123456789abcdef0" }, { reason: "invalid_member", member: "session_id" }],
    [{ tool_id: "refund" }, { reason: "invalid_member", member: "tool_id" }],
    [{ tool_id: "billing:refund" }, { reason: "invalid_member", member: "tool_id" }],
    [{ tool_id: "billing:refund#a1b2c3d4~2" }, { reason: "invalid_member", member: "tool_id" }],
    [{ tool_id: "prompt::billing:refund#a1b2c3d4~0" }, { reason: "invalid_member", member: "tool_id" }],
    [{ tool_id: "billing:refund@1#a1b2c3d4\n" }, { reason: "invalid_member", member: "tool_id" }],
    [{ namespace: "Billing" }, { reason: "invalid_member", member: "namespace" }],
    [{ attributes: null }, { reason: "invalid_member", member: "attributes" }],
    [{ attributes: [] }, { reason: "invalid_member", member: "attributes" }],
    [{ attributes: { attempts: 1 } }, { reason: "missing_attribute", attribute: "status" }],
    [{ attributes: { attempts: 1, status: "fine" } }, { reason: "invalid_attribute", attribute: "status" }],
    [{ attributes: { attempts: 1.5, status: "ok" } }, { reason: "invalid_attribute", attribute: "attempts" }],
    [{ attributes: { attempts: 1, status: "ok", args: { a: 1 } } }, { reason: "unknown_attribute" }],
    [{ attributes: { attempts: 1, status: "ok", card_count: 1 } }, { reason: "unknown_attribute" }],
    [{ attributes: { attempts: 257, status: "ok" } }, { reason: "invalid_attribute", attribute: "attempts" }],
    [
      { event: "execute.failed", attributes: { error_code: "UPSTREAM_TIMEOUT" } },
      { reason: "invalid_member", member: "success" },
    ],
  ])("is refused with %j: %j", (change, problem) => {
    expect(readEvent({ ...executed, ...change })).toEqual(fail(problem));
  });

  it.each(["", "two words", "1st", "ünïcode", "a/b", "a".repeat(65), "messages\n", "__proto__\u0000"])(
    "has no stream's name like %j",
    (stream) => {
      const attributes = { operation: "search", via: "mcp", stream };
      const read = readEvent({ ...executed, event: "records.completed", attributes });
      expect(read).toEqual(fail({ reason: "invalid_attribute", attribute: "stream" }));
    },
  );

  it.each(["NOT FOUND", "HTTP500", "Timeout", "_A", "A_", "a__b", "E".repeat(49)])(
    "has no error code like %j",
    (error_code) => {
      const failed = { ...executed, event: "execute.failed", success: false, attributes: { error_code } };
      expect(readEvent(failed)).toEqual(fail({ reason: "invalid_attribute", attribute: "error_code" }));
    },
  );

  it("takes nothing from a prototype, and no attribute called like one's member", () => {
    expect(readEvent(Object.create(executed)).ok).toBe(false);
    const attributes = JSON.parse('{"attempts":1,"status":"ok","__proto__":"text"}') as unknown;
    expect(readEvent({ ...executed, attributes })).toEqual(fail({ reason: "unknown_attribute" }));
  });

  it("has no more ids than a browse has cards", () => {
    const browse = (count: number) => ({
      ...executed,
      event: "browse.completed",
      attributes: { card_count: count, tool_ids: Array.from({ length: count }, () => CATALOG_IDS[0]) },
    });
    expect(readEvent(browse(EVENT_IDS_MAX_COUNT)).ok).toBe(true);
    expect(readEvent(browse(EVENT_IDS_MAX_COUNT + 1))).toEqual(
      fail({ reason: "invalid_attribute", attribute: "tool_ids" }),
    );
  });

  it.each(EVENT_NAMES)("of the longest kind of %s is within a record's bound", (event) => {
    const { success, required, optional } = specOf(event);
    const id = `resource::${"n".repeat(64)}:${"t".repeat(128)}@${"1".repeat(32)}#a1b2c3d4`;
    const longest = (kind: AttributeKind): unknown =>
      kind.kind === "count"
        ? kind.max
        : kind.kind === "flag"
          ? false
          : kind.kind === "word"
            ? [...kind.words].sort((left, right) => right.length - left.length)[0]
            : kind.kind === "stream_name"
              ? "a".repeat(64)
              : kind.kind === "grant_id"
                ? `grt_${"f".repeat(32)}`
                : kind.kind === "error_code"
                  ? "E".repeat(48)
                  : Array.from({ length: EVENT_IDS_MAX_COUNT }, () => id);
    const line = eventLine({
      version: 1,
      event,
      timestamp: Number.MAX_SAFE_INTEGER,
      success: success === "either" ? false : success,
      duration_ms: Number.MAX_SAFE_INTEGER,
      session_id: "f".repeat(16),
      tool_id: id,
      namespace: "n".repeat(64),
      attributes: Object.fromEntries(
        Object.entries({ ...required, ...optional }).map(([name, kind]) => [name, longest(kind)]),
      ),
    });
    expect(line.ok && line.value.length < JSONL_RECORD_MAX_BYTES / 2).toBe(true);
  });
});

describe("metadata only", () => {
  const put = (event: Record<string, unknown>, at: string, text: unknown): unknown =>
    Object.hasOwn(event, at)
      ? { ...event, [at]: text }
      : { ...event, attributes: Object.assign({}, event["attributes"], { [at]: text }) };

  it("a bearer, an argument, a result or a message finds no member and no attribute that takes it", () => {
    const places = anyEvent.chain((event) => {
      const attributes = Object.keys(Object.assign({}, event["attributes"]));
      return fc.tuple(fc.constant(event), fc.constantFrom(...MEMBERS, ...attributes, "message"));
    });
    fc.assert(
      fc.property(places, fc.constantFrom(...SECRETS), ([event, at], secret) => {
        expect(eventLine(put(event, at, secret)).ok).toBe(false);
        expect(eventLine(put(event, at, [secret])).ok).toBe(false);
        expect(eventLine(put(event, at, { [secret]: secret })).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("whatever is thrown at it, only words of the vocabulary and identifiers are in the line", () => {
    const names = [...MEMBERS, ...OURS];
    const thrown = fc
      .tuple(anyEvent, fc.constantFrom(...names), anythingWith(names))
      .map(([event, at, value]) => put(event, at, value));
    fc.assert(
      fc.property(fc.oneof(thrown, anythingWith(names), anyEvent), (value) => {
        const line = eventLine(value);
        const text = line.ok ? line.value : "{}";
        expect(text).not.toMatch(/[\n\r]/);
        expect(textsIn(JSON.parse(text)).filter((found) => !isOurs(found))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it("a refusal names nothing foreign either", () => {
    fc.assert(
      fc.property(anyEvent, fc.constantFrom(...SECRETS), (event, secret) => {
        const refusals = [
          readEvent({ ...event, [secret]: 1 }),
          readEvent({ ...event, event: secret }),
          readEvent({ ...event, attributes: { [secret]: 1 } }),
        ];
        for (const refusal of refusals) {
          expect(refusal.ok).toBe(false);
          expect(textsIn(refusal)).not.toContain(secret);
        }
      }),
    );
  });

  it("what changes after it was judged changes no event", () => {
    const ids: string[] = [CATALOG_IDS[0]];
    const read = readEvent({
      ...executed,
      event: "browse.completed",
      attributes: { card_count: 1, tool_ids: ids },
    });
    ids.push("Bearer secret");
    expect(JSON.stringify(read)).not.toContain("Bearer");
    const sly = Object.assign(
      { card_count: 1 },
      { tool_ids: Object.assign([CATALOG_IDS[0]], { toJSON: () => "text" }) },
    );
    const line = eventLine({ ...executed, event: "browse.completed", attributes: sly });
    expect(line.ok && line.value.includes("text")).toBe(false);
  });
});
