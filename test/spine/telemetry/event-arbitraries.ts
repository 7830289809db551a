import * as fc from "fast-check";
import type { AttributeKind } from "../../../src/spine/telemetry/attribute.ts";
import {
  EVENTS,
  type EventName,
  isEventName,
  specOf,
} from "../../../src/spine/telemetry/event-vocabulary.ts";
import { anyCount } from "../health/arbitraries.ts";

export const EVENT_NAMES: readonly EventName[] = Object.keys(EVENTS).filter((name) => isEventName(name));

export const CATALOG_IDS = [
  "billing:refund@1#a1b2c3d4",
  "github:create_issue@1.4.0",
  "resource::file:README#a8c506b1",
  "prompt::gh:gh.summarize#a3605d83",
  "resource::file:README#a8c506b1~2",
] as const;

const GRANT_IDS = [`grt_${"0a".repeat(16)}`, `pkg_${"f9".repeat(16)}`] as const;
export const STREAM_NAMES = ["messages", "Issue_comments", "v2.threads", "a".repeat(64)] as const;

/** What must stand in no line: bearers, what was asked and answered, messages, paths of a machine. */
export const SECRETS = [
  "lg_client_eyJwIjoiYWxpY2UiLCJrIjoxfQ_9vJk2Qw8xYz7Lr5Tn3Mb1Vc0Xa4Sd6Fg-Hj_Kl2ZqWe",
  "Bearer sk-live-51H8xY2eZvKYlo2C",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
  '{"password":"hunter2"}',
  "Connection to 10.0.0.1:5432 refused",
  "alice@example.com",
  "/home/alice/secret plans.txt",
  "0f8fad5b-d9cb-469f-a165-70867728950e",
  "two\nlines",
  "<|endoftext|>",
  "\ud800",
  "ünïcode",
  "",
  "x".repeat(10_000),
] as const;

function valueOf(kind: AttributeKind): fc.Arbitrary<unknown> {
  switch (kind.kind) {
    case "count":
      return anyCount.map((count) => Math.min(count, kind.max));
    case "flag":
      return fc.boolean();
    case "word":
      return fc.constantFrom(...kind.words);
    case "error_code":
      return fc.constantFrom("UPSTREAM_TIMEOUT", "ARGS_INVALID", "invalid_request");
    case "stream_name":
      return fc.constantFrom(...STREAM_NAMES);
    case "grant_id":
      return fc.constantFrom(...GRANT_IDS);
    case "catalog_ids":
      return fc.array(fc.constantFrom(...CATALOG_IDS), { maxLength: 5 });
  }
}

/** The attributes of an event, all that it must have and some that it may. */
function attributesOf(event: EventName): fc.Arbitrary<Record<string, unknown>> {
  const { required, optional } = specOf(event);
  const model = Object.fromEntries(
    Object.entries({ ...required, ...optional }).map(([name, kind]) => [name, valueOf(kind)]),
  );
  return fc.record<Record<string, unknown>, string>(model, { requiredKeys: Object.keys(required) });
}

/** A legal event of any kind. */
export const anyEvent: fc.Arbitrary<Record<string, unknown>> = fc
  .constantFrom(...EVENT_NAMES)
  .chain((event) => {
    const { success } = specOf(event);
    return fc.record({
      version: fc.constant(1),
      event: fc.constant(event),
      timestamp: anyCount,
      success: success === "either" ? fc.boolean() : fc.constant(success),
      duration_ms: anyCount,
      session_id: fc.option(fc.constantFrom("0123456789abcdef", "ffffffffffffffff")),
      tool_id: fc.option(fc.constantFrom(...CATALOG_IDS)),
      namespace: fc.option(fc.constantFrom("billing", "mcp-file")),
      attributes: attributesOf(event),
    });
  });

/** Every text in a JSON value, its members' names too. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]: [string, unknown]) => textsIn(item).concat(name));
}
