import type { SessionHandle } from "./session-id.ts";

/** What is known of a session's key: a row says whether it has ended; without a row it is unknown. */
export type SessionRow = { readonly ended: boolean } | null;
export type SessionIntent = "open" | "use" | "end";
export type SessionRefusal = "session_unknown" | "session_ended" | "session_expired";

/** What to do: refuse, go on, or go on after writing the row that the intent asks for. */
export type SessionStep =
  | { readonly step: "refuse"; readonly reason: SessionRefusal }
  | { readonly step: "proceed" }
  | { readonly step: "insert" }
  | { readonly step: "mark_ended" };

/**
 * A session's life: unknown, open, ended or expired, never backwards. Opening twice is one opening, since a call to an
 * object may be repeated; opening what has ended is refused, so an ended id never comes back.
 */
export function judgeSession(
  session: SessionHandle & { readonly intent: SessionIntent },
  row: SessionRow,
  nowMs: number,
): SessionStep {
  if (nowMs >= session.expiresAtMs) return { step: "refuse", reason: "session_expired" };
  if (row === null) {
    return session.intent === "open" ? { step: "insert" } : { step: "refuse", reason: "session_unknown" };
  }
  if (row.ended) return { step: "refuse", reason: "session_ended" };
  return session.intent === "end" ? { step: "mark_ended" } : { step: "proceed" };
}
