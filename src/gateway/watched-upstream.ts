import type { Upstream } from "../dispatch/ports.ts";
import type { FlightWatch } from "./flight-watch.ts";
import type { GatewayPorts } from "./ports.ts";
import { toldWanted } from "./wanted-note.ts";

/** An upstream whose calls are watched while they run, and whose wishes are heard as a caller may hear them. */
export function watchedUpstream(
  upstream: Upstream,
  server: string,
  watch: FlightWatch,
  ports: Pick<GatewayPorts, "scrubber" | "redactor">,
): Upstream {
  return {
    ...(upstream.isLocal === true ? { isLocal: true } : {}),
    sessionKey: upstream.sessionKey,
    timeoutMs: upstream.timeoutMs,
    call: async (call) => {
      watch.begin();
      const report = await upstream.call({
        ...call,
        signal: watch.signal,
        onSession: (session) => {
          watch.opened(session, call.requestId, upstream);
          call.onSession?.(session);
        },
      });
      return report.wanted === undefined
        ? report
        : { ...report, wanted: toldWanted(report.wanted, server, ports) };
    },
    cancel: (requestId, reason, session) => upstream.cancel(requestId, reason, session),
  };
}
