import { displayText, firstCodePoints } from "../catalog/cards/display-text.ts";
import { flightKey } from "../dispatch/flight.ts";
import { UPSTREAM_CANCEL_REASON_MAX_CHARS } from "../limits.ts";
import { TARGET_NAMES } from "../server-target.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Takes a caller's word that it waits no longer for one of its calls (MCP 2025-11-25, "Cancellation"), and cancels it at its
 * upstream by the id that it has there; then it ends here too. Where no such call runs, or two do, nothing happens; where its
 * session is not known yet, whoever opens it is told. Never throws, and tells the caller nothing.
 */
export async function cancelCall(
  requestKey: string,
  reason: string | undefined,
  context: Pick<RequestContext, "admit">,
  ports: Pick<GatewayPorts, "upstream" | "running" | "scrubber" | "log">,
): Promise<void> {
  let attempt: string | undefined;
  try {
    const admission = await context.admit({ cancel: { requestKey: flightKey(requestKey) } });
    const flight = admission.admitted ? (admission.cancelled ?? null) : null;
    attempt = flight?.attempt;
    if (flight === null || flight.session === null) return;
    const target = TARGET_NAMES.find((name) => name === flight.target);
    if (target === undefined) return;
    const upstream = ports.upstream(flight.server, target);
    if (!upstream.ok) {
      ports.log(upstream.reason);
      return;
    }
    // Another address or another credential by now: neither the id nor the session means anything there.
    if (upstream.value.sessionKey !== flight.upstream) return;
    const { sessionId, protocolVersion } = flight.session;
    await upstream.value.cancel(flight.requestId, reasonFor(reason, ports), { sessionId, protocolVersion });
  } catch (error) {
    ports.log(`a call could not be cancelled: ${String(error)}`);
  } finally {
    if (attempt !== undefined) ports.running.takeBack(attempt);
  }
}

/** A reason as an upstream may see it: one line without secrets of ours. */
function reasonFor(
  reason: string | undefined,
  { scrubber }: Pick<GatewayPorts, "scrubber">,
): string | undefined {
  if (reason === undefined) return undefined;
  // Scrubbed before it is cut or joined, since a part of a secret is not found.
  const scrubbed = scrubber.cut(reason, 2 * UPSTREAM_CANCEL_REASON_MAX_CHARS);
  const line = firstCodePoints(displayText(scrubbed), UPSTREAM_CANCEL_REASON_MAX_CHARS);
  return line === "" ? undefined : line;
}
