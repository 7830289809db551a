import { sha256Hex } from "../identity/digest.ts";
import { JOURNAL_LEASE_GRACE_MS } from "../limits.ts";
import type { CallOrigin } from "../surface.ts";
import type { FlightAsk } from "./admission.ts";
import type { DispatchTool } from "./ports.ts";

interface Sending {
  readonly attempt: string;
  readonly origin: CallOrigin;
  readonly timeoutMs: number;
  readonly dryRun: boolean;
  /** Of the upstream and its credential. */
  readonly sessionKey: string;
  /** Whether the answer is here already: nothing is sent, and there is nothing to take back. */
  readonly isAnswered?: boolean | undefined;
}

/**
 * What is noted of a call that is about to be sent, for the caller that takes it back, and for the account of one that nobody
 * reports on. Nothing of one that its caller cannot name, or that is not sent.
 */
export function flightAsk(
  { server, target }: Pick<DispatchTool, "server" | "target">,
  { attempt, origin, timeoutMs, dryRun, sessionKey, isAnswered = false }: Sending,
): FlightAsk | null {
  if (dryRun || isAnswered || origin.requestKey === null) return null;
  return {
    requestKey: flightKey(origin.requestKey),
    upstream: sessionKey,
    server,
    target,
    requestId: attempt,
    leaseMs: timeoutMs + JOURNAL_LEASE_GRACE_MS,
  };
}

/** A call's request key as the principal's object keeps it: an id may be as long as a message. */
export function flightKey(requestKey: string): string {
  return sha256Hex(requestKey);
}
