import { isCount } from "../../spine/telemetry/counters.ts";
import type { GatewayEvent } from "../../spine/telemetry/events.ts";
import { isCatalogId, isNamespace } from "../../spine/telemetry/identifiers.ts";

/** What an event says of its call, without what all events have: when, how long, and in which session. */
export type CallEvent = Unframed<GatewayEvent>;

type Unframed<Event> = Event extends GatewayEvent
  ? Omit<Event, "version" | "timestamp" | "duration_ms" | "session_id">
  : never;

export type CallEventOf<Name extends GatewayEvent["event"]> = Extract<CallEvent, { readonly event: Name }>;

/**
 * A tool of the catalog as an event names it, by its id and the id's namespace. What is no legal id is somebody's own text,
 * and stays out.
 */
export function named(toolId: string | null): Pick<CallEvent, "tool_id" | "namespace"> {
  if (!isCatalogId(toolId)) return UNNAMED;
  const [namespace = ""] = toolId.replace(/^(?:resource|prompt)::/, "").split(":", 1);
  return { tool_id: toolId, namespace: isNamespace(namespace) ? namespace : null };
}

export const UNNAMED = { tool_id: null, namespace: null } as const;

/** The members that are counts; what is unknown, or was never counted as a whole number, is left out. */
export function counts<Name extends string>(
  values: Readonly<Record<Name, number | null | undefined>>,
): Partial<Record<Name, number>> {
  const known: Partial<Record<Name, number>> = {};
  for (const name in values) {
    const value = values[name];
    if (isCount(value)) known[name] = value;
  }
  return known;
}
