import { isRecord, memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import { admitted, type AttributeKind, type AttributeValue } from "./attribute.ts";
import { isCount } from "./counters.ts";
import {
  type AttributesOf,
  type EventName,
  isEventName,
  specOf,
  type SuccessOf,
} from "./event-vocabulary.ts";
import { isCatalogId, isNamespace, isSessionDigest } from "./identifiers.ts";

export const EVENT_VERSION = 1;

/** One event of one kind. Times are whole milliseconds, `timestamp` since 1970. */
interface EventOf<Name extends EventName> {
  readonly version: typeof EVENT_VERSION;
  readonly event: Name;
  readonly timestamp: number;
  readonly success: SuccessOf<Name>;
  readonly duration_ms: number;
  /** The first digits of a hash over the session's id, never the id. */
  readonly session_id: string | null;
  /** An id of the catalog. One that a caller made up is its own text: null. */
  readonly tool_id: string | null;
  readonly namespace: string | null;
  readonly attributes: AttributesOf<Name>;
}

/** Any event of the vocabulary, by its name. */
export type GatewayEvent = { readonly [Name in EventName]: EventOf<Name> }[EventName];

/** What was read, before it is known to be whole. */
interface EventRecord extends Omit<EventOf<EventName>, "success" | "attributes"> {
  readonly success: boolean;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** Why something is no event. It names members of ours only: a foreign name would be foreign text in a log. */
export type EventProblem =
  | { readonly reason: "not_an_object" }
  | { readonly reason: "unknown_event" }
  | { readonly reason: "unknown_member" }
  | { readonly reason: "unknown_attribute" }
  | { readonly reason: "invalid_member"; readonly member: EventMember }
  | { readonly reason: "missing_attribute" | "invalid_attribute"; readonly attribute: string };

const MEMBERS = [
  "version",
  "event",
  "timestamp",
  "success",
  "duration_ms",
  "session_id",
  "tool_id",
  "namespace",
  "attributes",
] as const satisfies readonly (keyof EventOf<EventName>)[];

type EventMember = (typeof MEMBERS)[number];

/**
 * Judges an event, our own before it is written and one from JSON alike. What comes back is made anew from checked
 * numbers, flags, words and identifiers, in one order, so that nothing else can be in its line. A member or attribute
 * that the vocabulary does not have is refused, not left out: whoever sent it meant to record it.
 */
export function readEvent(value: unknown): Result<GatewayEvent, EventProblem> {
  if (!isRecord(value)) return fail({ reason: "not_an_object" });
  const event = memberOf(value, "event");
  if (!isEventName(event)) return fail({ reason: "unknown_event" });
  if (Object.keys(value).some((key) => !MEMBERS.some((member) => member === key))) {
    return fail({ reason: "unknown_member" });
  }
  if (memberOf(value, "version") !== EVENT_VERSION) return invalid("version");
  const timestamp = memberOf(value, "timestamp");
  if (!isCount(timestamp)) return invalid("timestamp");
  const success = memberOf(value, "success");
  if (typeof success !== "boolean") return invalid("success");
  const duration = memberOf(value, "duration_ms");
  if (!isCount(duration)) return invalid("duration_ms");
  const session = memberOf(value, "session_id");
  if (session !== null && !isSessionDigest(session)) return invalid("session_id");
  const tool = memberOf(value, "tool_id");
  if (tool !== null && !isCatalogId(tool)) return invalid("tool_id");
  const namespace = memberOf(value, "namespace");
  if (namespace !== null && !isNamespace(namespace)) return invalid("namespace");
  const attributes = readAttributes(event, memberOf(value, "attributes"));
  if (!attributes.ok) return attributes;
  const record: EventRecord = {
    version: EVENT_VERSION,
    event,
    timestamp,
    success,
    duration_ms: duration,
    session_id: session,
    tool_id: tool,
    namespace,
    attributes: attributes.value,
  };
  return isWhole(record) ? ok(record) : fail(breachOf(record) ?? { reason: "unknown_event" });
}

/** The event as one line of JSON without its end. Equal events are equal bytes. */
export function eventLine(event: unknown): Result<string, EventProblem> {
  const read = readEvent(event);
  return read.ok ? ok(JSON.stringify(read.value)) : read;
}

function readAttributes(
  event: EventName,
  value: unknown,
): Result<Readonly<Record<string, AttributeValue>>, EventProblem> {
  if (!isRecord(value)) return invalid("attributes");
  const { required, optional } = specOf(event);
  const known: Readonly<Record<string, AttributeKind>> = { ...required, ...optional };
  if (Object.keys(value).some((name) => !Object.hasOwn(known, name))) {
    return fail({ reason: "unknown_attribute" });
  }
  const read: Record<string, AttributeValue> = {};
  for (const [attribute, kind] of Object.entries(known)) {
    const written = memberOf(value, attribute);
    if (written === undefined) continue;
    const checked = admitted(kind, written);
    if (checked === undefined) return fail({ reason: "invalid_attribute", attribute });
    read[attribute] = checked;
  }
  return ok(read);
}

/** What a record of checked parts may still lack to be an event of its name. */
function breachOf(record: EventRecord): EventProblem | undefined {
  const { success, required } = specOf(record.event);
  if (success !== "either" && record.success !== success) {
    return { reason: "invalid_member", member: "success" };
  }
  const attribute = Object.keys(required).find((name) => !Object.hasOwn(record.attributes, name));
  return attribute === undefined ? undefined : { reason: "missing_attribute", attribute };
}

function isWhole(record: EventRecord): record is GatewayEvent {
  return breachOf(record) === undefined;
}

function invalid(member: EventMember): Result<never, EventProblem> {
  return fail({ reason: "invalid_member", member });
}
