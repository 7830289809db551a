import { bucketsFor, type CallBuckets } from "../dispatch/policy/buckets.ts";
import type { BrowseName } from "./meta-tools.ts";
import type { GatewayPorts } from "./ports.ts";
import type { AdmitAsk } from "./request-context.ts";

/** What `admit` is asked besides, for a meta-tool whose calls are limited; nothing where they are not. */
export function quotaAsk(
  metaTool: BrowseName | "tool_view" | "tool_hydrate",
  { controls, newId }: Pick<GatewayPorts, "controls" | "newId">,
): Pick<AdmitAsk, "quota" | "attempt"> {
  const quota = bucketsFor(metaTool, undefined, controls.gateway.rate_limits);
  return quota === null ? {} : { attempt: newId(), quota: wireQuota(quota) };
}

/** Whose calls the limits count, a session's or a principal's. */
export function quotaOwnerOf({ controls }: Pick<GatewayPorts, "controls">): CallBuckets["per"] {
  return controls.gateway.rate_limits.per;
}

/** As `admit` takes it. */
export function wireQuota({ per, buckets }: CallBuckets): NonNullable<AdmitAsk["quota"]> {
  return { per, buckets: [...buckets] };
}
