import { type FaultCode, readFaultCode } from "../fault/fault-code.ts";
import type { EventName } from "./event-vocabulary.ts";
import type { GatewayEvent } from "./events.ts";
import type { HotCall } from "./hot-paths.ts";
import type { LedgerOperation } from "./operation.ts";

/**
 * What an event means for a ledger: the whole of one call, from its request to its ending, under the verb that was
 * asked for (`browse`, `execute`, …). Events of the catalog are no calls. One event's operations leave nothing in flight, so that
 * events of many sources may come in any order.
 */
export function ledgerOperationsOf(event: GatewayEvent): readonly LedgerOperation[] {
  switch (event.event) {
    case "catalog.loaded":
    case "catalog.refresh":
    case "catalog.refresh.live":
      return [];
    case "browse.completed":
    case "hydrate.completed":
    case "view.completed":
    case "records.completed":
    case "execute.cache_hit":
      return callOf(event, 1);
    case "execute.dry_run":
      return event.success ? callOf(event, 1) : callOf(event, 1, "error", event.attributes.error_code);
    case "execute.completed":
    case "read.completed":
    case "prompt.completed": {
      const { attempts } = event.attributes;
      return event.success ? callOf(event, attempts) : callOf(event, attempts, "response_error");
    }
    case "browse.failed":
    case "hydrate.failed":
    case "view.failed":
    case "records.failed":
    case "execute.denied":
      return callOf(event, 1, "error", event.attributes.error_code);
    case "execute.failed":
    case "read.failed":
    case "prompt.failed": {
      const { attempts, error_code } = event.attributes;
      return callOf(event, attempts ?? 1, failureEnding(event), error_code);
    }
    case "execute.rate_limited": {
      const { attempts, scope } = event.attributes;
      return callOf(event, attempts ?? 1, scope === "upstream" ? "response_error" : "error", "rate_limited");
    }
  }
}

/**
 * What an event means for the hottest and slowest tools: a call that reached one, or its answer given again. One that lapsed
 * has no time to count.
 */
export function hotCallOf(event: GatewayEvent): HotCall | undefined {
  if (!REACHED.has(event.event)) return undefined;
  if (event.event === "execute.failed" && (event.attributes.attempts === 0 || isLapsed(event)))
    return undefined;
  return { key: event.tool_id, latencyMs: event.duration_ms, failed: !event.success };
}

const REACHED: ReadonlySet<EventName> = new Set([
  "execute.completed",
  "execute.failed",
  "execute.cache_hit",
] as const);

type Ending = "success" | "error" | "response_error" | "recovery_error";
type Failed = Extract<GatewayEvent, { readonly event: "execute.failed" | "read.failed" | "prompt.failed" }>;

/** Whose failure it is: what was sent failed downstream, whatever came back or did not; what was not sent is our own. */
function failureEnding(event: Failed): "error" | "response_error" | "recovery_error" {
  if (isLapsed(event)) return "recovery_error";
  const { attempts, outcome } = event.attributes;
  const isSent = attempts === undefined ? outcome === "completed" : attempts > 0;
  return isSent ? "response_error" : "error";
}

/** Whether nobody saw the call end: its isolate was gone, so that neither its tries nor its time are known. */
function isLapsed({ event, attributes }: Failed): boolean {
  return event === "execute.failed" && attributes.attempts === undefined && attributes.outcome === "unknown";
}

function callOf(
  event: GatewayEvent,
  attempts: number,
  ending: Ending = "success",
  error = "tool_error",
): readonly LedgerOperation[] {
  const method = event.event.slice(0, event.event.indexOf("."));
  const latency_ms = event.duration_ms;
  const ended = endedOf(ending, method, latency_ms, codeOf(error));
  const replays = Array.from({ length: Math.max(0, attempts - 1) }, () => ({
    record: "replay" as const,
    method,
  }));
  return [{ record: "request", method }, ...replays, ended];
}

function endedOf(ending: Ending, method: string, latency_ms: number, error: FaultCode): LedgerOperation {
  switch (ending) {
    case "success":
      return { record: "success", method, latency_ms };
    case "recovery_error":
      return { record: "recovery_error", method, error };
    case "error":
    case "response_error":
      return { record: ending, method, latency_ms, error };
  }
}

/** An event's code in the form of faults' codes, which are lower-case. */
function codeOf(error: string): FaultCode {
  const code = readFaultCode(error.toLowerCase());
  return code.ok ? code.value : "internal";
}
