import { SESSION_LIFETIME_SECONDS } from "../limits.ts";
import type { FlightNote, FoundFlight, ReadAdmitRequest } from "./admit-contract.ts";
import { type Flight, type FlightSession, FlightStore } from "./flight-store.ts";
import type { Housekeeping } from "./housekeeping-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

type FlightAsk = NonNullable<ReadAdmitRequest["flight"]>;

/**
 * Where one principal's calls are while they run, for the caller who takes one back: that word comes in another request, and
 * as a rule to another isolate.
 */
export class CallFlights {
  readonly #housekeeping: Housekeeping;
  readonly #store: FlightStore;

  constructor(sql: MeteredSql, housekeeping: Housekeeping) {
    this.#housekeeping = housekeeping;
    this.#store = new FlightStore(sql);
  }

  /** Writes a call down that is about to be sent, on the session that is kept of its upstream, if one is. */
  open(
    attempt: string,
    { leaseMs, ...ask }: FlightAsk,
    scope: string,
    session: FlightSession | null,
    nowMs: number,
  ): void {
    // It is settled long before any sweep, and expired it reads as not there: for it alone no alarm is brought forward.
    this.#housekeeping.writeUntil(nowMs + SESSION_LIFETIME_SECONDS * 1000);
    const flight: Flight = {
      ...ask,
      attempt,
      scope,
      session,
      cancelled: false,
      expiresAtMs: nowMs + leaseMs,
    };
    this.#store.open(flight, nowMs);
  }

  /** Takes what has become of a call, and says whether its caller has taken it back. */
  note({ attempt, requestId, session }: FlightNote, nowMs: number): boolean {
    const known = this.#has() ? this.#store.find(attempt, nowMs) : null;
    if (known === null) return false;
    const noted = { requestId: requestId ?? known.requestId, session: session ?? known.session };
    if (!isSame(noted, known)) this.#store.note(attempt, noted.requestId, noted.session);
    return known.cancelled;
  }

  /**
   * Marks the one call that a scope has under this key. Of two nobody can say which is meant, and to end the wrong one is
   * worse than to end none.
   */
  cancel(scope: string, requestKey: string, nowMs: number): FoundFlight | null {
    const [flight, ...others] = this.#has() ? this.#store.ofRequest(scope, requestKey, nowMs) : [];
    if (flight === undefined || others.length > 0) return null;
    if (!flight.cancelled) this.#store.markCancelled(flight.attempt);
    const { upstream, server, target, requestId, session } = flight;
    return { upstream, server, target, requestId, session };
  }

  /** The call is over. Gives whether its caller had taken it back. */
  settle(attempt: string): boolean {
    return this.#has() && this.#store.remove(attempt);
  }

  /** To be called when rows went some other way. */
  forgetCounts(): void {
    this.#store.forgetCount();
  }

  #has(): boolean {
    return this.#housekeeping.tables.has("flights");
  }
}

/**
 * Whose request key it is: two sessions count each for itself (MCP 2025-11-25, "Requests": an id is unique within a session),
 * and what comes without a session counts with its token.
 */
export function flightScope({ session, tokenId }: Pick<ReadAdmitRequest, "session" | "tokenId">): string {
  return JSON.stringify(session ? ["session", session.key] : ["token", tokenId]);
}

function isSame(one: Pick<Flight, "requestId" | "session">, other: Pick<Flight, "requestId" | "session">) {
  return (
    one.requestId === other.requestId &&
    one.session?.sessionId === other.session?.sessionId &&
    one.session?.protocolVersion === other.session?.protocolVersion
  );
}
