import { UNDER_WAY_SCOPE } from "../limit-scopes.ts";
import { SESSION_LIFETIME_SECONDS } from "../limits.ts";
import type { AdmitRefusal, ReadAdmitRequest } from "./admit-contract.ts";
import type { RateOwner } from "./call-controls.ts";
import type { JournalAsk } from "./journal.ts";
import { PRINCIPALS_OWN } from "./seen-cards.ts";
import type { SessionHandle } from "./session-id.ts";

/** As many of the principal's calls as may are under way. */
export function underWay(retryAfterMs: number): AdmitRefusal {
  return { reason: "rate_limited", scope: UNDER_WAY_SCOPE, retryAfterMs };
}

/** The principal's own span is as long as a session lives. */
export function rateOwner(session: SessionHandle | null, nowMs: number): RateOwner {
  return session === null
    ? { key: PRINCIPALS_OWN, spanEndsAtMs: nowMs + SESSION_LIFETIME_SECONDS * 1000 }
    : { key: session.key, spanEndsAtMs: session.expiresAtMs };
}

/** A JSON-RPC id is its session's: another session's, or one of no session, names another call. */
export function journalAsk({ attempt, session, journal }: ReadAdmitRequest): JournalAsk | null {
  if (!journal || typeof attempt !== "string") return null;
  const { requestKey } = journal;
  return {
    ...journal,
    attempt,
    idempotencyKey: journal.idempotencyKey ?? null,
    toolId: journal.toolId ?? null,
    server: journal.server ?? null,
    requestKey: session && typeof requestKey === "string" ? JSON.stringify([session.key, requestKey]) : null,
  };
}
