import { writeEntry } from "../outbox/entry.ts";
import type { FlightNote, FoundFlight, ReadAdmitRequest } from "./admit-contract.ts";
import { type Flight, type FlightSession, FlightStore } from "./flight-store.ts";
import type { Housekeeping } from "./housekeeping-store.ts";
import { lapsedCall } from "./lapsed-call.ts";
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
    { leaseMs, toolId, contract, ...ask }: FlightAsk,
    scope: string,
    session: FlightSession | null,
    nowMs: number,
  ): void {
    const expiresAtMs = nowMs + leaseMs;
    // For a call that is not settled there may be no other alarm than the sweep's.
    this.#housekeeping.writeUntil(expiresAtMs);
    if (!this.#store.fits()) this.tellLost(nowMs);
    // Beyond that it cannot be cancelled, and runs all the same.
    if (!this.#store.fits()) return;
    const flight: Flight = {
      ...ask,
      attempt,
      scope,
      session,
      cancelled: false,
      expiresAtMs,
    };
    this.#store.open(flight, toolId ?? null, contract ?? null);
  }

  /**
   * Tells the ledger of every call whose lease has run out without a report: its isolate is gone. One that the journal has told
   * of is told no second time, since both tell it under its attempt's name.
   */
  tellLost(nowMs: number): void {
    if (!this.#has()) return;
    if (this.#housekeeping.tables.has("flown_tools")) {
      for (const { cancelled, ...flight } of this.#store.lost(nowMs)) {
        const lapsed = lapsedCall(flight, nowMs);
        // What its caller did not wait for is not held against the server.
        const entry = writeEntry(cancelled ? { ...lapsed, upstreams: [] } : lapsed);
        if (entry.ok) this.#housekeeping.tell(entry.value, nowMs);
      }
    }
    this.#store.removeLost(nowMs);
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
