import { UPSTREAM_SESSION_ID_MAX_CHARS } from "../limits.ts";
import type { WireFault } from "./wire-fault.ts";

/**
 * What a later request needs to go on without a handshake. Kept per upstream and credential, never shared between
 * principals. Without `sessionId` the upstream keeps none, and the handshake is skipped all the same.
 */
export interface UpstreamSession {
  readonly sessionId?: string;
  readonly protocolVersion: string;
  /** The upstream's own JSON, as far as the protocol's schema knows it. */
  readonly serverInfo: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

const VISIBLE_ASCII = /^[\u0021-\u007e]+$/;

/** MCP 2025-11-25, transports: visible ASCII only. Anything else could not be sent back as it came. */
export function isLegalSessionId(id: string): boolean {
  return id.length <= UPSTREAM_SESSION_ID_MAX_CHARS && VISIBLE_ASCII.test(id);
}

/** Server error, request timeout (both SDKs' "no valid session", "session not found") and invalid request (Python). */
const SESSION_CODES: ReadonlySet<number> = new Set([-32000, -32001, -32600]);

/**
 * Whether a request on a resumed session was refused because of the session. Then nothing ran: the transport turns such a
 * request away before it reads what is asked. An error that carries our request's id came from behind the transport, so
 * it is never such a refusal. Words decide only where an upstream sends neither the status nor a code for it.
 */
export function refusesSession(fault: WireFault): boolean {
  if (fault.kind !== "status" || fault.rpc?.ours === true) return false;
  if (fault.status === 404) return true;
  if (fault.status === 400)
    return fault.rpc === null ? fault.speaksOfSession : SESSION_CODES.has(fault.rpc.code);
  return fault.status === 401 && !fault.challenged && fault.speaksOfSession;
}
